package io.stele.engine.index;

import java.util.Arrays;

/**
 * A set of 64-bit hashes of the column values of a unique index, with open addressing in one array,
 * at most half full. Confined to one thread.
 */
final class HashSetOfLongs {
    private static final long EMPTY = 0;

    private long[] slots = new long[1024];
    private int size;
    private boolean hasZero;

    void add(long hash) {
        if (hash == EMPTY) {
            hasZero = true;
            return;
        }
        int slot = slot(hash);
        if (slots[slot] == EMPTY) {
            slots[slot] = hash;
            size++;
            if (2 * size > slots.length) {
                grow();
            }
        }
    }

    boolean contains(long hash) {
        return hash == EMPTY ? hasZero : slots[slot(hash)] == hash;
    }

    long sizeBytes() {
        return (long) Long.BYTES * slots.length;
    }

    /** The slot of the hash, or the free slot for it. */
    private int slot(long hash) {
        int mask = slots.length - 1;
        int slot = (int) (hash >>> 32) & mask;
        while (slots[slot] != EMPTY && slots[slot] != hash) {
            slot = (slot + 1) & mask;
        }
        return slot;
    }

    private void grow() {
        long[] before = slots;
        slots = new long[Math.multiplyExact(2, before.length)];
        Arrays.stream(before)
                .filter(hash -> hash != EMPTY)
                .forEach(hash -> slots[slot(hash)] = hash);
    }
}
