package io.stele.engine.wal;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A check of the end of the last log segment in recovery, which distinguishes a write that a crash
 * interrupted from damage. It decides whether the bytes where a group or the segment header should
 * be can only come from a write that was never synced.
 *
 * <p>Confined to one thread.
 */
final class TailInspector {
    /*
     * A group is written after the one before it was synced, so a crash can damage only the last one, and that one was never
     * acknowledged. A disk writes sectors whole or not at all and in any order; a sector that was not written reads as zeros
     * or lies beyond the end of the file. So damage of a crash shows as an end of the file inside the group or as a sector in
     * which the group is all zeros. Everything else is decay of bytes that were once right: refuse.
     *
     * Three guards keep decay from looking like a crash. The encoder flags groups that have nearly empty sectors of their own;
     * in those, zeros prove nothing. Bytes behind a damaged group prove that it was synced. And where the length of the
     * damaged group is unknown, so does a whole group header further on, with its own offset in it and no earlier sequence,
     * or an end mark of a later group at the end of the file.
     */
    private static final int WINDOW_BYTES = 64 << 10;

    private final LogFiles.Reader reader;
    private final long sizeBytes;

    TailInspector(LogFiles.Reader reader, long sizeBytes) {
        this.reader = reader;
        this.sizeBytes = sizeBytes;
    }

    /**
     * Whether a crash can explain a place without a valid header, of which the shortest has {@code
     * minHeaderBytes}.
     */
    boolean tornWithoutHeader(long position, int minHeaderBytes, long sequence) throws IOException {
        if (sizeBytes - position < minHeaderBytes) {
            return true;
        }
        return zeros(position, Math.min(sectorEnd(position), sizeBytes))
                && !laterGroup(position, sequence)
                && !laterEnd(position, sequence);
    }

    /** Whether a crash can explain a whole group with a valid header and a wrong checksum. */
    boolean tornBody(GroupHeader header) throws IOException {
        return !header.weakSector() && zeroSector(header) && zeros(header.end(), sizeBytes);
    }

    private boolean zeroSector(GroupHeader header) throws IOException {
        long position = header.offset();
        while (position < header.end()) {
            long end = Math.min(sectorEnd(position), header.end());
            if (zeros(position, end)) {
                return true;
            }
            position = end;
        }
        return false;
    }

    private static long sectorEnd(long position) {
        return (position / WalFormat.SECTOR_BYTES + 1) * WalFormat.SECTOR_BYTES;
    }

    private boolean zeros(long from, long to) throws IOException {
        for (long start = from; start < to; start += WINDOW_BYTES) {
            ByteBuffer bytes = read(start, Math.min(start + WINDOW_BYTES, to));
            while (bytes.hasRemaining()) {
                if (bytes.get() != 0) {
                    return false;
                }
            }
        }
        return true;
    }

    /** Whether the file ends with the end of a group of a later sequence. */
    private boolean laterEnd(long position, long sequence) throws IOException {
        if (sizeBytes - position < WalFormat.GROUP_END_BYTES) {
            return false;
        }
        ByteBuffer end = read(sizeBytes - WalFormat.GROUP_END_BYTES, sizeBytes);
        return end.getInt(8) == WalFormat.END_MARK && end.getLong(0) > sequence;
    }

    /**
     * Whether a valid header with at least this sequence stands anywhere from {@code position} on.
     */
    private boolean laterGroup(long position, long sequence) throws IOException {
        long start = position;
        while (sizeBytes - start >= WalFormat.GROUP_HEADER_BYTES) {
            long end = Math.min(start + WINDOW_BYTES, sizeBytes);
            ByteBuffer window = read(start, end);
            int last = window.limit() - WalFormat.GROUP_HEADER_BYTES;
            for (int at = 0; at <= last; at++) {
                if (isHeader(window, at, start + at, sequence)) {
                    return true;
                }
            }
            start += last + 1;
        }
        return false;
    }

    private static boolean isHeader(ByteBuffer window, int at, long offset, long sequence) {
        return window.getInt(at) == WalFormat.GROUP_MAGIC
                && GroupHeader.find(window, at)
                        .filter(
                                header ->
                                        header.offset() == offset && header.sequence() >= sequence)
                        .isPresent();
    }

    private ByteBuffer read(long from, long to) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(Math.toIntExact(to - from));
        reader.read(from, bytes);
        return bytes.flip();
    }
}
