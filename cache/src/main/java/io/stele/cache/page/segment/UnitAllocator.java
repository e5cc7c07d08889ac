package io.stele.cache.page.segment;

import java.util.Locale;

/**
 * Which units of a directory are in use: one bit each. Units that were written before are given out
 * before fresh ones, because their space on disk is there already.
 *
 * <p>Invariant: used <= limit <= capacity. Not thread-safe.
 */
final class UnitAllocator {
    private final int capacity;
    private final long[] words;
    private int used;
    private int limit;

    /** Units below were written at least once. */
    private int written;

    private int cursor;

    UnitAllocator(int capacity) {
        this.capacity = capacity;
        this.limit = capacity;
        this.words = new long[Math.ceilDiv(capacity, Long.SIZE)];
    }

    int capacity() {
        return capacity;
    }

    int used() {
        return used;
    }

    /** Units below this number may lie on disk. */
    int written() {
        return written;
    }

    int available() {
        return limit - used;
    }

    /** Fills {@code units}; the caller has seen that so many are available. */
    void allocate(int[] units) {
        if (units.length > available()) {
            throw new IllegalStateException(
                    String.format(
                            Locale.ROOT,
                            "Expected %d units to be free, found %d",
                            units.length,
                            available()));
        }
        for (int i = 0; i < units.length; i++) {
            units[i] = nextFree();
            set(units[i]);
        }
    }

    private int nextFree() {
        int end = used < written ? written : limit;
        int unit = nextClear(cursor, end);
        if (unit < 0) {
            unit = nextClear(0, end);
        }
        if (unit < 0) {
            unit = nextClear(0, limit); // what was written is in use up to the end
        }
        cursor = unit + 1;
        return unit;
    }

    private int nextClear(int from, int end) {
        int index = from / Long.SIZE;
        if (from >= end) {
            return -1;
        }
        long free = ~words[index] & -1L << from;
        while (free == 0) {
            index++;
            if (index * Long.SIZE >= end) {
                return -1;
            }
            free = ~words[index];
        }
        int unit = index * Long.SIZE + Long.numberOfTrailingZeros(free);
        return unit < end ? unit : -1;
    }

    boolean isUsed(int unit) {
        return (words[unit / Long.SIZE] & 1L << unit) != 0;
    }

    /** Takes a unit that a journal says is in use. */
    void take(int unit) {
        set(unit);
        markWritten(unit);
    }

    private void set(int unit) {
        words[unit / Long.SIZE] |= 1L << unit;
        used++;
    }

    void release(int unit) {
        words[unit / Long.SIZE] &= ~(1L << unit);
        used--;
        cursor = Math.min(cursor, unit);
    }

    void markWritten(int unit) {
        written = Math.max(written, unit + 1);
    }

    /** No fresh units any more: the disk is full. */
    void stopGrowth() {
        limit = Math.max(used, written);
    }

    void resumeGrowth() {
        limit = capacity;
    }
}
