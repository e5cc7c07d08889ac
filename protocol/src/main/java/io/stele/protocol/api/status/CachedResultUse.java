package io.stele.protocol.api.status;

/**
 * The counters of cached results of files used by one aggregation or filtered scan. A sidecar sends
 * an aggregation's counters with the schema of the results.
 *
 * @param found results of files that were cached
 * @param computed results of files that had to be computed
 * @param foundBytes bytes of the results found
 * @param savedNanos the sum of the computation times of the results found
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
