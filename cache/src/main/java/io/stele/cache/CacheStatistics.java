package io.stele.cache;

import static java.util.Objects.requireNonNull;

import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/**
 * What a cache did since it was made, and what it holds now.
 *
 * @param hits requests answered without starting a load (waiting for somebody else's counts as a
 *     hit)
 * @param misses loads started
 * @param failures loads that failed
 * @param hitBytes weight of what was found, each time it was
 * @param savedNanos hits times what a load takes in the mean, without those that waited for
 *     somebody else's ({@link LoadTimes}); empty: loads are not timed
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
        long hitBytes,
        OptionalLong savedNanos,
        long evictions,
        long replaced,
        long invalidated,
        long entries,
        long weightBytes,
        long maxWeightBytes) {
    public CacheStatistics {
        requireNonNull(name, "name is null");
        requireNonNull(savedNanos, "savedNanos is null");
    }

    /** The same in milliseconds. */
    public OptionalLong savedMillis() {
        return savedNanos.isEmpty()
                ? savedNanos
                : OptionalLong.of(TimeUnit.NANOSECONDS.toMillis(savedNanos.getAsLong()));
    }

    /** The share of requests that started no load; 1 when there were none. */
    public double hitRate() {
        long requests = hits + misses;
        return requests == 0 ? 1.0 : (double) hits / requests;
    }
}
