package io.stele.engine.shard.record;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.wire.WireLimits;
import io.stele.protocol.wire.WriteBatchReader;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.UUID;

/**
 * The codec of a WRITE log record, which contains one batch of plain operations and its writer's
 * identity:
 *
 * <pre>
 * writer id 16 | sequence 8 | first row id 8 (below 0: none, and -1 less the skipped operations) | write batch
 * </pre>
 *
 * <p>The batch is as it was sent, or the plain batch that a batch with conditional operations
 * resolved to.
 *
 * @param firstRowId row id of the first appended row; the following ones count up
 * @param skipped operations that had no effect and are not in the batch
 */
public record WriteRecord(
        UUID writerId, long sequence, long firstRowId, int skipped, WriteBatchReader batch) {
    /** Bytes before the batch. */
    public static final int HEAD_BYTES = 32;

    /** No row of the batch needs a row id. */
    public static final long NO_ROW_ID = -1;

    public WriteRecord {
        requireNonNull(writerId, "writerId is null");
        requireNonNull(batch, "batch is null");
    }

    /** The head and the batch, uncopied. */
    public static List<ByteBuffer> encode(
            UUID writerId,
            long sequence,
            long firstRowId,
            int skipped,
            byte[] batch,
            int offset,
            int length) {
        ByteBuffer head = ByteBuffer.allocate(HEAD_BYTES);
        head.putLong(writerId.getMostSignificantBits());
        head.putLong(writerId.getLeastSignificantBits());
        head.putLong(sequence);
        head.putLong(firstRowId == NO_ROW_ID ? NO_ROW_ID - skipped : firstRowId);
        return List.of(head.flip(), ByteBuffer.wrap(batch, offset, length));
    }

    /**
     * Reads a payload; the batch stays in the buffer's array and has been walked over once.
     *
     * @throws SteleException CORRUPT_DATA: these bytes are no WRITE record
     */
    public static WriteRecord decode(ByteBuffer payload) {
        if (payload.remaining() < HEAD_BYTES) {
            throw corrupt("at least " + HEAD_BYTES + " bytes", payload.remaining());
        }
        ByteBuffer in = payload.duplicate();
        UUID writerId = new UUID(in.getLong(), in.getLong());
        long sequence = in.getLong();
        long rowIdOrSkipped = in.getLong();
        if (rowIdOrSkipped < NO_ROW_ID - WireLimits.MAX_OPERATIONS) {
            throw corrupt(
                    "a first row id >= " + (NO_ROW_ID - WireLimits.MAX_OPERATIONS), rowIdOrSkipped);
        }
        long firstRowId = Math.max(rowIdOrSkipped, NO_ROW_ID);
        int skipped = (int) (firstRowId - rowIdOrSkipped);
        try {
            WriteBatchReader batch =
                    new WriteBatchReader(
                            in.array(), in.arrayOffset() + in.position(), in.remaining());
            batch.validate();
            return new WriteRecord(writerId, sequence, firstRowId, skipped, batch);
        } catch (SteleException malformed) {
            throw new SteleException(
                    ErrorCode.CORRUPT_DATA,
                    "Damaged WRITE record: " + malformed.getMessage(),
                    malformed);
        }
    }

    private static SteleException corrupt(String expected, long found) {
        return new SteleException(
                ErrorCode.CORRUPT_DATA,
                "Damaged WRITE record: expected " + expected + ", found " + found);
    }
}
