package io.stele.cache.page.segment;

import io.stele.cache.page.PageKey;

/**
 * A count-min sketch of the recent access frequencies of pages, for the admission of a cache
 * directory, with 4-bit counters and periodic halving (G. Einziger, R. Friedman, B. Manes, TinyLFU:
 * A Highly Efficient Cache Admission Policy, ACM Transactions on Storage 2017, sections 3.1 to
 * 3.3). Estimates are too low only because of ageing.
 *
 * <p>Not thread-safe.
 */
final class FrequencySketch {
    /** The greatest value of a counter. */
    static final int MAX_FREQUENCY = 15;

    private static final int ROWS = 4;
    private static final int COUNTERS_PER_LONG = 16;

    /**
     * The number of uses after which all counters are halved, in multiples of the pages that are
     * cached or fit.
     */
    private static final int SAMPLE_FACTOR = 10;

    private static final long HALF = 0x7777777777777777L;

    private final long[] table;
    private final long minSampleSize;
    private long sampleSize;
    private long uses;

    /**
     * A sketch with eight counters for each page: 4 bytes.
     *
     * @param maxPages the most cached pages, counting pages of which only some units are cached
     * @param fullPages the number of full pages that fit
     */
    FrequencySketch(long maxPages, long fullPages) {
        table = new long[(int) Math.min(1 << 28, Math.max(16, maxPages / 2))];
        minSampleSize = Math.max(64, fullPages * SAMPLE_FACTOR);
        sampleSize = minSampleSize;
    }

    /** Sets the number of cached pages. */
    void setPages(long pages) {
        sampleSize = Math.max(minSampleSize, pages * SAMPLE_FACTOR);
    }

    void increment(long high, long low) {
        boolean added = false;
        for (int row = 0; row < ROWS; row++) {
            long hash = hash(high, low, row);
            int index = index(hash);
            int shift = shift(hash);
            if ((table[index] >>> shift & MAX_FREQUENCY) < MAX_FREQUENCY) {
                table[index] += 1L << shift;
                added = true;
            }
        }
        if (added && ++uses >= sampleSize) {
            age();
        }
    }

    int frequency(long high, long low) {
        int frequency = MAX_FREQUENCY;
        for (int row = 0; row < ROWS; row++) {
            long hash = hash(high, low, row);
            int counter = (int) (table[index(hash)] >>> shift(hash)) & MAX_FREQUENCY;
            frequency = Math.min(frequency, counter);
        }
        return frequency;
    }

    private void age() {
        for (int i = 0; i < table.length; i++) {
            table[i] = table[i] >>> 1 & HALF;
        }
        uses /= 2;
    }

    private static long hash(long high, long low, int row) {
        return PageKey.mix(high + row * low);
    }

    private int index(long hash) {
        return (int) ((hash >>> 32) * table.length >>> 32);
    }

    private static int shift(long hash) {
        return (int) (hash & COUNTERS_PER_LONG - 1) * 4;
    }
}
