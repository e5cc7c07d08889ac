package io.stele.protocol.api;

/**
 * What one aggregation had from kept results of files; with the schema of its results.
 *
 * @param found results of files that were known
 * @param computed results of files that had to be computed
 * @param foundBytes bytes of the found ones
 * @param savedNanos what computing the found ones took once
 */
public record FragmentUse(long found, long computed, long foundBytes, long savedNanos) {
    public FragmentUse {
        if (found < 0 || computed < 0 || foundBytes < 0 || savedNanos < 0) {
            throw new IllegalArgumentException(
                    "Expected counts of at least 0, found %s, %s, %s and %s"
                            .formatted(found, computed, foundBytes, savedNanos));
        }
    }
}
