package io.stele.columnfile.index;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Blocks of a file that are in the block cache, by their number: a way to them that costs no
 * search.
 *
 * <p>Invariant: what is here is in the cache, so that the cache's limit holds for it: a block
 * leaves when the cache drops it. Thread-safe.
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
