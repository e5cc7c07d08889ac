package io.stele.connector.metadata.plan;

import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.stele.cache.CacheStatistics;
import io.stele.cache.LoadTimes;
import io.stele.cache.SingleFlightCache;
import io.stele.connector.config.MetadataCacheConfig;
import io.stele.protocol.TableId;
import io.stele.protocol.api.scan.CachedPlan;
import io.stele.protocol.api.scan.ScanPlan;
import io.stele.protocol.api.scan.TablePlan;
import io.trino.spi.connector.SchemaTableName;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The cached scan plans of a catalog's coordinator, and a prediction of those that a query needs.
 *
 * <p>Invariant: a cached plan is used only after the sidecar's reply that opened the query's
 * snapshot confirmed it for that snapshot ({@link TransactionPlans}). Thread-safe.
 */
public final class ScanPlanCache {
    private final SingleFlightCache<TableId, CachedTablePlans> plans;
    private final ScanPredictor expected = new ScanPredictor();
    private final LongAdder found = new LongAdder();
    private final LongAdder foundBytes = new LongAdder();
    private final LongAdder asked = new LongAdder();
    private final LoadTimes askTimes = new LoadTimes();
    private final LongSupplier nanoTime;

    @Inject
    public ScanPlanCache(MetadataCacheConfig config) {
        this(config, System::nanoTime);
    }

    /** Plans may take as much memory as definitions and statistics. */
    ScanPlanCache(MetadataCacheConfig config, LongSupplier nanoTime) {
        this.nanoTime = requireNonNull(nanoTime, "nanoTime is null");
        this.plans =
                new SingleFlightCache<>(
                        "plans", config.getMaxSize().toBytes(), CachedTablePlans::weightBytes);
    }

    /** The plans to request together with the snapshot of a query that begins with a name. */
    Expected expect(SchemaTableName first) {
        Map<TableId, CachedTablePlans> here = new HashMap<>();
        List<CachedPlan> known =
                expected.of(first).stream()
                        .map(
                                scan -> {
                                    Optional<CachedTablePlans> plan =
                                            plans.peek(scan.tableId())
                                                    .filter(
                                                            cached ->
                                                                    cached.schemaVersion()
                                                                            == scan
                                                                                    .schemaVersion());
                                    plan.ifPresent(cached -> here.put(scan.tableId(), cached));
                                    return new CachedPlan(
                                            scan.tableId(),
                                            scan.schemaVersion(),
                                            plan.map(CachedTablePlans::token),
                                            TablePlan.MAX_CELLS);
                                })
                        .toList();
        return new Expected(first, known, Map.copyOf(here));
    }

    void put(CachedTablePlans plan) {
        plans.put(plan.tableId(), plan);
    }

    /** Records the scans of a query that began with a name and has ended. */
    void ended(SchemaTableName first, Map<TableId, Integer> scanned) {
        expected.ended(first, scanned);
    }

    /** Counts a scan that found its plan of this size. */
    void found(long bytes) {
        found.increment();
        foundBytes.add(bytes);
    }

    /** Requests the plan of a scan; counts how long that takes. */
    ScanPlan ask(Supplier<ScanPlan> request) {
        asked.increment();
        long start = nanoTime.getAsLong();
        ScanPlan plan = request.get();
        askTimes.loaded(nanoTime.getAsLong() - start);
        return plan;
    }

    /** The number of scans whose plan was cached. */
    public long foundCount() {
        return found.sum();
    }

    /** The bytes of the cached plans that scans found, counted at each use. */
    public long foundBytes() {
        return foundBytes.sum();
    }

    /**
     * The milliseconds that scans with a cached plan would have waited, by the mean of the
     * requests.
     */
    public long savedMillis() {
        return TimeUnit.NANOSECONDS.toMillis(askTimes.savedNanos(foundCount()));
    }

    /** The number of scans that requested their plan. */
    public long askedCount() {
        return asked.sum();
    }

    /** The contents and counters of the cache. */
    public CacheStatistics statistics() {
        return plans.statistics();
    }

    /** Drops all plans. */
    public void flush() {
        plans.removeIf(table -> true);
    }

    /**
     * The plans that a query is expected to need.
     *
     * @param first the name it begins with
     * @param known the plans in the request for its snapshot
     * @param plans the cached plans of these tables
     */
    public record Expected(
            SchemaTableName first, List<CachedPlan> known, Map<TableId, CachedTablePlans> plans) {}
}
