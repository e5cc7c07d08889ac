package io.stele.protocol.wire;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import java.util.Arrays;

/**
 * A builder of the bytes of a write batch, the common format of WRITE frames and log records:
 *
 * <pre>
 * table id 8 | schema version 4 | operation count 4 | operations
 * operation: kind 1 | varint key length | key | varint row length | row
 * </pre>
 *
 * Numbers are big-endian; an absent key or row has length 0. Reusable; confined to one thread or
 * guarded by its user.
 */
public final class WriteBatchBuilder {
    /** The number of bytes before the first operation. */
    public static final int HEAD_BYTES = 16;

    private static final int COUNT_OFFSET = 12;
    private static final int OPERATION_OVERHEAD_BYTES = 1 + 2 * Varint.MAX_BYTES;
    private static final byte[] EMPTY = new byte[0];

    private byte[] buffer;
    private int position = HEAD_BYTES;
    private int operationCount;

    public WriteBatchBuilder(TableId tableId, int schemaVersion) {
        this(tableId, schemaVersion, 4096);
    }

    public WriteBatchBuilder(TableId tableId, int schemaVersion, int capacityBytes) {
        buffer = new byte[Math.max(HEAD_BYTES, capacityBytes)];
        reset(tableId, schemaVersion);
    }

    /** Empties the batch; its memory is reused. */
    public void reset(TableId tableId, int schemaVersion) {
        requireNonNull(tableId, "tableId is null");
        BigEndian.putLong(buffer, 0, tableId.value());
        BigEndian.putInt(buffer, 8, schemaVersion);
        BigEndian.putInt(buffer, COUNT_OFFSET, 0);
        position = HEAD_BYTES;
        operationCount = 0;
    }

    public void upsert(byte[] key, byte[] row) {
        add(OperationKind.UPSERT, key, 0, key.length, row, 0, row.length);
    }

    public void delete(byte[] key) {
        add(OperationKind.DELETE, key, 0, key.length, EMPTY, 0, 0);
    }

    public void append(byte[] row) {
        add(OperationKind.APPEND, EMPTY, 0, 0, row, 0, row.length);
    }

    /**
     * Adds an operation.
     *
     * @throws SteleException KEY_TOO_LARGE, ROW_TOO_LARGE, or INVALID_ARGUMENT if the batch is
     *     full; the batch is then unchanged
     */
    public void add(
            OperationKind kind,
            byte[] key,
            int keyOffset,
            int keyLength,
            byte[] row,
            int rowOffset,
            int rowLength) {
        checkLimits(kind, keyLength, rowLength);
        ensureRoom(keyLength + rowLength + OPERATION_OVERHEAD_BYTES);
        byte[] target = buffer;
        int offset = position;
        target[offset++] = kind.code();
        offset = Varint.put(target, offset, keyLength);
        System.arraycopy(key, keyOffset, target, offset, keyLength);
        offset = Varint.put(target, offset + keyLength, rowLength);
        System.arraycopy(row, rowOffset, target, offset, rowLength);
        position = offset + rowLength;
        operationCount++;
        BigEndian.putInt(target, COUNT_OFFSET, operationCount);
    }

    public int operationCount() {
        return operationCount;
    }

    public boolean isEmpty() {
        return operationCount == 0;
    }

    /** The size of the batch so far in bytes, head included. */
    public int sizeBytes() {
        return position;
    }

    /**
     * The buffer of the batch, whose bytes are {@code [0, sizeBytes())}, valid until the next
     * change.
     */
    public byte[] buffer() {
        return buffer;
    }

    /** A copy of the batch. */
    public byte[] toByteArray() {
        return Arrays.copyOf(buffer, position);
    }

    private void checkLimits(OperationKind kind, int keyLength, int rowLength) {
        if (keyLength > WireLimits.MAX_KEY_BYTES) {
            throw new SteleException(
                    ErrorCode.KEY_TOO_LARGE,
                    "Expected a key of at most "
                            + WireLimits.MAX_KEY_BYTES
                            + " bytes, found "
                            + keyLength);
        }
        if (rowLength > WireLimits.MAX_ROW_BYTES) {
            throw new SteleException(
                    ErrorCode.ROW_TOO_LARGE,
                    "Expected a row of at most "
                            + WireLimits.MAX_ROW_BYTES
                            + " bytes, found "
                            + rowLength);
        }
        if (kind.hasKey() == (keyLength == 0) || (!kind.hasRow() && rowLength > 0)) {
            throw new IllegalArgumentException(
                    "Operation "
                            + kind
                            + " cannot have a key of "
                            + keyLength
                            + " and a row of "
                            + rowLength
                            + " bytes");
        }
        if (operationCount >= WireLimits.MAX_OPERATIONS) {
            throw full("operations", WireLimits.MAX_OPERATIONS, operationCount + 1L);
        }
    }

    private void ensureRoom(int additional) {
        long needed = (long) position + additional;
        if (needed > WireLimits.MAX_BATCH_BYTES) {
            throw full("bytes", WireLimits.MAX_BATCH_BYTES, needed);
        }
        if (needed > buffer.length) {
            long doubled =
                    Math.min(Math.max(needed, 2L * buffer.length), WireLimits.MAX_BATCH_BYTES);
            buffer = Arrays.copyOf(buffer, (int) doubled);
        }
    }

    private static SteleException full(String unit, long limit, long found) {
        return new SteleException(
                ErrorCode.INVALID_ARGUMENT,
                "Expected a write batch of at most " + limit + " " + unit + ", found " + found);
    }
}
