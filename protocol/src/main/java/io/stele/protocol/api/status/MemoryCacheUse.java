package io.stele.protocol.api.status;

import static java.util.Objects.requireNonNull;

import java.util.OptionalLong;

/**
 * Counters of an in-memory cache of a sidecar since its process started, and its present size.
 *
 * @param name of the layer, such as {@code row-blocks}
 * @param misses entries that had to be loaded
 * @param hitBytes bytes of the entries found, each time they were
 * @param savedMillis the time that loading the entries found would have taken, by the mean of the
 *     loads; empty: the sidecar cannot measure it
 * @param evictions entries evicted to make room for others
 * @param replaced entries that others replaced
 * @param invalidated entries removed because their source changed or is gone
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
