package io.stele.columnfile.index;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * An array of a file's blocks that are in the block cache, by block number, by which lookups avoid
 * a search in the cache.
 *
 * <p>Invariant: each block here is in the cache, and so within the cache's limit; it is removed
 * when the cache drops it. Thread-safe.
 */
final class BlockSlots {
    private final AtomicReferenceArray<@Nullable CachedBlock> blocks;

    BlockSlots(int count) {
        this.blocks = new AtomicReferenceArray<>(count);
    }

    @Nullable CachedBlock find(int slot) {
        return blocks.get(slot);
    }

    /** Called by the block. */
    void put(int slot, CachedBlock block) {
        blocks.set(slot, block);
    }

    /** Called by the block. */
    void remove(int slot, CachedBlock block) {
        blocks.compareAndSet(slot, block, null);
    }

    long retainedBytes() {
        return 4L * blocks.length() + 32;
    }
}
