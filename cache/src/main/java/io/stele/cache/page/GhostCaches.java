package io.stele.cache.page;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Simulated LRU caches without contents, which estimate the hit ratio that the page cache would
 * have at other sizes. They run on a sample of the pages and are smaller than the real ones by the
 * ratio of that sample (spatial sampling: C. Waldspurger et al., Efficient MRC Construction with
 * SHARDS, FAST 2015, section 3).
 *
 * <p>They estimate the benefit of more space. They are LRU and count every page as full. So the
 * reference for the other sizes is the simulated hit ratio of the present size, not the real hit
 * ratio.
 *
 * <p>Thread-safe: guarded by its lock, which requests outside the sample do not take.
 */
final class GhostCaches {
    /** The simulated sizes, in multiples of the real size. */
    static final double[] FACTORS = {0.5, 1, 2, 4};

    /** Pages of the simulated cache of the real size: 1 MiB of heap in all. */
    private static final long SAMPLED_PAGES = 1024;

    /**
     * The greatest share of sampled pages, so that the simulation of small caches does not cost
     * much time.
     */
    private static final double MAX_RATE = 0.25;

    private final long threshold;
    private final Ghost[] ghosts = new Ghost[FACTORS.length];
    private final ReentrantLock lock = new ReentrantLock();

    GhostCaches(long maxPages) {
        double rate = Math.min(MAX_RATE, (double) SAMPLED_PAGES / Math.max(1, maxPages));
        threshold = (long) (rate * (1L << 32));
        for (int i = 0; i < ghosts.length; i++) {
            ghosts[i] = new Ghost((int) Math.max(1, maxPages * rate * FACTORS[i]));
        }
    }

    /** Counts a request of a page for its table. */
    void request(PageKey key, TableCounters table) {
        if ((PageKey.mix(key.low()) >>> 32) >= threshold) {
            return;
        }
        table.ghostRequests.increment();
        lock.lock();
        try {
            for (int i = 0; i < ghosts.length; i++) {
                if (ghosts[i].request(key)) {
                    table.ghostHits[i].increment();
                }
            }
        } finally {
            lock.unlock();
        }
    }

    private static final class Ghost extends LinkedHashMap<PageKey, Boolean> {
        private static final long serialVersionUID = 1L;
        private final int maxPages;

        Ghost(int maxPages) {
            super(16, 0.75f, true);
            this.maxPages = maxPages;
        }

        boolean request(PageKey key) {
            return put(key, Boolean.TRUE) != null;
        }

        @Override
        protected boolean removeEldestEntry(Map.Entry<PageKey, Boolean> eldest) {
            return size() > maxPages;
        }
    }
}
