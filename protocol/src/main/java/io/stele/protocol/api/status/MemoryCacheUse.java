package io.stele.protocol.api.status;

import static java.util.Objects.requireNonNull;

import java.util.OptionalLong;

/**
 * The counters of one in-memory cache of a sidecar since the start of its process, and its present
 * size.
 *
 * @param name of the layer, such as {@code row-blocks}
 * @param misses entries that had to be loaded
 * @param hitBytes bytes of the entries found, added at each hit
 * @param savedMillis hits times the mean load time; empty if the sidecar cannot measure it
 * @param evictions entries evicted to make room for others
 * @param replaced entries replaced by others of the same keys
 * @param invalidated entries removed because their source was changed or deleted
 * @param maxBytes the limit of {@code bytes}
 */
public record MemoryCacheUse(
        String name,
        long hits,
        long misses,
        long hitBytes,
        OptionalLong savedMillis,
        long evictions,
        long replaced,
        long invalidated,
        long entries,
        long bytes,
        long maxBytes) {
    public MemoryCacheUse {
        requireNonNull(name, "name is null");
        requireNonNull(savedMillis, "savedMillis is null");
    }
}
