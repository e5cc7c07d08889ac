package io.stele.cache.page;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/**
 * The mutable counters of one table in a page cache; see {@link TableCacheStatistics}. Thread-safe.
 */
final class TableCounters {
    final LongAdder wholeHits = new LongAdder();
    final LongAdder pageHits = new LongAdder();
    final LongAdder pageMisses = new LongAdder();
    final LongAdder sharedLoads = new LongAdder();
    final LongAdder hitBytes = new LongAdder();
    final LongAdder missedBytes = new LongAdder();
    final LongAdder loads = new LongAdder();
    final LongAdder loadedBytes = new LongAdder();
    final LongAdder failedLoads = new LongAdder();
    final LongAdder readsWithLoads = new LongAdder();
    final LongAdder bypassedReads = new LongAdder();
    final LongAdder skippedFills = new LongAdder();
    final LongAdder firstAccessPages = new LongAdder();
    final LongAdder damagedPages = new LongAdder();
    final LongAdder loadNanos = new LongAdder();
    final LongAdder ghostRequests = new LongAdder();
    final LongAdder[] ghostHits = new LongAdder[GhostCaches.FACTORS.length];

    TableCounters() {
        for (int i = 0; i < ghostHits.length; i++) {
            ghostHits[i] = new LongAdder();
        }
    }

    void loaded(int bytes, long nanos) {
        loads.increment();
        loadedBytes.add(bytes);
        loadNanos.add(nanos);
    }

    /**
     * Counts a read of {@code bytes} that needed no fetch of its own. This is the hot path, so it
     * adds to two counters only.
     */
    void answered(int bytes) {
        wholeHits.increment();
        hitBytes.add(bytes);
    }

    /** Counts a read of {@code bytes} that had to fetch. */
    void fetched(int bytes) {
        readsWithLoads.increment();
        missedBytes.add(bytes);
    }

    TableCacheStatistics statistics(String table) {
        Map<Double, Double> ghosts = new LinkedHashMap<>();
        long requests = ghostRequests.sum();
        for (int i = 0; i < ghostHits.length; i++) {
            double ratio = requests == 0 ? 0 : (double) ghostHits[i].sum() / requests;
            ghosts.put(GhostCaches.FACTORS[i], ratio);
        }
        return new TableCacheStatistics(
                table,
                wholeHits.sum() + readsWithLoads.sum() + bypassedReads.sum(),
                wholeHits.sum(),
                pageHits.sum(),
                pageMisses.sum(),
                sharedLoads.sum(),
                hitBytes.sum(),
                missedBytes.sum(),
                loads.sum(),
                loadedBytes.sum(),
                failedLoads.sum(),
                bypassedReads.sum(),
                skippedFills.sum(),
                firstAccessPages.sum(),
                damagedPages.sum(),
                savedMillis(),
                ghosts);
    }

    private long savedMillis() {
        long count = loads.sum();
        return count == 0 ? 0 : (long) ((double) loadNanos.sum() / count * wholeHits.sum() / 1e6);
    }
}
