package io.stele.objectstore.encryption;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.random.RandomGenerator;
import java.util.zip.CRC32C;

/**
 * The codec of the trailer of an encrypted object, which contains the object's wrapped data key.
 * Numbers are little-endian.
 *
 * <pre>
 * trailer = wrapped key 92 | length of the object before encryption 8 | reserved 12 (0) | version 4
 *           | CRC32C 4 of the 116 bytes before | magic 8 "STELEENC"
 * </pre>
 *
 * <p>The key is wrapped with the 24 bytes from the length to the version and with the object's
 * path, so that an object of another length or from another place fails. The checksum distinguishes
 * damage from a wrong master key.
 */
final class EncryptedTrailer {
    static final int BYTES = 128;
    static final int VERSION = 1;
    static final byte[] MAGIC = "STELEENC".getBytes(UTF_8);

    private static final int RESERVED_BYTES = 12;
    private static final int LENGTH_AT = WrappedKey.BYTES;
    private static final int VERSION_AT = LENGTH_AT + Long.BYTES + RESERVED_BYTES;
    private static final int CHECKSUM_AT = VERSION_AT + Integer.BYTES;
    private static final int MAGIC_AT = CHECKSUM_AT + Integer.BYTES;

    private EncryptedTrailer() {}

    static byte[] encode(
            MasterKeys masterKeys,
            RandomGenerator random,
            DataKey key,
            String path,
            long sizeBytes) {
        ByteBuffer trailer = ByteBuffer.allocate(BYTES).order(ByteOrder.LITTLE_ENDIAN);
        trailer.putLong(LENGTH_AT, sizeBytes).putInt(VERSION_AT, VERSION);
        masterKeys.wrap(key, context(trailer.array(), 0, path), random).encode(trailer);
        trailer.putInt(CHECKSUM_AT, checksum(trailer.array(), 0));
        trailer.put(MAGIC_AT, MAGIC);
        return trailer.array();
    }

    private static byte[] context(byte[] trailer, int offset, String path) {
        byte[] name = path.getBytes(UTF_8);
        return ByteBuffer.allocate(CHECKSUM_AT - LENGTH_AT + name.length)
                .put(trailer, offset + LENGTH_AT, CHECKSUM_AT - LENGTH_AT)
                .put(name)
                .array();
    }

    private static int checksum(byte[] trailer, int offset) {
        CRC32C crc = new CRC32C();
        crc.update(trailer, offset, CHECKSUM_AT);
        return (int) crc.getValue();
    }

    /** Whether the bytes at {@code offset} are the magic of an encrypted object. */
    static boolean isMagic(byte[] bytes, int offset) {
        return offset >= 0
                && offset + MAGIC.length <= bytes.length
                && java.util.Arrays.equals(
                        bytes, offset, offset + MAGIC.length, MAGIC, 0, MAGIC.length);
    }

    /**
     * The data key of an object.
     *
     * @param offset of the trailer in {@code bytes}
     * @param sizeBytes the size that follows from the length of the stored object
     * @param where the object is, for messages
     * @throws SteleException CORRUPT_DATA if it is no trailer, or the trailer of another object, or
     *     there is no master key for it
     */
    static DataKey decode(
            MasterKeys masterKeys,
            byte[] bytes,
            int offset,
            String path,
            long sizeBytes,
            String where) {
        long at = EncryptedLayout.storedBytes(sizeBytes) - BYTES;
        if (!isMagic(bytes, offset + MAGIC_AT)) {
            throw mismatch("the end of an encrypted object", "other bytes", where, at + MAGIC_AT);
        }
        ByteBuffer trailer =
                ByteBuffer.wrap(bytes, offset, BYTES).slice().order(ByteOrder.LITTLE_ENDIAN);
        int found = checksum(bytes, offset);
        if (trailer.getInt(CHECKSUM_AT) != found) {
            throw mismatch(
                    "checksum %08x".formatted(trailer.getInt(CHECKSUM_AT)),
                    "%08x".formatted(found),
                    where,
                    at + CHECKSUM_AT);
        }
        if (trailer.getInt(VERSION_AT) != VERSION) {
            throw mismatch(
                    "version " + VERSION,
                    Integer.toString(trailer.getInt(VERSION_AT)),
                    where,
                    at + VERSION_AT);
        }
        if (trailer.getLong(LENGTH_AT) != sizeBytes) {
            throw mismatch(
                    "an object of %d bytes".formatted(trailer.getLong(LENGTH_AT)),
                    sizeBytes + " by its length",
                    where,
                    at + LENGTH_AT);
        }
        return masterKeys.unwrap(
                WrappedKey.decode(trailer),
                context(bytes, offset, path),
                "%s at offset %d".formatted(where, at));
    }

    static SteleException mismatch(String expected, String found, String where, long offset) {
        return new SteleException(
                ErrorCode.CORRUPT_DATA,
                "Expected %s, found %s in %s at offset %d"
                        .formatted(expected, found, where, offset));
    }
}
