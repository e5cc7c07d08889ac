package io.stele.cache.page.segment;

/**
 * A free-space bitmap of the units of a cache directory: one bit for each unit, in groups of four.
 * A group is allocated as a whole, or unit by unit. Single units come from groups that are already
 * partly used, if there are such groups. The lowest free place is allocated first, because its disk
 * space was allocated before.
 *
 * <p>Invariant: a unit is in use at most once. Not thread-safe.
 */
final class UnitAllocator {
    /** The bit of the lowest unit of each group of a word. */
    private static final long LOWEST = 0x1111111111111111L;

    private static final long GROUP_BITS = (1L << Places.GROUP) - 1;
    private static final int GROUPS_PER_WORD = Long.SIZE / Places.GROUP;

    private final int capacity;
    private final long[] words;

    /** Words that have a group without used units. */
    private final WordSet wordsWithEmpty;

    /** Words that have a partly used (broken) group. */
    private final WordSet wordsWithBroken;

    private int used;
    private int emptyGroups;

    /** Free units of broken groups. */
    private int spareUnits;

    /** Groups from this unit on are not allocated. */
    private int limit;

    /** Units from this one on were never written. */
    private int written;

    /**
     * @param capacity number of units; a rest of less than a group is not used
     */
    UnitAllocator(int capacity) {
        this.capacity = capacity / Places.GROUP * Places.GROUP;
        this.limit = this.capacity;
        int count = Math.ceilDiv(this.capacity, Long.SIZE);
        this.words = new long[count];
        this.wordsWithEmpty = new WordSet(count);
        this.wordsWithBroken = new WordSet(count);
        this.emptyGroups = this.capacity / Places.GROUP;
        if (this.capacity % Long.SIZE != 0) {
            words[count - 1] = -1L << this.capacity; // units beyond the end are never free
        }
        for (int word = 0; word < count; word++) {
            summarize(word);
        }
    }

    int capacity() {
        return capacity;
    }

    int used() {
        return used;
    }

    /** The number of units, from 0, that may have disk space. */
    int written() {
        return written;
    }

    int spareUnits() {
        return spareUnits;
    }

    /** Whether there is room for these whole groups and single units. */
    boolean fits(int wholes, int singles) {
        int groups = wholes + Math.ceilDiv(Math.max(0, singles - spareUnits), Places.GROUP);
        return groups <= emptyGroups - (capacity - limit) / Places.GROUP;
    }

    /** Allocates a whole group; the caller has checked that it fits. */
    int allocateWhole() {
        int group = firstEmpty();
        change(group, GROUP_BITS);
        return Places.whole(group * Places.GROUP);
    }

    /** Allocates one unit; the caller has checked that it fits. */
    int allocateSingle() {
        int group = spareUnits > 0 ? firstBroken() : firstEmpty();
        long bits = bits(group);
        int unit = Long.numberOfTrailingZeros(~bits);
        change(group, bits | 1L << unit);
        return Places.single(group * Places.GROUP + unit);
    }

    private int firstEmpty() {
        int word = wordsWithEmpty.first();
        return group(word, empty(words[word]));
    }

    private int firstBroken() {
        int word = wordsWithBroken.first();
        return group(word, broken(words[word]));
    }

    private static int group(int word, long lowest) {
        return word * GROUPS_PER_WORD + Long.numberOfTrailingZeros(lowest) / Places.GROUP;
    }

    private static long empty(long word) {
        return ~(word | word >>> 1 | word >>> 2 | word >>> 3) & LOWEST;
    }

    private static long full(long word) {
        return word & word >>> 1 & word >>> 2 & word >>> 3 & LOWEST;
    }

    private static long broken(long word) {
        return ~empty(word) & ~full(word) & LOWEST;
    }

    private long bits(int group) {
        return words[group / GROUPS_PER_WORD] >>> shift(group) & GROUP_BITS;
    }

    private static int shift(int group) {
        return group % GROUPS_PER_WORD * Places.GROUP;
    }

    /** The number of used units in the group of this unit. */
    int usedOfGroup(int unit) {
        return Long.bitCount(bits(unit / Places.GROUP));
    }

    private void change(int group, long bits) {
        int before = Long.bitCount(bits(group));
        int after = Long.bitCount(bits);
        int word = group / GROUPS_PER_WORD;
        words[word] = words[word] & ~(GROUP_BITS << shift(group)) | bits << shift(group);
        used += after - before;
        emptyGroups += (after == 0 ? 1 : 0) - (before == 0 ? 1 : 0);
        spareUnits += spare(after) - spare(before);
        summarize(word);
    }

    private static int spare(int usedOfGroup) {
        return usedOfGroup == 0 ? 0 : Places.GROUP - usedOfGroup;
    }

    private void summarize(int word) {
        wordsWithEmpty.set(word, empty(words[word]) != 0);
        wordsWithBroken.set(word, broken(words[word]) != 0);
    }

    boolean isUsed(int unit) {
        return (words[unit / Long.SIZE] & 1L << unit) != 0;
    }

    /** Allocates a place of a journal's record, which must be free. */
    void take(int place) {
        int group = Places.firstUnit(place) / Places.GROUP;
        change(group, bits(group) | bitsOf(place));
    }

    void release(int place) {
        int group = Places.firstUnit(place) / Places.GROUP;
        change(group, bits(group) & ~bitsOf(place));
    }

    /** The bits of a place in its group. */
    private static long bitsOf(int place) {
        return Places.isWhole(place) ? GROUP_BITS : 1L << Places.firstUnit(place) % Places.GROUP;
    }

    void markWritten(int unit) {
        written = Math.max(written, unit + 1);
    }

    /** Stops the allocation of fresh groups, because the disk is full. */
    void stopGrowth() {
        limit = Math.min(capacity, Math.ceilDiv(written, Places.GROUP) * Places.GROUP);
    }

    void resumeGrowth() {
        limit = capacity;
    }

    /** A set of word numbers, one bit each: 32 KiB for 1 TB. */
    private static final class WordSet {
        private final long[] bits;

        /** All longs before this index are 0. */
        private int from;

        WordSet(int size) {
            bits = new long[Math.ceilDiv(size, Long.SIZE)];
        }

        void set(int word, boolean value) {
            int index = word / Long.SIZE;
            long bit = 1L << word;
            if (value) {
                bits[index] |= bit;
                from = Math.min(from, index);
            } else {
                bits[index] &= ~bit;
            }
        }

        int first() {
            while (from < bits.length && bits[from] == 0) {
                from++;
            }
            if (from == bits.length) {
                throw new IllegalStateException("Expected free units, found none");
            }
            return from * Long.SIZE + Long.numberOfTrailingZeros(bits[from]);
        }
    }
}
