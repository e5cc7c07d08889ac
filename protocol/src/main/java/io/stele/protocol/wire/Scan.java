package io.stele.protocol.wire;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.Lsn;
import io.stele.protocol.TableId;
import java.util.Optional;

/**
 * The payload of a SCAN frame, a request for a page of the rows of one shard in or against the
 * order of their keys:
 *
 * <pre>
 * table id 8 | schema version 4 | shard 4 | flags 1 | flag 1: read lsn 8
 *     | lower: varint length, bytes | flag 2: upper: varint length, bytes | max rows 4 | max bytes 4
 * </pre>
 *
 * <p>Bounds are prefixes of encoded primary keys, compared as unsigned bytes; the lower bound is
 * inclusive, the upper bound exclusive. The request for the next page has {@link ScanReply#next} as
 * the lower bound, or as the upper bound if keys descend. Without a read LSN, the newest rows are
 * read. Flag 4: keys descend.
 *
 * @param shard index of the shard in its table group
 * @param upper bound; empty: up to the last key
 * @param isDescending whether the page begins with the greatest key of the range
 * @param maxRows 1 to {@link WireLimits#MAX_SCANNED_ROWS}
 * @param maxBytes the most bytes of the rows, at least 1; the first row may have more
 */
public record Scan(
        TableId tableId,
        int schemaVersion,
        int shard,
        Optional<Lsn> readLsn,
        byte[] lower,
        Optional<byte[]> upper,
        boolean isDescending,
        int maxRows,
        int maxBytes) {
    private static final int READ_LSN = 1;
    private static final int UPPER = 2;
    private static final int DESCENDING = 4;
    private static final int ALL = 7;

    public Scan {
        requireNonNull(tableId, "tableId is null");
        requireNonNull(readLsn, "readLsn is null");
        requireNonNull(lower, "lower is null");
        requireNonNull(upper, "upper is null");
        if (shard < 0) {
            throw new IllegalArgumentException("Expected a shard >= 0, found " + shard);
        }
        checkBound("lower", lower);
        upper.ifPresent(bound -> checkBound("upper", bound));
        if (maxRows < 1 || maxRows > WireLimits.MAX_SCANNED_ROWS) {
            throw new IllegalArgumentException(
                    "Expected from 1 to %s rows, found %s"
                            .formatted(WireLimits.MAX_SCANNED_ROWS, maxRows));
        }
        if (maxBytes < 1) {
            throw new IllegalArgumentException("Expected max bytes > 0, found " + maxBytes);
        }
    }

    private static void checkBound(String which, byte[] bound) {
        if (bound.length > WireLimits.MAX_BOUND_BYTES) {
            throw new IllegalArgumentException(
                    "Expected a %s bound of at most %s bytes, found %s"
                            .formatted(which, WireLimits.MAX_BOUND_BYTES, bound.length));
        }
    }

    public byte[] encode() {
        PayloadWriter writer =
                new PayloadWriter(48 + lower.length + upper.map(bound -> bound.length).orElse(0))
                        .putLong(tableId.value())
                        .putInt(schemaVersion)
                        .putInt(shard)
                        .putByte(
                                (readLsn.isPresent() ? READ_LSN : 0)
                                        | (upper.isPresent() ? UPPER : 0)
                                        | (isDescending ? DESCENDING : 0));
        readLsn.ifPresent(lsn -> writer.putLong(lsn.value()));
        writer.putSizedBytes(lower);
        upper.ifPresent(writer::putSizedBytes);
        return writer.putInt(maxRows).putInt(maxBytes).toByteArray();
    }

    /**
     * Decodes a request.
     *
     * @throws io.stele.protocol.SteleException INVALID_ARGUMENT if the frame is malformed, or a
     *     number exceeds its limit
     */
    public static Scan decode(Frame frame) {
        PayloadReader reader = new PayloadReader(FrameType.SCAN, frame);
        TableId tableId = reader.getTableId();
        int schemaVersion = reader.getInt("schema version");
        int shard = reader.getInt("shard");
        int flags = reader.getFlags("flags", ALL);
        Optional<Lsn> readLsn =
                (flags & READ_LSN) != 0 ? Optional.of(reader.getLsn("read lsn")) : Optional.empty();
        byte[] lower = reader.getSizedBytes("lower bound");
        Optional<byte[]> upper =
                (flags & UPPER) != 0
                        ? Optional.of(reader.getSizedBytes("upper bound"))
                        : Optional.empty();
        int maxRows = reader.getInt("max rows");
        int maxBytes = reader.getInt("max bytes");
        reader.end();
        try {
            return new Scan(
                    tableId,
                    schemaVersion,
                    shard,
                    readLsn,
                    lower,
                    upper,
                    (flags & DESCENDING) != 0,
                    maxRows,
                    maxBytes);
        } catch (IllegalArgumentException wrong) {
            throw reader.malformed(wrong);
        }
    }
}
