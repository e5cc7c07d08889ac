package io.stele.engine.recovery;

import static java.util.Objects.requireNonNull;

import io.stele.engine.wal.RecordType;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * The content of one object of the {@link RetainedLog}, with its encoder and decoder: log records
 * of one shard. Numbers are big-endian.
 *
 * <pre>
 * "STELKEPT" 8 | version 4 | table group 4 | shard 4 | whole 1 | records | CRC32C of all before 4
 *   whole:  1 if these are all records of the shard there were, 0 if only those that some tables need
 *   record: LSN 8 | type 1 | length 4 | payload, as in the log
 * </pre>
 *
 * <p>Confined to one thread.
 */
public final class RetainedLogObject {
    static final int VERSION = 1;

    private static final byte[] MAGIC = "STELKEPT".getBytes(StandardCharsets.US_ASCII);
    private static final int HEADER_BYTES = 21;
    private static final int RECORD_HEADER_BYTES = 13;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private long lastLsn;

    /** A record of an object. */
    public record Entry(Lsn lsn, RecordType type, ByteBuffer payload, boolean whole) {
        public Entry {
            requireNonNull(lsn, "lsn is null");
            requireNonNull(type, "type is null");
            requireNonNull(payload, "payload is null");
        }
    }

    /**
     * @param whole whether all records of the shard are added
     */
    RetainedLogObject(ShardId shard, boolean whole) {
        out.writeBytes(
                ByteBuffer.allocate(HEADER_BYTES)
                        .put(MAGIC)
                        .putInt(VERSION)
                        .putInt(shard.tableGroup())
                        .putInt(shard.index())
                        .put((byte) (whole ? 1 : 0))
                        .array());
    }

    void add(Lsn lsn, RecordType type, ByteBuffer payload) {
        byte[] bytes = new byte[payload.remaining()];
        payload.duplicate().get(bytes);
        out.writeBytes(
                ByteBuffer.allocate(RECORD_HEADER_BYTES)
                        .putLong(lsn.value())
                        .put(type.id())
                        .putInt(bytes.length)
                        .array());
        out.writeBytes(bytes);
        lastLsn = lsn.value();
    }

    long sizeBytes() {
        return out.size();
    }

    long lastLsn() {
        return lastLsn;
    }

    byte[] encode() {
        byte[] body = out.toByteArray();
        return ByteBuffer.allocate(body.length + Integer.BYTES)
                .put(body)
                .putInt(checksum(body, body.length))
                .array();
    }

    /**
     * Reads an object of a shard.
     *
     * @param path for messages
     * @throws SteleException CORRUPT_DATA when the bytes are no object of this shard
     */
    public static List<Entry> read(String path, ShardId shard, byte[] object) {
        if (object.length < HEADER_BYTES + Integer.BYTES) {
            throw corrupt("at least 25 bytes", object.length, path, 0);
        }
        int end = object.length - Integer.BYTES;
        ByteBuffer in = ByteBuffer.wrap(object);
        int expected = in.getInt(end);
        int found = checksum(object, end);
        if (expected != found) {
            throw corrupt("checksum %08x".formatted(expected), "%08x".formatted(found), path, end);
        }
        byte[] magic = new byte[MAGIC.length];
        in.get(magic);
        int version = in.getInt();
        ShardId owner = new ShardId(in.getInt(), in.getInt());
        if (!Arrays.equals(magic, MAGIC) || version != VERSION || !owner.equals(shard)) {
            throw corrupt(
                    "kept records of version %d of shard %s".formatted(VERSION, shard),
                    "version %d of shard %s".formatted(version, owner),
                    path,
                    0);
        }
        byte whole = in.get();
        if (whole != 0 && whole != 1) {
            throw corrupt("whole 0 or 1", whole, path, HEADER_BYTES - 1);
        }
        List<Entry> entries = new ArrayList<>();
        while (in.position() < end) {
            int at = in.position();
            if (end - at < RECORD_HEADER_BYTES) {
                throw corrupt("a record header", (end - at) + " bytes", path, at);
            }
            Lsn lsn = new Lsn(in.getLong());
            byte typeId = in.get();
            int length = in.getInt();
            RecordType type =
                    RecordType.find(typeId)
                            .orElseThrow(() -> corrupt("a known record type", typeId, path, at));
            if (length < 0 || length > end - in.position()) {
                throw corrupt("a length up to the end", length, path, at);
            }
            entries.add(new Entry(lsn, type, in.slice(in.position(), length), whole == 1));
            in.position(in.position() + length);
        }
        return entries;
    }

    private static int checksum(byte[] bytes, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, length);
        return (int) crc.getValue();
    }

    private static SteleException corrupt(String expected, Object found, String path, int offset) {
        return new SteleException(
                ErrorCode.CORRUPT_DATA,
                "Expected %s, found %s in %s at offset %d"
                        .formatted(expected, found, path, offset));
    }
}
