package io.stele.protocol.api;

import static java.util.Objects.requireNonNull;

import java.util.OptionalLong;

/**
 * What a cache in a sidecar's memory did since its process started, and holds.
 *
 * @param name of the layer, such as {@code row-blocks}
 * @param misses what had to be brought
 * @param hitBytes of what was found, each time it was
 * @param savedMillis what bringing it would have taken, by the mean of what was brought; empty: the
 *     sidecar cannot know
 * @param evictions what made room for others
 * @param replaced in whose place others were put
 * @param invalidated what was taken out because what it was of changed or is gone
 * @param maxBytes what it may take
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
