package io.stele.protocol.api.status;

import static java.util.Objects.requireNonNull;

/**
 * The counters of a data page cache for one table since the start of its process, for metrics and
 * status replies.
 *
 * @param table {@code schema.table}; the table's id if the catalog has no name for it
 * @param reads reads of files through the cache
 * @param requestsSaved reads that needed no request to the warehouse
 * @param pageHits pages found
 * @param pageMisses pages not found
 * @param hitBytes bytes that readers received without a request of their own
 * @param missedBytes bytes that readers received by a request of their own
 * @param requests requests to the warehouse
 * @param fetchedBytes bytes of these requests: whole pages, so more than readers requested
 * @param savedMillis the mean time of the requests so far, for each of {@code requestsSaved}
 * @param failedRequests requests that failed
 * @param damagedPages pages that were damaged on disk, and fetched again
 * @param unkeptPages pages not cached because too many waited to be written, or because they were
 *     fetched for the first time by a worker that is not the preferred one
 * @param hitRatioHalf share of page requests that an LRU cache of half the size would answer, from
 *     a sample
 * @param hitRatioSame the share for an LRU cache of the present size
 * @param hitRatioDouble the share for twice the size
 * @param hitRatioFourfold the share for four times the size
 */
public record DataCacheTable(
        String table,
        long reads,
        long requestsSaved,
        long pageHits,
        long pageMisses,
        long hitBytes,
        long missedBytes,
        long requests,
        long fetchedBytes,
        long savedMillis,
        long failedRequests,
        long damagedPages,
        long unkeptPages,
        double hitRatioHalf,
        double hitRatioSame,
        double hitRatioDouble,
        double hitRatioFourfold) {
    public DataCacheTable {
        requireNonNull(table, "table is null");
    }
}
