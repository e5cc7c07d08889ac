package io.stele.protocol.wire;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import java.util.Arrays;
import java.util.Objects;

/**
 * A cursor over the operations of a write batch, for writes and recovery, that copies nothing.
 * After {@link #next}, the key and the row are ranges of {@link #buffer}. It checks the structure
 * while it reads; the row layout checks the content of rows. Confined to one thread.
 *
 * <p>Invariant: the ranges of key and row are inside the batch.
 */
public final class WriteBatchReader {
    private final byte[] buffer;
    private final int start;
    private final int limit;
    private final int operationCount;
    private int position;
    private int read;
    private OperationKind kind = OperationKind.UPSERT;
    private int keyOffset;
    private int keyLength;
    private int rowOffset;
    private int rowLength;

    public WriteBatchReader(byte[] batch) {
        this(batch, 0, batch.length);
    }

    /**
     * Reads the head.
     *
     * @throws SteleException INVALID_ARGUMENT if the bytes are no write batch
     */
    public WriteBatchReader(byte[] buffer, int offset, int length) {
        this.buffer = requireNonNull(buffer, "buffer is null");
        Objects.checkFromIndexSize(offset, length, buffer.length);
        this.start = offset;
        this.limit = offset + length;
        this.position = offset;
        if (length < WriteBatchBuilder.HEAD_BYTES || length > WireLimits.MAX_BATCH_BYTES) {
            throw malformed(
                    "from "
                            + WriteBatchBuilder.HEAD_BYTES
                            + " to "
                            + WireLimits.MAX_BATCH_BYTES
                            + " bytes",
                    length);
        }
        if (BigEndian.getLong(buffer, offset) <= 0) {
            throw malformed("a table id > 0", BigEndian.getLong(buffer, offset));
        }
        this.operationCount = BigEndian.getInt(buffer, offset + 12);
        if (operationCount < 0 || operationCount > WireLimits.MAX_OPERATIONS) {
            throw malformed(
                    "from 0 to " + WireLimits.MAX_OPERATIONS + " operations",
                    operationCount & 0xFFFFFFFFL);
        }
        this.position = offset + WriteBatchBuilder.HEAD_BYTES;
    }

    public TableId tableId() {
        return new TableId(BigEndian.getLong(buffer, start));
    }

    public int schemaVersion() {
        return BigEndian.getInt(buffer, start + 8);
    }

    public int operationCount() {
        return operationCount;
    }

    /** The start of the batch in {@link #buffer}. */
    public int offset() {
        return start;
    }

    /** The size of the whole batch in bytes. */
    public int sizeBytes() {
        return limit - start;
    }

    /** Moves back to before the first operation. */
    public void rewind() {
        position = start + WriteBatchBuilder.HEAD_BYTES;
        read = 0;
    }

    /**
     * Moves to the next operation; false after the last one.
     *
     * @throws SteleException INVALID_ARGUMENT, KEY_TOO_LARGE or ROW_TOO_LARGE if the operation is
     *     malformed
     */
    public boolean next() {
        if (read == operationCount) {
            if (position != limit) {
                throw malformed("to end behind its last operation", limit - (long) position);
            }
            return false;
        }
        if (position >= limit) {
            throw malformed(operationCount + " operations", read);
        }
        kind = kindAt(position);
        keyLength = readLength(position + 1);
        keyOffset = position;
        checkRange("key", keyLength, WireLimits.MAX_KEY_BYTES, ErrorCode.KEY_TOO_LARGE);
        rowLength = readLength(position + keyLength);
        rowOffset = position;
        checkRange("row", rowLength, WireLimits.MAX_ROW_BYTES, ErrorCode.ROW_TOO_LARGE);
        if (kind.hasKey() == (keyLength == 0) || (!kind.hasRow() && rowLength > 0)) {
            throw malformed(
                    "key and row lengths that fit " + kind + " (key " + keyLength + ")", rowLength);
        }
        position += rowLength;
        read++;
        return true;
    }

    /** Reads all operations once, so that later reads cannot fail, and rewinds. */
    public void validate() {
        rewind();
        while (next()) {
            // next() is the check
        }
        rewind();
    }

    public OperationKind kind() {
        return kind;
    }

    public byte[] buffer() {
        return buffer;
    }

    public int keyOffset() {
        return keyOffset;
    }

    public int keyLength() {
        return keyLength;
    }

    /** A copy of the key. */
    public byte[] key() {
        return Arrays.copyOfRange(buffer, keyOffset, keyOffset + keyLength);
    }

    public int rowOffset() {
        return rowOffset;
    }

    public int rowLength() {
        return rowLength;
    }

    /** A copy of the row. */
    public byte[] row() {
        return Arrays.copyOfRange(buffer, rowOffset, rowOffset + rowLength);
    }

    private OperationKind kindAt(int offset) {
        try {
            return OperationKind.of(buffer[offset]);
        } catch (IllegalArgumentException e) {
            throw malformed("an operation kind from 1 to 7", buffer[offset]);
        }
    }

    private int readLength(int offset) {
        long read = Varint.get(buffer, offset, limit);
        if (read < 0) {
            throw malformed("a varint length at byte " + (offset - start), limit - (long) offset);
        }
        position = (int) (read >>> 32);
        return (int) read;
    }

    private void checkRange(String what, int length, int max, ErrorCode code) {
        if (length > max) {
            throw new SteleException(
                    code,
                    "Expected a "
                            + what
                            + " of at most "
                            + max
                            + " bytes, found "
                            + length
                            + ", in operation "
                            + read);
        }
        if (length > limit - position) {
            throw malformed("a " + what + " of " + length + " bytes", limit - (long) position);
        }
    }

    private SteleException malformed(String expected, long found) {
        return new SteleException(
                ErrorCode.INVALID_ARGUMENT,
                "Malformed write batch: expected "
                        + expected
                        + ", found "
                        + found
                        + ", in operation "
                        + read
                        + " at byte "
                        + (position - start)
                        + " of "
                        + (limit - start));
    }
}
