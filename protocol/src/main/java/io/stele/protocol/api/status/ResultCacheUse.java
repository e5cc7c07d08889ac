package io.stele.protocol.api.status;

import static java.util.Objects.requireNonNull;

import java.util.Optional;

/**
 * The counters and present size of an aggregate cache or filtered-rows cache, for the whole cache
 * or one table. Counts begin at the start of the process.
 *
 * @param table {@code schema.table}, the table's id if the catalog has no name for it; empty for
 *     the whole cache
 * @param hits results found
 * @param misses results that had to be computed
 * @param followed results that another query was computing
 * @param hitBytes bytes of the results found
 * @param savedMillis the sum of the computation times of the results found
 * @param evictions results evicted to make room for others
 * @param oversized results not cached because they were too large
 * @param verified results found that were computed again
 * @param mismatches verified results that were different
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
