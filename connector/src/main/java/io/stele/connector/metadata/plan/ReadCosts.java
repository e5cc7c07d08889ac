package io.stele.connector.metadata.plan;

import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.stele.connector.config.SteleConfig;
import io.stele.connector.config.SteleSessionProperties;
import io.stele.connector.handle.AggregationChoice;
import io.stele.connector.handle.ReadEstimate;
import io.stele.connector.handle.SteleColumnHandle;
import io.stele.connector.handle.SteleLookup;
import io.stele.connector.handle.SteleTableHandle;
import io.stele.connector.read.prune.ShardPruning;
import io.stele.connector.read.prune.SplitLimits;
import io.stele.connector.sidecar.Warehouse;
import io.stele.connector.type.Lookups;
import io.stele.connector.type.ScanPredicates;
import io.stele.protocol.api.scan.AggregationEstimate;
import io.stele.protocol.api.scan.FileScan;
import io.stele.protocol.api.scan.ScanPlan;
import io.stele.protocol.api.scan.ShardScan;
import io.stele.protocol.predicate.ScanPredicate;
import io.trino.spi.NodeManager;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.predicate.TupleDomain;
import java.util.List;
import java.util.Optional;
import java.util.function.IntPredicate;
import java.util.function.Supplier;

/**
 * An estimator of the costs of lookups, scans and sidecar aggregations for the planner, from the
 * store's measured latencies and the number of workers. Thread-safe.
 */
public final class ReadCosts {
    private final Warehouse warehouse;
    private final NodeManager nodes;
    private final ShardPruning shardPruning;
    private final long maxSplitBytes;
    private final RepeatedAggregations repeated = new RepeatedAggregations();

    @Inject
    public ReadCosts(
            Warehouse warehouse, NodeManager nodes, ShardPruning shardPruning, SteleConfig config) {
        this.warehouse = requireNonNull(warehouse, "warehouse is null");
        this.nodes = requireNonNull(nodes, "nodes is null");
        this.shardPruning = requireNonNull(shardPruning, "shardPruning is null");
        this.maxSplitBytes = config.getMaxSplitSize().toBytes();
    }

    /**
     * The estimated costs of a lookup and of a scan instead, or the lookup's own estimate, if
     * planning made one. Makes no request: if the plan of the scan is not cached, a request for it
     * would take as long as the lookup.
     *
     * @param constraint a constraint that the wanted rows satisfy: the table's own or a narrower
     *     one
     * @return empty: the lookup has no alternative, or the plan is not cached
     */
    public Optional<ReadEstimate> find(
            ConnectorSession session,
            TransactionPlans plans,
            SteleTableHandle table,
            TupleDomain<SteleColumnHandle> constraint,
            SteleLookup lookup) {
        if (!canScan(table) || !isAsked(session, table, lookup)) {
            return Optional.empty();
        }
        if (lookup.estimate().isPresent()) {
            return lookup.estimate();
        }
        Supplier<ScanPredicate> base = () -> ScanPredicates.of(table.table(), table.constraint());
        ScanPredicate narrowed =
                ScanPredicates.narrowed(table.table(), table.constraint(), constraint);
        return plans.find(table, base, narrowed)
                .map(plan -> of(lookup.keyCount(), wanted(table, constraint, plan).shards()))
                .map(ReadCost::estimate);
    }

    /**
     * The table whose lookup, if any, has the estimate that EXPLAIN shows; without an estimate if
     * all rows are in memory.
     */
    public SteleTableHandle estimated(
            ConnectorSession session, TransactionPlans plans, SteleTableHandle table) {
        return table.lookup()
                .flatMap(
                        lookup ->
                                find(session, plans, table, table.constraint(), lookup)
                                        .filter(estimate -> estimate.scanFiles() > 0)
                                        .map(lookup::withEstimate))
                .map(table::withLookup)
                .orElse(table);
    }

    /** The choice between an aggregation in the sidecar and in workers. */
    AggregationChoice aggregation(
            RepeatedAggregations.Columns columns, AggregationEstimate work, int operations) {
        AggregationCost cost =
                AggregationCost.of(
                        work,
                        operations,
                        ReadCost.Store.of(warehouse),
                        maxSplitBytes,
                        Runtime.getRuntime().availableProcessors(),
                        nodes.getWorkerNodes().size());
        return cost.choice(repeated.fills(columns, cost));
    }

    /** The part of a plan that can have rows of a constraint. */
    public ScanPlan wanted(
            SteleTableHandle table, TupleDomain<SteleColumnHandle> constraint, ScanPlan plan) {
        IntPredicate wantedShards = shardPruning.wanted(table.table(), constraint);
        return SplitLimits.fewest(
                table,
                new ScanPlan(
                        plan.readLsn(),
                        plan.fromLsn(),
                        plan.shards().stream()
                                .filter(shard -> wantedShards.test(shard.shard().index()))
                                .toList()));
    }

    /** Whether a scan may replace the lookup, whose single split applies the limit. */
    private static boolean canScan(SteleTableHandle table) {
        return table.lookup().isEmpty()
                || (table.selection().isAll()
                        && Lookups.canScan(table.table(), table.constraint()));
    }

    /**
     * Whether a scan may cost less than a lookup: never for one key, and never where rows are
     * stored by key, because a lookup then reads little more than the wanted rows.
     */
    private static boolean isAsked(
            ConnectorSession session, SteleTableHandle table, SteleLookup lookup) {
        return lookup.keyCount() > 1
                && !table.table().orientation().hasRows()
                && SteleSessionProperties.isCostBasedLookupsEnabled(session);
    }

    private ReadCost of(int keys, List<ShardScan> shards) {
        int count = 0;
        int splits = 0;
        long rows = 0;
        long bytes = 0;
        long liveRows = 0;
        for (ShardScan shard : shards) {
            liveRows += shard.live() ? shard.liveRowEstimate() : 0;
            for (FileScan file : shard.files()) {
                count++;
                splits += Math.toIntExact(Math.ceilDiv(file.sizeBytes(), maxSplitBytes));
                rows += file.rowCount();
                bytes += file.sizeBytes();
            }
        }
        return ReadCost.of(
                keys,
                new ReadCost.Files(count, splits, rows, bytes, liveRows),
                ReadCost.Store.of(warehouse),
                Runtime.getRuntime().availableProcessors(),
                nodes.getWorkerNodes().size());
    }
}
