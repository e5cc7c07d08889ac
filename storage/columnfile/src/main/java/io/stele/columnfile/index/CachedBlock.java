package io.stele.columnfile.index;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import org.jspecify.annotations.Nullable;

/**
 * A block of the block cache: decoded, verified, immutable. While it is cached, it may have a place
 * among {@link BlockSlots}, where it is found without access to the cache. Thread-safe.
 */
abstract sealed class CachedBlock permits EntryBlock, IndexPartition {
    @GuardedBy("this")
    private @Nullable BlockSlots slots;

    @GuardedBy("this")
    private int slot;

    // Whether the cache has evicted it
    @GuardedBy("this")
    private boolean dropped;

    /** About the bytes that it retains in memory. */
    abstract long retainedBytes();

    /** Takes this place, and leaves the one before, unless the cache dropped it. */
    final synchronized void enter(BlockSlots newSlots, int newSlot) {
        if (!dropped) {
            leave();
            slots = newSlots;
            slot = newSlot;
            newSlots.put(newSlot, this);
        }
    }

    /** The cache has it no more. */
    final synchronized void drop() {
        dropped = true;
        leave();
    }

    @GuardedBy("this")
    private void leave() {
        BlockSlots left = slots;
        if (left != null) {
            left.remove(slot, this);
            slots = null;
        }
    }
}
