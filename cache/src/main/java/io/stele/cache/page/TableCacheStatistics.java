package io.stele.cache.page;

import static java.util.Objects.requireNonNull;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Counters of a {@link PageCache} for one table since the creation of the cache.
 *
 * @param reads calls of {@link PageCache#read} that succeeded
 * @param requestsSaved reads that needed no fetch; without the cache, each would have been at least
 *     one request
 * @param pageHits pages found in the store
 * @param pageMisses pages not found
 * @param sharedLoads misses that another reader was already fetching
 * @param hitBytes bytes that readers received without a fetch of their own
 * @param missedBytes bytes that readers received by a fetch of their own
 * @param loads successful fetches
 * @param loadedBytes bytes fetched: whole units of pages, so more than were requested
 * @param failedLoads fetches that failed
 * @param bypassedReads reads that bypassed the cache because no directory was in use
 * @param skippedFills pages not cached because too many pages waited to be written
 * @param firstAccessPages pages not cached because they were fetched for the first time, for a
 *     reader that usually reads them elsewhere (see {@link CachedFile#admittedOnSecondAccess})
 * @param damagedPages pages dropped because they did not verify or could not be read
 * @param savedMillis the mean time of the loads so far, for each of {@code requestsSaved}; the time
 *     of the hits themselves is not subtracted
 * @param ghostHitRatios by multiple of the cache's size, the share of page requests that an LRU
 *     cache of that size would answer, from a sample
 */
public record TableCacheStatistics(
        String table,
        long reads,
        long requestsSaved,
        long pageHits,
        long pageMisses,
        long sharedLoads,
        long hitBytes,
        long missedBytes,
        long loads,
        long loadedBytes,
        long failedLoads,
        long bypassedReads,
        long skippedFills,
        long firstAccessPages,
        long damagedPages,
        long savedMillis,
        Map<Double, Double> ghostHitRatios) {
    public TableCacheStatistics {
        requireNonNull(table, "table is null");
        ghostHitRatios = Collections.unmodifiableMap(new LinkedHashMap<>(ghostHitRatios));
    }
}
