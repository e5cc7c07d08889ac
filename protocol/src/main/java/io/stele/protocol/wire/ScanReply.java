package io.stele.protocol.wire;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.Lsn;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The payload of the reply to SCAN: {@code schema version 4 | lsn 8 | count 4 | rows | has next 1 |
 * next}. A row is a varint length and its bytes, and so is the bound, if there is one. Rows are in
 * the order that was asked for. A page may have fewer rows than the request allows, but has at
 * least one row unless the range is empty.
 *
 * @param schemaVersion the version of the rows' layout
 * @param lsn as of which the rows were read
 * @param next the lower bound of the next page, or the upper one if keys descend; empty if there is
 *     no further row
 */
public record ScanReply(int schemaVersion, Lsn lsn, List<byte[]> rows, Optional<byte[]> next) {
    private static final int HEAD_BYTES = 16; // schema version, lsn and count

    public ScanReply {
        requireNonNull(lsn, "lsn is null");
        rows = List.copyOf(rows);
        requireNonNull(next, "next is null");
    }

    /**
     * A payload without a copy: rows are written one by one, and must not change until they are
     * written.
     */
    public FramePayload payload() {
        long size = HEAD_BYTES + 1L;
        for (byte[] row : rows) {
            size += Varint.sizeBytes(row.length) + row.length;
        }
        if (next.isPresent()) {
            int length = next.get().length;
            size += Varint.sizeBytes(length) + length;
        }
        return new Payload(this, Math.toIntExact(size));
    }

    private record Payload(ScanReply reply, int sizeBytes) implements FramePayload {
        @Override
        public void writeTo(Sink sink) throws IOException {
            byte[] numbers = new byte[HEAD_BYTES];
            BigEndian.putInt(numbers, 0, reply.schemaVersion);
            BigEndian.putLong(numbers, 4, reply.lsn.value());
            BigEndian.putInt(numbers, 12, reply.rows.size());
            sink.append(numbers, 0, HEAD_BYTES);
            for (byte[] row : reply.rows) {
                sink.append(numbers, 0, Varint.put(numbers, 0, row.length));
                sink.append(row, 0, row.length);
            }
            numbers[0] = (byte) (reply.next.isPresent() ? 1 : 0);
            sink.append(numbers, 0, 1);
            if (reply.next.isPresent()) {
                byte[] key = reply.next.get();
                sink.append(numbers, 0, Varint.put(numbers, 0, key.length));
                sink.append(key, 0, key.length);
            }
        }
    }

    /**
     * Decodes a reply.
     *
     * @throws io.stele.protocol.SteleException INVALID_ARGUMENT if the frame is malformed
     */
    public static ScanReply decode(Frame frame) {
        PayloadReader reader = new PayloadReader(FrameType.SCAN_REPLY, frame);
        int schemaVersion = reader.getInt("schema version");
        Lsn lsn = reader.getLsn("lsn");
        int count = reader.getInt("count");
        if (count < 0 || count > WireLimits.MAX_SCANNED_ROWS) {
            throw reader.malformed("from 0 to " + WireLimits.MAX_SCANNED_ROWS + " rows", count);
        }
        List<byte[]> rows = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            rows.add(reader.getSizedBytes("row"));
        }
        Optional<byte[]> next =
                reader.getFlags("has next", 1) != 0
                        ? Optional.of(reader.getSizedBytes("next key"))
                        : Optional.empty();
        reader.end();
        return new ScanReply(schemaVersion, lsn, rows, next);
    }
}
