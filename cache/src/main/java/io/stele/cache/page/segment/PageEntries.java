package io.stele.cache.page.segment;

import java.util.Arrays;

/**
 * The entry table of a {@link PageIndex} in primitive arrays, 48 bytes for each entry: two longs of
 * key and eight ints. Entries have numbers, are reused, and are allocated in chunks on demand.
 *
 * <p>Not thread-safe.
 */
final class PageEntries {
    /** No entry. */
    static final int NONE = -1;

    private static final int CHUNK_BITS = 12;
    private static final int CHUNK = 1 << CHUNK_BITS;
    private static final int INTS = 8;

    /**
     * The field of the previous entry in the queue; fields 0 to 3 are the places of groups of
     * units.
     */
    static final int PREVIOUS = Places.GROUPS;

    static final int NEXT = PREVIOUS + 1;

    /** The next entry of the same hash bucket; of a free entry, the next free one. */
    static final int CHAIN = NEXT + 1;

    /** Cached units: 16 bits, table: 10 bits, queue: 2 bits. */
    private static final int META = CHAIN + 1;

    static final int MAX_TABLES = 1 << 10;

    private static final int UNITS_BITS = 16;
    private static final int TABLE_BITS = 10;
    private static final int UNITS_MASK = (1 << UNITS_BITS) - 1;

    private long[][] keys = new long[0][];
    private int[][] fields = new int[0][];
    private int firstFree = NONE;
    private int size;

    int size() {
        return size;
    }

    /** The number after the last entry, free or not. */
    int end() {
        return keys.length << CHUNK_BITS;
    }

    int allocate() {
        if (firstFree == NONE) {
            addChunk();
        }
        int entry = firstFree;
        firstFree = field(entry, CHAIN);
        size++;
        return entry;
    }

    void release(int entry) {
        setMeta(entry, 0, 0, QueueKind.NONE);
        setField(entry, CHAIN, firstFree);
        firstFree = entry;
        size--;
    }

    private void addChunk() {
        int chunk = keys.length;
        keys = Arrays.copyOf(keys, chunk + 1);
        fields = Arrays.copyOf(fields, chunk + 1);
        keys[chunk] = new long[CHUNK * 2];
        fields[chunk] = new int[CHUNK * INTS];
        for (int i = CHUNK - 1; i >= 0; i--) {
            int entry = (chunk << CHUNK_BITS) + i;
            setField(entry, CHAIN, firstFree);
            firstFree = entry;
        }
    }

    long high(int entry) {
        return keys[entry >>> CHUNK_BITS][(entry & CHUNK - 1) * 2];
    }

    long low(int entry) {
        return keys[entry >>> CHUNK_BITS][(entry & CHUNK - 1) * 2 + 1];
    }

    void setKey(int entry, long high, long low) {
        long[] chunk = keys[entry >>> CHUNK_BITS];
        chunk[(entry & CHUNK - 1) * 2] = high;
        chunk[(entry & CHUNK - 1) * 2 + 1] = low;
    }

    int field(int entry, int field) {
        return fields[entry >>> CHUNK_BITS][(entry & CHUNK - 1) * INTS + field];
    }

    void setField(int entry, int field, int value) {
        fields[entry >>> CHUNK_BITS][(entry & CHUNK - 1) * INTS + field] = value;
    }

    /** The place of a group of units; {@link Places#NONE}: none of its units is cached. */
    int place(int entry, int group) {
        return field(entry, group);
    }

    void setPlace(int entry, int group, int place) {
        setField(entry, group, place);
    }

    /** The cached units, one bit each. */
    int mask(int entry) {
        return field(entry, META) & UNITS_MASK;
    }

    void setMask(int entry, int mask) {
        setMeta(entry, mask, table(entry), queue(entry));
    }

    int table(int entry) {
        return field(entry, META) >>> UNITS_BITS & MAX_TABLES - 1;
    }

    int queue(int entry) {
        return field(entry, META) >>> UNITS_BITS + TABLE_BITS;
    }

    void setMeta(int entry, int mask, int table, int queue) {
        setField(entry, META, mask | table << UNITS_BITS | queue << UNITS_BITS + TABLE_BITS);
    }

    void setQueue(int entry, int queue) {
        setMeta(entry, mask(entry), table(entry), queue);
    }
}
