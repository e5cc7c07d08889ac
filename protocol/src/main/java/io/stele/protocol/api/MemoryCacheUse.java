package io.stele.protocol.api;

import static java.util.Objects.requireNonNull;

/**
 * What a cache in a sidecar's memory did since its process started, and holds.
 *
 * @param name of the layer, such as {@code row-blocks}
 * @param misses what had to be brought
 * @param evictions what made room for others
 * @param replaced in whose place others were put
 * @param invalidated what was taken out because what it was of changed or is gone
 * @param maxBytes what it may take
 */
public record MemoryCacheUse(
        String name,
        long hits,
        long misses,
        long evictions,
        long replaced,
        long invalidated,
        long entries,
        long bytes,
        long maxBytes) {
    public MemoryCacheUse {
        requireNonNull(name, "name is null");
    }
}
