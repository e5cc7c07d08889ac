package io.stele.engine.wal;

import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * The header of a group of records in a log segment, with its encoding; see {@link WalFormat}.
 *
 * @param lowestSegment the oldest segment that must exist
 * @param offset where the group starts in its segment
 * @param length bytes of the body
 * @param checksum CRC32C of the body
 */
record GroupHeader(
        boolean weakSector,
        long sequence,
        long lowestSegment,
        int offset,
        int length,
        int recordCount,
        int checksum) {
    private static final int CHECKSUM_AT = WalFormat.GROUP_HEADER_BYTES - Integer.BYTES;

    void encode(ByteBuffer target) {
        int start = target.position();
        target.putInt(WalFormat.GROUP_MAGIC)
                .put((byte) WalFormat.VERSION)
                .put(weakSector ? WalFormat.FLAG_WEAK_SECTOR : 0)
                .putShort((short) 0)
                .putLong(sequence)
                .putLong(lowestSegment)
                .putInt(offset)
                .putInt(length)
                .putInt(recordCount)
                .putInt(checksum);
        target.putInt(Checksums.crc32c(target, start, CHECKSUM_AT));
    }

    /** The checksum that the header at {@code at} should have. */
    static int expectedChecksum(ByteBuffer buffer, int at) {
        return Checksums.crc32c(buffer, at, CHECKSUM_AT);
    }

    /** The checksum that the header at {@code at} has. */
    static int foundChecksum(ByteBuffer buffer, int at) {
        return buffer.getInt(at + CHECKSUM_AT);
    }

    /** The header at {@code at}, if its magic, version, flags and checksum are right. */
    static Optional<GroupHeader> find(ByteBuffer buffer, int at) {
        if (buffer.getInt(at) != WalFormat.GROUP_MAGIC
                || buffer.get(at + 4) != WalFormat.VERSION
                || expectedChecksum(buffer, at) != foundChecksum(buffer, at)) {
            return Optional.empty();
        }
        return Optional.of(
                new GroupHeader(
                        (buffer.get(at + 5) & WalFormat.FLAG_WEAK_SECTOR) != 0,
                        buffer.getLong(at + 8),
                        buffer.getLong(at + 16),
                        buffer.getInt(at + 24),
                        buffer.getInt(at + 28),
                        buffer.getInt(at + 32),
                        buffer.getInt(at + 36)));
    }

    /** Offset of the byte behind the group. */
    long end() {
        return (long) offset + WalFormat.GROUP_HEADER_BYTES + length;
    }
}
