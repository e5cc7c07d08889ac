package io.stele.engine.wal;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.nio.ByteBuffer;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The header of a log segment, with its encoding: the log's id, the segment's number, its first
 * group's sequence, and whether a key for encrypted records follows. See {@link WalFormat}.
 */
record SegmentHeader(LogId log, long segment, long firstSequence, boolean encrypted) {
    /** The bytes of a header, with the key if there is one. */
    static ByteBuffer encode(
            LogId log, long segment, long firstSequence, @Nullable SegmentCipher cipher) {
        SegmentHeader header = new SegmentHeader(log, segment, firstSequence, cipher != null);
        ByteBuffer bytes = ByteBuffer.allocate(header.length()).put(header.encode());
        if (cipher != null) {
            byte[] key = cipher.wrappedKey();
            bytes.put(key).putInt(Checksums.crc32c(ByteBuffer.wrap(key), 0, key.length));
        }
        return bytes.flip();
    }

    /** The length of the header, after which the first group begins. */
    int length() {
        return WalFormat.SEGMENT_HEADER_BYTES + (encrypted ? WalFormat.SEGMENT_KEY_BYTES : 0);
    }

    private ByteBuffer encode() {
        ByteBuffer header = ByteBuffer.allocate(WalFormat.SEGMENT_HEADER_BYTES);
        header.putLong(WalFormat.SEGMENT_MAGIC)
                .putInt(encrypted ? WalFormat.ENCRYPTED_VERSION : WalFormat.VERSION)
                .putInt(log.value())
                .putLong(segment)
                .putLong(firstSequence);
        header.putInt(Checksums.crc32c(header, 0, header.position()));
        return header.flip();
    }

    /** The checksum that {@code header} should have. */
    static int expectedChecksum(ByteBuffer header) {
        return Checksums.crc32c(header, 0, WalFormat.SEGMENT_HEADER_BYTES - Integer.BYTES);
    }

    /** The checksum that {@code header} has. */
    static int foundChecksum(ByteBuffer header) {
        return header.getInt(WalFormat.SEGMENT_HEADER_BYTES - Integer.BYTES);
    }

    /** Decodes a header whose checksum is right. */
    static SegmentHeader decode(ByteBuffer header, String file) {
        if (header.getLong(0) != WalFormat.SEGMENT_MAGIC) {
            throw new SteleException(
                    ErrorCode.CORRUPT_DATA,
                    String.format(
                            Locale.ROOT,
                            "Expected magic %016x, found %016x in %s at offset 0",
                            WalFormat.SEGMENT_MAGIC,
                            header.getLong(0),
                            file));
        }
        int version = header.getInt(8);
        if (version != WalFormat.VERSION && version != WalFormat.ENCRYPTED_VERSION) {
            throw new SteleException(
                    ErrorCode.CORRUPT_DATA,
                    String.format(
                            Locale.ROOT,
                            "Expected log version %d or %d, found %d in %s at offset 8",
                            WalFormat.VERSION,
                            WalFormat.ENCRYPTED_VERSION,
                            version,
                            file));
        }
        return new SegmentHeader(
                new LogId(header.getInt(12)),
                header.getLong(16),
                header.getLong(24),
                version == WalFormat.ENCRYPTED_VERSION);
    }
}
