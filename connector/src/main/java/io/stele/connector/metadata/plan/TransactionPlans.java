package io.stele.connector.metadata.plan;

import static java.util.Objects.requireNonNull;

import io.stele.connector.handle.SteleTableHandle;
import io.stele.protocol.TableId;
import io.stele.protocol.api.catalog.TableDescription;
import io.stele.protocol.api.catalog.TableStatistics;
import io.stele.protocol.api.scan.FileScan;
import io.stele.protocol.api.scan.ScanPlan;
import io.stele.protocol.api.scan.ShardScan;
import io.stele.protocol.api.scan.TablePlan;
import io.stele.protocol.predicate.ScanPredicate;
import io.trino.spi.connector.SchemaTableName;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The scan plans of one transaction, cached or requested from the sidecar. A cached plan is used
 * only if the reply that opened the transaction's snapshot confirmed its token or brought the plan.
 * Guarded by itself; no request to the sidecar is made under its lock.
 */
public final class TransactionPlans {
    /**
     * Files times columns of the longest plan that is cached whole, so that it serves any
     * predicate: some MB. It is requested once the table was seen unchanged. Of longer plans, parts
     * are cached.
     */
    private static final long MAX_CACHED_CELLS = 60_000;

    private final Optional<ScanPlanCache> cache;
    private final Map<TableId, ConfirmedPlan> confirmed = new HashMap<>();
    private final Map<TableId, Integer> scanned = new HashMap<>(); // also by statistics
    private @Nullable SchemaTableName first;
    private @Nullable String snapshotId;

    /**
     * @param cache the plans that transactions share; empty: every scan requests its own
     */
    public TransactionPlans(Optional<ScanPlanCache> cache) {
        this.cache = requireNonNull(cache, "cache is null");
    }

    /** The plans to request with the transaction's snapshot, if it begins with a name. */
    public Optional<ScanPlanCache.Expected> expect(SchemaTableName name) {
        return cache.map(plans -> plans.expect(name));
    }

    /** Accepts the plans that came with the transaction's opened snapshot. */
    public synchronized void began(
            ScanPlanCache.Expected expected, String newSnapshotId, List<TablePlan> plans) {
        first = expected.first();
        snapshotId = newSnapshotId;
        for (TablePlan plan : plans) {
            if (plan.token().isEmpty()) {
                continue;
            }
            Optional<CachedTablePlans> same =
                    Optional.ofNullable(expected.plans().get(plan.tableId()))
                            .filter(before -> before.isOf(plan));
            CachedTablePlans now = same.orElseGet(() -> CachedTablePlans.of(plan));
            if (same.isEmpty()) {
                cache.orElseThrow().put(now);
            }
            confirmed.put(
                    plan.tableId(),
                    new ConfirmedPlan(now, plan.fromLsn(), plan.fileCount(), same.isPresent()));
        }
    }

    /**
     * The plan of a scan.
     *
     * @param base the query's own predicate
     * @param narrowed that predicate and the conditions that joins found
     * @param ask requests the plan of a predicate from the sidecar
     */
    public ScanPlan plan(
            SteleTableHandle table,
            Supplier<ScanPredicate> base,
            ScanPredicate narrowed,
            Function<ScanPredicate, ScanPlan> ask) {
        Optional<ConfirmedPlan> known = scan(table);
        if (known.isEmpty() || table.index().isPresent()) { // how much an index finds may change
            return cache.isPresent()
                    ? cache.get().ask(() -> ask.apply(narrowed))
                    : ask.apply(narrowed);
        }
        Optional<List<ShardScan>> here = known.get().plan.find(base, narrowed);
        if (here.isPresent()) {
            cache.orElseThrow().found(CachedTablePlans.bytes(here.get()));
            return narrowed(table, here.get(), known.get().fromLsn, narrowed);
        }
        boolean isWhole =
                known.get().isRepeated
                        && TablePlan.cells(known.get().fileCount, table.table().columns().size())
                                <= MAX_CACHED_CELLS;
        ScanPredicate asked = isWhole ? ScanPredicate.ALL : narrowed;
        ScanPlan plan = cache.orElseThrow().ask(() -> ask.apply(asked));
        synchronized (this) {
            ConfirmedPlan latest =
                    requireNonNull(confirmed.get(table.table().id()), "confirmed is null");
            CachedTablePlans more = latest.plan.with(asked, plan.shards());
            confirmed.put(
                    more.tableId(),
                    new ConfirmedPlan(more, latest.fromLsn, latest.fileCount, latest.isRepeated));
            cache.orElseThrow().put(more);
        }
        return narrowed(table, plan.shards(), plan.fromLsn(), narrowed);
    }

    /**
     * As {@link #plan}, if the plan is cached; makes no request. The snapshot of the next query
     * that begins with the same name brings a missing plan.
     */
    public Optional<ScanPlan> find(
            SteleTableHandle table, Supplier<ScanPredicate> base, ScanPredicate narrowed) {
        return (table.index().isPresent() ? Optional.<ConfirmedPlan>empty() : scan(table))
                .flatMap(
                        confirmed ->
                                confirmed
                                        .plan
                                        .find(base, narrowed)
                                        .map(
                                                plan ->
                                                        narrowed(
                                                                table,
                                                                plan,
                                                                confirmed.fromLsn,
                                                                narrowed)));
    }

    private synchronized Optional<ConfirmedPlan> scan(SteleTableHandle table) {
        if (!table.snapshotId().equals(snapshotId)) {
            return Optional.empty();
        }
        scanned.put(table.table().id(), table.table().schemaVersion());
        return find(table.table().id(), table.table().schemaVersion());
    }

    private synchronized Optional<ConfirmedPlan> find(TableId table, int schemaVersion) {
        return Optional.ofNullable(confirmed.get(table))
                .filter(known -> known.plan.schemaVersion() == schemaVersion);
    }

    private static ScanPlan narrowed(
            SteleTableHandle table, List<ShardScan> plan, long fromLsn, ScanPredicate predicate) {
        List<ShardScan> shards = new ArrayList<>(plan.size());
        for (ShardScan shard : plan) {
            List<FileScan> files = new ArrayList<>();
            for (FileScan file : shard.files()) {
                if (file.maxLsn() >= fromLsn) {
                    file.narrowed(predicate).ifPresent(files::add);
                }
            }
            shards.add(
                    new ShardScan(
                            shard.shard(),
                            files,
                            shard.live(),
                            shard.mode(),
                            shard.liveRowEstimate()));
        }
        return new ScanPlan(table.readLsn(), fromLsn, shards);
    }

    /**
     * The statistics of the rows of a predicate, if the plan of the whole table is cached. The call
     * also makes the next similar query request the plan, even if this scan becomes an aggregation
     * or a lookup.
     */
    public Optional<TableStatistics> statistics(TableDescription table, ScanPredicate predicate) {
        synchronized (this) {
            scanned.put(table.schema().id(), table.schema().schemaVersion());
        }
        return find(table.schema().id(), table.schema().schemaVersion())
                .flatMap(known -> known.plan.all())
                .map(files -> PartStatistics.of(table, files, predicate));
    }

    /**
     * Records the scans of the ended transaction, by which later transactions with the same first
     * name predict theirs.
     */
    public synchronized void close() {
        if (cache.isPresent() && first != null) {
            cache.get().ended(first, Map.copyOf(scanned));
            first = null;
        }
    }

    /**
     * The confirmed plan of a table at the snapshot.
     *
     * @param isRepeated whether it was the same at an earlier snapshot
     */
    private record ConfirmedPlan(
            CachedTablePlans plan, long fromLsn, int fileCount, boolean isRepeated) {}
}
