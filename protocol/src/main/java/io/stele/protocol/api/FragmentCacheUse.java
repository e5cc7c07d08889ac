package io.stele.protocol.api;

import static java.util.Objects.requireNonNull;

import java.util.Optional;

/**
 * What a cache of fragment results did since its process started, and holds: all of it, or one
 * table's part.
 *
 * @param table {@code schema.table}, the table's id where its name is not known; empty: of all
 * @param hits results found
 * @param misses results that had to be computed
 * @param followed results that another query was computing
 * @param hitBytes bytes of the found ones
 * @param savedMillis what computing the found ones took once
 * @param evictions results that made room for others
 * @param oversized results not kept because one alone was too large
 * @param verified found results that were computed again
 * @param mismatches of these, the ones that were different
 * @param maxBytes what all may take together
 */
public record FragmentCacheUse(
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
    public FragmentCacheUse {
        requireNonNull(table, "table is null");
    }
}
