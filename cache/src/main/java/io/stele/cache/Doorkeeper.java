package io.stele.cache;

import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * A bitmap of the hashes of recent requests, by which a cache admits only data that is requested a
 * second time. It needs little memory. A single scan of cold data then evicts nothing.
 *
 * <p>The hash determines the position of its one bit. When half of the bits are set, all are
 * cleared. So some results are wrong: a first request counts as repeated, or a repeated request as
 * first. Both errors only cost time. Thread-safe.
 */
public final class Doorkeeper {
    private static final long SPREAD = 0x9E3779B97F4A7C15L; // 2^64 / golden ratio

    private final AtomicLongArray words;
    private final AtomicInteger known = new AtomicInteger();
    private final int shift;
    private final int limit;

    /**
     * @param bitsLog2 logarithm of the number of bits, 6 to 30
     */
    public Doorkeeper(int bitsLog2) {
        if (bitsLog2 < 6 || bitsLog2 > 30) {
            throw new IllegalArgumentException(
                    String.format(Locale.ROOT, "bitsLog2 must be 6 to 30: %d", bitsLog2));
        }
        this.words = new AtomicLongArray(1 << (bitsLog2 - 6));
        this.shift = Long.SIZE - bitsLog2;
        this.limit = 1 << (bitsLog2 - 1);
    }

    /** Whether data of this hash was requested before; records the request. */
    public boolean recordAccess(int hash) {
        int bit = (int) ((hash * SPREAD) >>> shift);
        long mask = 1L << (bit & (Long.SIZE - 1));
        boolean before = (words.getAndAccumulate(bit >>> 6, mask, (a, b) -> a | b) & mask) != 0;
        if (!before && known.incrementAndGet() >= limit) {
            forget();
        }
        return before;
    }

    private void forget() {
        known.set(0);
        for (int word = 0; word < words.length(); word++) {
            words.set(word, 0);
        }
    }
}
