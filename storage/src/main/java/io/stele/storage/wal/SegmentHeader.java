package io.stele.storage.wal;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.nio.ByteBuffer;
import java.util.Locale;

/**
 * The header of a segment: its number and the sequence of its first group. See {@link WalFormat}.
 */
record SegmentHeader(long segment, long firstSequence) {
    ByteBuffer encode() {
        ByteBuffer header = ByteBuffer.allocate(WalFormat.SEGMENT_HEADER_BYTES);
        header.putLong(WalFormat.SEGMENT_MAGIC)
                .putInt(WalFormat.VERSION)
                .putInt(0)
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
        if (header.getInt(8) != WalFormat.VERSION) {
            throw new SteleException(
                    ErrorCode.CORRUPT_DATA,
                    String.format(
                            Locale.ROOT,
                            "Expected log version %d, found %d in %s at offset 8",
                            WalFormat.VERSION,
                            header.getInt(8),
                            file));
        }
        return new SegmentHeader(header.getLong(16), header.getLong(24));
    }
}
