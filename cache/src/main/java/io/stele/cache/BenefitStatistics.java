package io.stele.cache;

/**
 * What a {@link BenefitCache} did since it was made, and holds: all of it, or one owner's part.
 *
 * @param hits values found
 * @param misses values that had to be computed
 * @param followed values that another one was computing
 * @param hitBytes bytes of the found ones
 * @param savedNanos what computing the found ones took once
 * @param spaceEvictions values that made room for others
 * @param oversized values not kept because one alone was too large
 * @param verified found values that were computed again
 * @param mismatches of these, the ones that were different
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
