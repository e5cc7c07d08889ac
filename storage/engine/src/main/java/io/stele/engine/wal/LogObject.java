package io.stele.engine.wal;

import io.stele.protocol.SteleException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Locale;

/**
 * An object of a log in an object store, with its codec: a segment of one group, or a fence, with
 * its writer's epoch. All numbers are big-endian; the body is a segment as in {@link WalFormat}.
 *
 * <pre>
 * object = magic 8 "STELELGO" | version 4 | kind 4 (0 group, 1 fence) | id 8 | epoch 8 | body length 4 | CRC32C of the body 4
 *          | CRC32C 4 of the 40 bytes before | body
 * </pre>
 *
 * <p>A fence has a group without records, which is never encrypted. Invariant: no two objects of
 * one id have the same bytes, unless the same engine wrote them.
 *
 * @param body not to be changed
 */
record LogObject(boolean fence, long id, long epoch, byte[] body) {
    static final int VERSION = 1;
    static final int HEADER_BYTES = 44;

    private static final long MAGIC = 0x5354454C454C474FL; // STELELGO
    private static final int CHECKSUM_AT = HEADER_BYTES - Integer.BYTES;

    /** The fence of an owner that takes the log over after {@code sequence} - 1 groups. */
    static LogObject fence(LogId log, long id, long epoch, long sequence, long lowestSegment) {
        List<ByteBuffer> group =
                GroupEncoder.encode(
                        List.of(), sequence, lowestSegment, WalFormat.SEGMENT_HEADER_BYTES, null);
        int length = WalFormat.SEGMENT_HEADER_BYTES;
        for (ByteBuffer buffer : group) {
            length += buffer.remaining();
        }
        ByteBuffer body = ByteBuffer.allocate(length);
        body.put(SegmentHeader.encode(log, id, sequence, null));
        group.forEach(body::put);
        return new LogObject(true, id, epoch, body.array());
    }

    byte[] encode() {
        ByteBuffer object = ByteBuffer.allocate(HEADER_BYTES + body.length);
        object.putLong(MAGIC)
                .putInt(VERSION)
                .putInt(fence ? 1 : 0)
                .putLong(id)
                .putLong(epoch)
                .putInt(body.length)
                .putInt(Checksums.crc32c(ByteBuffer.wrap(body), 0, body.length));
        object.putInt(Checksums.crc32c(object, 0, CHECKSUM_AT)).put(body);
        return object.array();
    }

    /**
     * @throws SteleException CORRUPT_DATA when the bytes are anything but the object of this id
     */
    static LogObject decode(byte[] bytes, long id, String where) {
        if (bytes.length < HEADER_BYTES) {
            throw WalFormat.corrupt(
                    "at least " + HEADER_BYTES + " bytes",
                    Integer.toString(bytes.length),
                    where,
                    0);
        }
        ByteBuffer object = ByteBuffer.wrap(bytes);
        check("magic", MAGIC, object.getLong(0), where, 0);
        check("version", VERSION, object.getInt(8), where, 8);
        check(
                "header checksum",
                Checksums.crc32c(object, 0, CHECKSUM_AT),
                object.getInt(CHECKSUM_AT),
                where,
                CHECKSUM_AT);
        check("id", id, object.getLong(16), where, 16);
        check("body length", (long) bytes.length - HEADER_BYTES, object.getInt(32), where, 32);
        byte[] body = new byte[bytes.length - HEADER_BYTES];
        object.get(HEADER_BYTES, body);
        check(
                "body checksum",
                Checksums.crc32c(ByteBuffer.wrap(body), 0, body.length),
                object.getInt(36),
                where,
                36);
        return new LogObject(object.getInt(12) == 1, id, object.getLong(24), body);
    }

    private static void check(String what, long expected, long found, String where, int offset) {
        if (expected != found) {
            throw WalFormat.corrupt(
                    String.format(Locale.ROOT, "%s %x", what, expected),
                    String.format(Locale.ROOT, "%x", found),
                    where,
                    offset);
        }
    }

    /** The header of its group. */
    GroupHeader group(String where) {
        ByteBuffer segment = ByteBuffer.wrap(body);
        int position = SegmentHeader.decode(segment, where).length();
        return GroupHeader.find(segment, position)
                .orElseThrow(
                        () ->
                                WalFormat.corrupt(
                                        "a group header",
                                        "other bytes",
                                        where,
                                        HEADER_BYTES + position));
    }
}
