package io.stele.protocol.api.status;

import static java.util.Objects.requireNonNull;

import java.util.Optional;

/**
 * Counters of an aggregate cache or filtered-rows cache since its process started, and its present
 * size: of all of it, or of one table's part.
 *
 * @param table {@code schema.table}, the table's id if the catalog has no name for it; empty: of
 *     all
 * @param hits results found
 * @param misses results that had to be computed
 * @param followed results that another query was computing
 * @param hitBytes bytes of the results found
 * @param savedMillis the time that computing the results found took once
 * @param evictions results evicted to make room for others
 * @param oversized results not cached because one alone was too large
 * @param verified results found that were computed again
 * @param mismatches of these, the ones that were different
 * @param maxBytes the limit of all results together
 */
public record ResultCacheUse(
        Optional<String> table,
        long hits,
        long misses,
        long followed,
        long hitBytes,
        long savedMillis,
        long evictions,
        long oversized,
        long verified,
        long mismatches,
        long entries,
        long bytes,
        long maxBytes) {
    public ResultCacheUse {
        requireNonNull(table, "table is null");
    }
}
