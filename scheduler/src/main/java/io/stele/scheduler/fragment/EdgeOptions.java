package io.stele.scheduler.fragment;

/**
 * The limits of an edge.
 *
 * @param credits pulls that may wait for an answer at once
 * @param prefetch batches that are produced ahead of pulls; 0: none
 * @param bufferedBytes nothing is made ahead while batches of this size wait already
 */
public record EdgeOptions(int credits, int prefetch, long bufferedBytes) {
    /** One batch ahead, so that the producer works while the consumer does; 16 MiB at most. */
    public static final EdgeOptions DEFAULT = new EdgeOptions(2, 1, 16L << 20);

    private static final int MAX_COUNT = 64; // beyond a few, batches only wait in memory

    public EdgeOptions {
        if (credits < 1 || credits > MAX_COUNT || prefetch < 0 || prefetch > MAX_COUNT) {
            throw new IllegalArgumentException(
                    "Expected 1 to %d credits and at most as many batches ahead, found %d and %d"
                            .formatted(MAX_COUNT, credits, prefetch));
        }
        if (bufferedBytes < 1) {
            throw new IllegalArgumentException(
                    "bufferedBytes must be at least 1, found " + bufferedBytes);
        }
    }
}
