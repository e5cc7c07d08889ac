package io.stele.protocol.api.status;

/**
 * Counters of the use of cached results of files by one aggregation or filtered scan. Those of an
 * aggregation are sent with the schema of its results.
 *
 * @param found results of files that were cached
 * @param computed results of files that had to be computed
 * @param foundBytes bytes of the results found
 * @param savedNanos the time that computing the results found took once
 */
public record CachedResultUse(long found, long computed, long foundBytes, long savedNanos) {
    public CachedResultUse {
        if (found < 0 || computed < 0 || foundBytes < 0 || savedNanos < 0) {
            throw new IllegalArgumentException(
                    "Expected counts of at least 0, found %s, %s, %s and %s"
                            .formatted(found, computed, foundBytes, savedNanos));
        }
    }
}
