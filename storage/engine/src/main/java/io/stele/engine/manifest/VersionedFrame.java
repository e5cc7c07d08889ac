package io.stele.engine.manifest;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.UUID;
import java.util.zip.CRC32C;

/**
 * The binary containers of versioned objects in the warehouse, with header and checksum, for
 * catalogs, manifests, writers and named logs. Numbers are little-endian.
 *
 * <pre>
 * magic 8 | format version 4 | object version 8 | writer id 16 | body length 4 | body | CRC32C 4 of all before
 * </pre>
 *
 * The object version equals the version in the object's name, so that a copy under another name is
 * noticed. The writer id (a UUID, most significant half first) makes the contents of competing
 * writers of a version different.
 *
 * <p>Older format versions can be read too: bodies are JSON, where fields of later versions have
 * defaults.
 */
enum VersionedFrame {
    CATALOG("STELECAT", 8, "catalog"),
    MANIFEST("STELEMAN", 9, "manifest"),
    WRITERS("STELEWRI", 1, "list of writers"),
    NAMED_LOG("STELELGN", 1, "named log");

    static final int HEADER_LENGTH = 40;

    private static final int OVERHEAD = HEADER_LENGTH + 4;

    private final byte[] magic;
    private final int formatVersion;
    private final String description;

    VersionedFrame(String magic, int formatVersion, String description) {
        this.magic = magic.getBytes(StandardCharsets.US_ASCII);
        this.formatVersion = formatVersion;
        this.description = description;
    }

    /** The newest format version. */
    int formatVersion() {
        return formatVersion;
    }

    byte[] encode(long version, UUID writerId, byte[] body) {
        return encode(formatVersion, version, writerId, body);
    }

    /**
     * As the other overload, in an older format version, which older releases can read.
     *
     * @param format version of the format
     */
    byte[] encode(int format, long version, UUID writerId, byte[] body) {
        if (format < 1 || format > formatVersion) {
            throw new IllegalArgumentException(
                    "Expected a format version of 1 to %d, found %d"
                            .formatted(formatVersion, format));
        }
        ByteBuffer buffer =
                ByteBuffer.allocate(Math.addExact(OVERHEAD, body.length))
                        .order(ByteOrder.LITTLE_ENDIAN);
        buffer.put(magic)
                .putInt(format)
                .putLong(version)
                .putLong(writerId.getMostSignificantBits())
                .putLong(writerId.getLeastSignificantBits())
                .putInt(body.length)
                .put(body);
        buffer.putInt(checksum(buffer.array(), buffer.position()));
        return buffer.array();
    }

    /**
     * Checks a container and returns its body; CORRUPT_DATA unless it is of this kind and version.
     * {@code path} is for messages.
     */
    byte[] decode(String path, long version, byte[] content) {
        check(
                content.length >= OVERHEAD,
                path,
                0,
                description + " of at least",
                OVERHEAD + " bytes",
                content.length);
        ByteBuffer buffer = ByteBuffer.wrap(content).order(ByteOrder.LITTLE_ENDIAN);
        byte[] foundMagic = Arrays.copyOf(content, 8);
        HexFormat hex = HexFormat.of();
        check(
                Arrays.equals(magic, foundMagic),
                path,
                0,
                "magic of a " + description,
                hex.formatHex(magic),
                hex.formatHex(foundMagic));
        int expected = checksum(content, content.length - 4);
        int found = buffer.getInt(content.length - 4);
        if (expected != found) {
            throw new SteleException(
                    ErrorCode.CORRUPT_DATA,
                    "Expected checksum %08x, found %08x in %s at offset %d"
                            .formatted(found, expected, path, 0));
        }
        int foundFormat = buffer.getInt(8);
        if (foundFormat > formatVersion) {
            throw new SteleException(
                    ErrorCode.CORRUPT_DATA,
                    "Expected %s format version 1 to %d, found %d in %s at offset 8"
                            .formatted(description, formatVersion, foundFormat, path),
                    new NewerFormatException());
        }
        check(
                foundFormat >= 1,
                path,
                8,
                description + " format version",
                "1 to " + formatVersion,
                foundFormat);
        long foundVersion = buffer.getLong(12);
        check(foundVersion == version, path, 12, description + " version", version, foundVersion);
        int bodyLength = buffer.getInt(36);
        check(
                bodyLength == content.length - OVERHEAD,
                path,
                36,
                "body length",
                content.length - OVERHEAD,
                bodyLength);
        return Arrays.copyOfRange(content, HEADER_LENGTH, HEADER_LENGTH + bodyLength);
    }

    private static int checksum(byte[] bytes, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, length);
        return (int) crc.getValue();
    }

    private static void check(
            boolean condition,
            String path,
            int offset,
            String what,
            Object expected,
            Object found) {
        if (!condition) {
            throw new SteleException(
                    ErrorCode.CORRUPT_DATA,
                    "Expected %s %s, found %s in %s at offset %d"
                            .formatted(what, expected, found, path, offset));
        }
    }
}
