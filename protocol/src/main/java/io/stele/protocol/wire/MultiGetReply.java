package io.stele.protocol.wire;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The payload of the reply to MULTI_GET: {@code schema version 4 | count 4 | entries}. An entry is
 * a varint, 0 for an absent key or else the row's length plus one, and the row. Entries are in the
 * order of the keys. If all rows would not fit into a frame, the reply has only a prefix of the
 * keys (at least one), and the client requests the rest again.
 *
 * @param schemaVersion the version of the rows' layout
 */
public record MultiGetReply(int schemaVersion, List<Optional<byte[]>> rows) {
    private static final int HEAD_BYTES = 8; // schema version and count

    public MultiGetReply {
        rows = List.copyOf(rows);
    }

    /** Encodes as many rows as fit into {@code maxPayloadBytes}, at least one. */
    public byte[] encode(int maxPayloadBytes) {
        FramePayload payload = payload(maxPayloadBytes);
        byte[] encoded = new byte[payload.sizeBytes()];
        try {
            payload.writeTo(
                    new FramePayload.Sink() {
                        private int position;

                        @Override
                        public void append(byte[] bytes, int offset, int length) {
                            System.arraycopy(bytes, offset, encoded, position, length);
                            position += length;
                        }
                    });
        } catch (IOException e) {
            throw new UncheckedIOException(e); // arrays do not fail
        }
        return encoded;
    }

    /**
     * A payload with as many rows as fit into {@code maxPayloadBytes}, at least one, without a
     * copy. The rows must not change until they are written.
     */
    public FramePayload payload(int maxPayloadBytes) {
        long size = HEAD_BYTES;
        int count = 0;
        for (Optional<byte[]> row : rows) {
            long next = entryBytes(row);
            if (count > 0 && size + next > maxPayloadBytes) {
                break;
            }
            size += next;
            count++;
        }
        return new Payload(schemaVersion, rows.subList(0, count), Math.toIntExact(size));
    }

    private static long entryBytes(Optional<byte[]> row) {
        return row.map(bytes -> (long) Varint.sizeBytes(bytes.length + 1) + bytes.length)
                .orElse(1L);
    }

    /** An upper bound of the bytes of a reply without the rows, for a number of keys. */
    public static int headLimitBytes(int keyCount) {
        return HEAD_BYTES + keyCount * Varint.MAX_BYTES;
    }

    private record Payload(int schemaVersion, List<Optional<byte[]>> rows, int sizeBytes)
            implements FramePayload {
        @Override
        public void writeTo(Sink sink) throws IOException {
            byte[] numbers = new byte[HEAD_BYTES];
            BigEndian.putInt(numbers, 0, schemaVersion);
            BigEndian.putInt(numbers, 4, rows.size());
            sink.append(numbers, 0, HEAD_BYTES);
            for (Optional<byte[]> present : rows) {
                byte[] row = present.orElse(null);
                int length = row == null ? 0 : row.length + 1;
                sink.append(numbers, 0, Varint.put(numbers, 0, length));
                if (row != null) {
                    sink.append(row, 0, row.length);
                }
            }
        }
    }

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
