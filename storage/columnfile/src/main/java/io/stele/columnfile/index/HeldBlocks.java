package io.stele.columnfile.index;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The decoded blocks of sorted files that one batch of lookups holds itself, because the block
 * cache may refuse or evict them. The held bytes are limited; further blocks are only in the cache.
 * Thread-safe.
 */
public final class HeldBlocks {
    private record Key(String path, long offset) {}

    private final Map<Key, CachedBlock> blocks = new ConcurrentHashMap<>();
    private final AtomicLong leftBytes;

    public HeldBlocks(long maxBytes) {
        if (maxBytes < 0) {
            throw new IllegalArgumentException(
                    "Expected maxBytes of at least 0, found " + maxBytes);
        }
        this.leftBytes = new AtomicLong(maxBytes);
    }

    void add(String path, long offset, CachedBlock block) {
        long bytes = block.retainedBytes();
        if (leftBytes.addAndGet(-bytes) < 0
                || blocks.putIfAbsent(new Key(path, offset), block) != null) {
            leftBytes.addAndGet(bytes);
        }
    }

    Optional<CachedBlock> find(String path, long offset) {
        return Optional.ofNullable(blocks.get(new Key(path, offset)));
    }
}
