package io.stele.cache;

import static java.util.Objects.requireNonNull;

/**
 * What a cache did since it was made, and what it holds now.
 *
 * @param hits requests answered without starting a load (waiting for somebody else's counts as a
 *     hit)
 * @param misses loads started
 * @param failures loads that failed
 * @param evictions values that made room for others
 * @param replaced values in whose place others were put
 * @param invalidated values taken out because what they are of changed or is gone
 * @param entries keys held, those being loaded included
 */
public record CacheStatistics(
        String name,
        long hits,
        long misses,
        long failures,
        long evictions,
        long replaced,
        long invalidated,
        long entries,
        long weightBytes,
        long maxWeightBytes) {
    public CacheStatistics {
        requireNonNull(name, "name is null");
    }

    /** The share of requests that started no load; 1 when there were none. */
    public double hitRate() {
        long requests = hits + misses;
        return requests == 0 ? 1.0 : (double) hits / requests;
    }
}
