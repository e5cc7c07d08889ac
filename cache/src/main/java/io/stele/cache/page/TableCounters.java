package io.stele.cache.page;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Counters of one table; see {@link TableStatistics}. Thread-safe. */
final class TableCounters {
    /** Weight of the newest fetch in the mean time of a fetch. */
    private static final double NEWEST = 0.125;

    final LongAdder reads = new LongAdder();
    final LongAdder wholeHits = new LongAdder();
    final LongAdder pageHits = new LongAdder();
    final LongAdder pageMisses = new LongAdder();
    final LongAdder sharedLoads = new LongAdder();
    final LongAdder hitBytes = new LongAdder();
    final LongAdder missedBytes = new LongAdder();
    final LongAdder loads = new LongAdder();
    final LongAdder loadedBytes = new LongAdder();
    final LongAdder failedLoads = new LongAdder();
    final LongAdder bypassedReads = new LongAdder();
    final LongAdder skippedFills = new LongAdder();
    final LongAdder damagedPages = new LongAdder();
    final LongAdder savedNanos = new LongAdder();
    final LongAdder ghostRequests = new LongAdder();
    final LongAdder[] ghostHits = new LongAdder[GhostCaches.FACTORS.length];

    /** Mean of what fetches took lately; 0 before the first. Lost updates do not matter. */
    private volatile double fetchNanos;

    TableCounters() {
        for (int i = 0; i < ghostHits.length; i++) {
            ghostHits[i] = new LongAdder();
        }
    }

    void loaded(int bytes, long nanos) {
        loads.increment();
        loadedBytes.add(bytes);
        double mean = fetchNanos;
        fetchNanos = mean == 0 ? nanos : mean + NEWEST * (nanos - mean);
    }

    /** A read that needed no fetch, of {@code bytes}, took {@code nanos}. */
    void answered(int bytes, long nanos) {
        wholeHits.increment();
        hitBytes.add(bytes);
        savedNanos.add(Math.max(0, (long) fetchNanos - nanos));
    }

    TableStatistics statistics(String table) {
        Map<Double, Double> ghosts = new LinkedHashMap<>();
        long requests = ghostRequests.sum();
        for (int i = 0; i < ghostHits.length; i++) {
            double ratio = requests == 0 ? 0 : (double) ghostHits[i].sum() / requests;
            ghosts.put(GhostCaches.FACTORS[i], ratio);
        }
        return new TableStatistics(
                table,
                reads.sum(),
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
                damagedPages.sum(),
                savedNanos.sum() / 1_000_000,
                ghosts);
    }
}
