package io.stele.engine.wal;

import java.nio.ByteBuffer;

/**
 * A detector of weak sectors in the body of a log group, for the encoder of groups. In a weak
 * sector the group has fewer than two bits set. One flipped bit, or none, then makes it look like a
 * sector that was never written.
 *
 * <p>Confined to one thread.
 */
final class SectorTally {
    private int inSector;
    private int bits;
    private boolean weak;

    /**
     * @param offset where the body starts in the file; the sector that also has the group header is
     *     never weak
     */
    SectorTally(long offset) {
        inSector = (int) (offset % WalFormat.SECTOR_BYTES);
        bits = inSector > 0 ? 2 : 0;
    }

    /** Takes the remaining bytes of {@code buffer}, without moving its position. */
    void add(ByteBuffer buffer) {
        int position = buffer.position();
        int limit = buffer.limit();
        while (position < limit) {
            int count = Math.min(limit - position, WalFormat.SECTOR_BYTES - inSector);
            count(buffer, position, position + count);
            position += count;
            inSector += count;
            if (inSector == WalFormat.SECTOR_BYTES) {
                endSector();
                inSector = 0;
            }
        }
    }

    private void count(ByteBuffer buffer, int from, int to) {
        int position = from;
        while (bits < 2 && to - position >= Long.BYTES) {
            bits += Long.bitCount(buffer.getLong(position));
            position += Long.BYTES;
        }
        while (bits < 2 && position < to) {
            bits += Integer.bitCount(buffer.get(position) & 0xFF);
            position++;
        }
    }

    private void endSector() {
        weak |= bits < 2;
        bits = 0;
    }

    /** Whether any sector so far is weak; the last one counts as finished. */
    boolean weak() {
        return weak || (inSector > 0 && bits < 2);
    }
}
