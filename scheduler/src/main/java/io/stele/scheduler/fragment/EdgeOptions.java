package io.stele.scheduler.fragment;

/**
 * The limits of an {@link Edge}: waiting pulls, and batches and bytes that are produced ahead.
 *
 * @param credits pulls that may wait at once
 * @param prefetch batches that are produced ahead of pulls; 0: none
 * @param bufferedBytes no batch is produced ahead while buffered batches have this size
 */
public record EdgeOptions(int credits, int prefetch, long bufferedBytes) {
    /** One batch ahead, so that producer and consumer work at the same time; 16 MiB at most. */
    public static final EdgeOptions DEFAULT = new EdgeOptions(2, 1, 16L << 20);

    private static final int MAX_COUNT = 64; // with more, batches only wait in memory

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
