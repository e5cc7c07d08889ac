package io.stele.columnfile.index;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import org.jspecify.annotations.Nullable;

/**
 * A block of the block cache: decoded, verified, immutable. While it is cached, {@link BlockSlots}
 * may refer to it, through which lookups find it without access to the cache. Thread-safe.
 */
abstract sealed class CachedBlock permits EntryBlock, IndexPartition {
    @GuardedBy("this")
    private @Nullable BlockSlots slots;

    @GuardedBy("this")
    private int slot;

    // Whether the cache has evicted this block
    @GuardedBy("this")
    private boolean dropped;

    /** The approximate memory that it retains, in bytes. */
    abstract long retainedBytes();

    /**
     * Moves this block from its slot, if it has one, to a new slot, unless the cache dropped it.
     */
    final synchronized void enter(BlockSlots newSlots, int newSlot) {
        if (!dropped) {
            leave();
            slots = newSlots;
            slot = newSlot;
            newSlots.put(newSlot, this);
        }
    }

    /** Called when the cache has evicted this block. */
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
