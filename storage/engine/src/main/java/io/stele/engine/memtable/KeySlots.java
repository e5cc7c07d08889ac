package io.stele.engine.memtable;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.schema.XxHash64;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A hash table from keys to the indexes of their newest versions in a {@link VersionStore}, with
 * open addressing, at most half full. Each slot has the hash and the index.
 *
 * <p>One writer; readers on any thread, without locks. A reader finds the version that was newest
 * when it began, or a newer version.
 */
final class KeySlots {
    private static final VarHandle SLOTS = MethodHandles.arrayElementVarHandle(long[].class);
    private static final int INITIAL_SLOTS = 64;

    private final VersionStore versions;
    private volatile long[] slots = new long[INITIAL_SLOTS]; // hash, index + 1; 0: free
    private int keyCount;

    KeySlots(VersionStore versions) {
        this.versions = requireNonNull(versions, "versions is null");
    }

    /** The number of keys; for the writer only. */
    int keyCount() {
        return keyCount;
    }

    static int hash(byte[] key, int offset, int length) {
        long hash = XxHash64.hash(key, offset, length);
        return (int) (hash ^ (hash >>> Integer.SIZE));
    }

    /** The index of the newest version of a key, or {@link VersionStore#NONE}. */
    int find(int hash, byte[] key, int offset, int length) {
        long[] present = slots;
        int mask = present.length - 1;
        for (int at = start(hash, present.length); ; at = (at + 1) & mask) {
            long slot = (long) SLOTS.getAcquire(present, at);
            if (slot == 0) {
                return VersionStore.NONE;
            }
            if (hash(slot) == hash && versions.hasKey(index(slot), key, offset, length)) {
                return index(slot);
            }
        }
    }

    /**
     * Makes a version the newest of its key.
     *
     * @param before the result of {@link #find} for the key
     */
    void put(int hash, int index, int before) {
        if (before == VersionStore.NONE) {
            if (2 * (keyCount + 1) > slots.length) {
                grow();
            }
            keyCount++;
        }
        long[] present = slots;
        int at = start(hash, present.length);
        while (present[at] != 0 && index(present[at]) != before) {
            at = (at + 1) & (present.length - 1);
        }
        SLOTS.setRelease(present, at, slot(hash, index));
    }

    private void grow() {
        long[] before = slots;
        long[] grown = new long[before.length * 2];
        for (long slot : before) {
            if (slot != 0) {
                int at = start(hash(slot), grown.length);
                while (grown[at] != 0) {
                    at = (at + 1) & (grown.length - 1);
                }
                grown[at] = slot;
            }
        }
        slots = grown;
    }

    // Shards and hash buckets are selected by bits of the key's hash; the product mixes all bits
    // into the top bits.
    private static int start(int hash, int slotCount) {
        return (hash * 0x9E3779B9) >>> (1 + Integer.numberOfLeadingZeros(slotCount));
    }

    private static long slot(int hash, int index) {
        return ((long) hash << Integer.SIZE) | (index + 1L);
    }

    private static int hash(long slot) {
        return (int) (slot >>> Integer.SIZE);
    }

    private static int index(long slot) {
        return (int) slot - 1;
    }
}
