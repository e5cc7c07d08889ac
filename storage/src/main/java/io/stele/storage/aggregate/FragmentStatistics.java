package io.stele.storage.aggregate;

/**
 * What a cache of fragment results did since it was made, and holds.
 *
 * @param hits results found
 * @param misses results that had to be computed
 * @param followed results that another query was computing
 * @param savedNanos what computing the found ones took once
 * @param spaceEvictions results that made room for others
 * @param oversized results not kept because one alone was too large
 * @param verified found results that were computed again
 * @param mismatches of these, the ones that were different
 */
public record FragmentStatistics(
        long hits,
        long misses,
        long followed,
        long savedNanos,
        long spaceEvictions,
        long oversized,
        long verified,
        long mismatches,
        long entries,
        long sizeBytes,
        long maxBytes) {}
