package io.stele.protocol.wire;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The answer to MULTI_GET: {@code schema version 4 | count 4 | entries}, an entry being a varint, 0
 * for an absent key or else the row's length plus one, and the row. Rows answer the keys in order.
 * The sidecar answers a prefix of the keys (at least one) if all rows would not fit a frame; the
 * client requests the rest again.
 *
 * @param schemaVersion the version whose layout the rows have
 */
public record MultiGetReply(int schemaVersion, List<Optional<byte[]>> rows) {
    public MultiGetReply {
        rows = List.copyOf(rows);
    }

    /** Encodes as many rows as fit {@code maxPayloadBytes}, at least one. */
    public byte[] encode(int maxPayloadBytes) {
        return encode(extent(maxPayloadBytes));
    }

    /** At least as many bytes as {@link #encode} makes of it. */
    public int encodedLimitBytes(int maxPayloadBytes) {
        return extent(maxPayloadBytes).sizeBytes();
    }

    private Extent extent(int maxPayloadBytes) {
        long size = 8;
        int count = 0;
        for (Optional<byte[]> row : rows) {
            int next = Varint.MAX_BYTES + row.map(bytes -> bytes.length).orElse(0);
            if (count > 0 && size + next > maxPayloadBytes) {
                break;
            }
            size += next;
            count++;
        }
        return new Extent(count, Math.toIntExact(size));
    }

    private byte[] encode(Extent extent) {
        PayloadWriter writer =
                new PayloadWriter(extent.sizeBytes()).putInt(schemaVersion).putInt(extent.count());
        for (int i = 0; i < extent.count(); i++) {
            byte[] row = rows.get(i).orElse(null);
            if (row == null) {
                writer.putVarint(0);
            } else {
                writer.putVarint(row.length + 1).putBytes(row, 0, row.length);
            }
        }
        return writer.toByteArray();
    }

    /** The number of rows in a reply, and its greatest size in bytes. */
    private record Extent(int count, int sizeBytes) {}

    public static MultiGetReply decode(Frame frame) {
        PayloadReader reader = new PayloadReader(FrameType.MULTI_GET_REPLY, frame);
        int schemaVersion = reader.getInt("schema version");
        int count = reader.getInt("count");
        if (count < 1 || count > WireLimits.MAX_KEYS) {
            throw reader.malformed("from 1 to " + WireLimits.MAX_KEYS + " rows", count);
        }
        List<Optional<byte[]>> rows = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            int length = reader.getVarint("row length");
            rows.add(
                    length == 0
                            ? Optional.empty()
                            : Optional.of(reader.getBytes("row", length - 1)));
        }
        reader.end();
        return new MultiGetReply(schemaVersion, rows);
    }
}
