package io.stele.cache;

import static java.util.Objects.requireNonNull;

import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/**
 * The counters of an in-memory cache since its creation, and its present size.
 *
 * @param hits requests answered without starting a load (a wait for a load of another caller counts
 *     as a hit)
 * @param misses loads started
 * @param failures loads that failed
 * @param hitBytes weight of the values found, added at each hit
 * @param savedNanos hits times the mean load time, without hits that waited for a load of another
 *     caller ({@link LoadTimes}); empty: loads are not timed
 * @param evictions values evicted to make room for others
 * @param replaced values replaced by other values of the same keys
 * @param invalidated values removed because their source data was changed or deleted
 * @param entries cached keys, including those being loaded
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

    /** The saved time in milliseconds. */
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
