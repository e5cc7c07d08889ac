package io.stele.cache;

/**
 * Counters of a {@link BenefitCache} since its creation, and its present size: of the whole cache,
 * or of one owner's part.
 *
 * @param hits values found
 * @param misses values that had to be computed
 * @param followed requests for values that another caller was computing
 * @param hitBytes bytes of the values found
 * @param savedNanos the sum of the computation times of the values found
 * @param spaceEvictions values evicted to make room for others
 * @param oversized values not cached because they were too large
 * @param verified found values that were computed again
 * @param mismatches verified values that were different
 */
public record BenefitStatistics(
        long hits,
        long misses,
        long followed,
        long hitBytes,
        long savedNanos,
        long spaceEvictions,
        long oversized,
        long verified,
        long mismatches,
        long entries,
        long sizeBytes) {}
