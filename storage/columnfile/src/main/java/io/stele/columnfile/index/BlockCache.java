package io.stele.columnfile.index;

import static java.util.Objects.requireNonNull;

import io.stele.cache.CacheStatistics;
import io.stele.cache.SingleFlightCache;
import io.stele.objectstore.NonBlocking;
import java.io.IOException;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * The node's memory cache of the decoded blocks of SST files and key indexes, by file path and
 * offset; a miss reads the store. Blocks are entry blocks, and parts of the index with their
 * filters. Files never change, so nothing is ever invalidated; blocks of a deleted file are removed
 * with {@link #forget}. Thread-safe.
 */
public final class BlockCache {
    private record Key(String path, long offset) {}

    private final SingleFlightCache<Key, CachedBlock> blocks;
    private final LongSupplier nanoTime;

    /**
     * @param nanoTime the clock that measures the reading and decoding of blocks
     */
    public BlockCache(String name, long maxBytes, LongSupplier nanoTime) {
        this.nanoTime = requireNonNull(nanoTime, "nanoTime is null");
        this.blocks =
                new SingleFlightCache<>(
                        name, maxBytes, CachedBlock::retainedBytes, CachedBlock::drop, nanoTime);
    }

    EntryBlock entries(BlockFileReader file, BlockHandle handle) throws IOException {
        requireNonNull(file, "file is null");
        return (EntryBlock)
                get(
                        new Key(file.path(), handle.offset()),
                        () -> EntryBlock.of(file.path(), handle.offset(), file.readBlock(handle)));
    }

    /**
     * @param offset of the part in the file, at which no entry block begins
     */
    IndexPartition partition(
            String path, long offset, SingleFlightCache.Loader<IndexPartition, IOException> loader)
            throws IOException {
        return (IndexPartition) get(new Key(path, offset), loader);
    }

    // A thread that must not wait does not begin a load either, because other threads would wait
    // for a load that fails.
    private CachedBlock get(
            Key key, SingleFlightCache.Loader<? extends CachedBlock, IOException> loader)
            throws IOException {
        if (NonBlocking.isActive()) {
            Optional<CachedBlock> present = blocks.find(key);
            if (present.isEmpty()) {
                NonBlocking.check();
            }
            return present.orElseThrow();
        }
        return blocks.get(key, loader);
    }

    /** The block at an offset of a file, if it is cached. */
    Optional<CachedBlock> find(String path, long offset) {
        return blocks.find(new Key(path, offset));
    }

    /**
     * Caches a block that was read ahead.
     *
     * @param startNanos {@link #nanoTime} at the start of the read-ahead
     */
    void put(String path, long offset, CachedBlock block, long startNanos) {
        blocks.putMissed(new Key(path, offset), block, nanoTime.getAsLong() - startNanos);
    }

    long nanoTime() {
        return nanoTime.getAsLong();
    }

    /** Counts uses of a block by readers that found it without this cache. */
    void used(String path, long offset, long times) {
        blocks.used(new Key(path, offset), times);
    }

    /** Removes the blocks of a file that was deleted. */
    public void forget(String path) {
        blocks.removeIf(key -> key.path().equals(path));
    }

    public CacheStatistics statistics() {
        return blocks.statistics();
    }
}
