package io.stele.connector.read.split;

import static com.google.common.base.Preconditions.checkArgument;
import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.stele.connector.config.SteleConfig;
import io.stele.connector.config.SteleSessionProperties;
import io.stele.connector.handle.AggregationChoice;
import io.stele.connector.handle.ReadEstimate;
import io.stele.connector.handle.SteleAggregateSplit;
import io.stele.connector.handle.SteleColumnHandle;
import io.stele.connector.handle.SteleFileSplit;
import io.stele.connector.handle.SteleLiveSplit;
import io.stele.connector.handle.SteleLookup;
import io.stele.connector.handle.SteleLookupSplit;
import io.stele.connector.handle.SteleTableHandle;
import io.stele.connector.handle.SteleTopNSplit;
import io.stele.connector.handle.TableChangesHandle;
import io.stele.connector.metadata.PlanningTimes;
import io.stele.connector.metadata.SteleTransactions;
import io.stele.connector.metadata.plan.ReadCosts;
import io.stele.connector.metadata.plan.TransactionPlans;
import io.stele.connector.read.affinity.PreferredWorkers;
import io.stele.connector.read.affinity.WorkerQueues;
import io.stele.connector.read.opening.FilePreopener;
import io.stele.connector.read.prune.ShardPruning;
import io.stele.connector.read.prune.TopNBound;
import io.stele.connector.sidecar.SteleSidecar;
import io.stele.connector.type.Lookups;
import io.stele.connector.type.ScanPredicates;
import io.stele.protocol.api.scan.FileScan;
import io.stele.protocol.api.scan.PlanScanRequest;
import io.stele.protocol.api.scan.ScanActions;
import io.stele.protocol.api.scan.ScanMode;
import io.stele.protocol.api.scan.ScanPlan;
import io.stele.protocol.api.scan.ShardScan;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.schema.TableSchema;
import io.trino.spi.SplitWeight;
import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorSplit;
import io.trino.spi.connector.ConnectorSplitManager;
import io.trino.spi.connector.ConnectorSplitSource;
import io.trino.spi.connector.ConnectorTableHandle;
import io.trino.spi.connector.ConnectorTransactionHandle;
import io.trino.spi.connector.Constraint;
import io.trino.spi.connector.FixedSplitSource;
import io.trino.spi.metrics.Metrics;
import io.trino.spi.predicate.TupleDomain;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Function;
import java.util.function.IntPredicate;
import java.util.function.Supplier;

/**
 * The planner of a scan's splits on the coordinator: ranges of column files, and the rows, lookups
 * or aggregations that the sidecar serves. Stateless.
 */
public final class SteleSplitManager implements ConnectorSplitManager {
    /** Opening a file costs about as much as reading 1/20 of a full split. */
    private static final double MIN_WEIGHT = 0.05;

    private final SteleSidecar sidecar;
    private final SteleTransactions transactions;
    private final ShardPruning shardPruning;
    private final PreferredWorkers preferredWorkers;
    private final WorkerQueues queues;
    private final FilePreopener filePreopener;
    private final ReadCosts costs;
    private final long maxSplitBytes;

    @Inject
    public SteleSplitManager(
            SteleSidecar sidecar,
            SteleTransactions transactions,
            ShardPruning shardPruning,
            PreferredWorkers preferredWorkers,
            WorkerQueues queues,
            FilePreopener filePreopener,
            ReadCosts costs,
            SteleConfig config) {
        this.costs = requireNonNull(costs, "costs is null");
        this.filePreopener = requireNonNull(filePreopener, "filePreopener is null");
        this.queues = requireNonNull(queues, "queues is null");
        this.sidecar = requireNonNull(sidecar, "sidecar is null");
        this.transactions = requireNonNull(transactions, "transactions is null");
        this.shardPruning = requireNonNull(shardPruning, "shardPruning is null");
        this.preferredWorkers = requireNonNull(preferredWorkers, "preferredWorkers is null");
        this.maxSplitBytes = config.getMaxSplitSize().toBytes();
        checkArgument(maxSplitBytes > 0, "maxSplitBytes must be > 0: %s", maxSplitBytes);
    }

    @Override
    public ConnectorSplitSource getSplits(
            ConnectorTransactionHandle transaction,
            ConnectorSession session,
            ConnectorTableHandle tableHandle,
            Set<ColumnHandle> dynamicFilterColumns,
            Constraint constraint) {
        if (tableHandle instanceof TableChangesHandle changes) {
            return changes(changes);
        }
        SteleTableHandle table = (SteleTableHandle) tableHandle;
        TransactionPlans plans = transactions.metadata(transaction, session).plans();
        PlanningTimes times = transactions.metadata(transaction, session).times();
        Function<TupleDomain<SteleColumnHandle>, PlannedSplits> planner =
                found -> times.planningSplits(() -> plan(session, plans, table, found));
        if (table.ofProcedure()) {
            return new FixedSplitSource(planner.apply(TupleDomain.all()).splits(), List.of());
        }
        if (table.constraint().isNone()) {
            return FixedSplitSource.emptySplitSource();
        }
        if (table.aggregation().isPresent()) {
            return new FixedSplitSource(new SteleAggregateSplit());
        }
        if (table.lookup().filter(lookup -> lookup.keyCount() > 1).isPresent()) {
            return new SteleSplitSource(planner, 0, Metrics.EMPTY); // it reports the estimate
        }
        Optional<AggregationChoice> left =
                transactions.metadata(transaction, session).aggregations().leftToWorkers(table);
        boolean isFixed = dynamicFilterColumns.isEmpty() || table.lookup().isPresent();
        if (isFixed && left.isEmpty()) {
            return new FixedSplitSource(planner.apply(TupleDomain.all()).splits());
        }
        return new SteleSplitSource(
                planner,
                isFixed ? 0 : SteleSessionProperties.dynamicFilteringWaitMillis(session),
                left.map(AggregationChoice::metrics).orElse(Metrics.EMPTY));
    }

    /** A split for each shard that may have changes; its sidecar reads them. */
    private ConnectorSplitSource changes(TableChangesHandle changes) {
        if (changes.constraint().isNone()) {
            return FixedSplitSource.emptySplitSource();
        }
        TableSchema table = changes.table().table();
        IntPredicate wanted =
                shardPruning.wanted(
                        table, changes.constraint().filter((column, _) -> column.id() > 0));
        return new FixedSplitSource(
                table.shards().stream()
                        .filter(shard -> wanted.test(shard.index()))
                        .map(shard -> new SteleLiveSplit(shard.index(), ScanMode.CHANGES))
                        .toList());
    }

    /**
     * The splits with rows of a table.
     *
     * @param found the domains that dynamic filters of joins have found
     */
    private PlannedSplits plan(
            ConnectorSession session,
            TransactionPlans plans,
            SteleTableHandle table,
            TupleDomain<SteleColumnHandle> found) {
        // A lookup by the query's own predicate does not use the constraints that joins find
        TupleDomain<SteleColumnHandle> pushable =
                table.lookup().isPresent()
                        ? TupleDomain.all()
                        : found.filter(
                                (column, domain) ->
                                        ScanPredicates.isPushable(table.table(), column, domain));
        TupleDomain<SteleColumnHandle> constraint = table.constraint().intersect(pushable);
        if (constraint.isNone()) {
            return new PlannedSplits(List.of(), Optional.empty());
        }
        Optional<SteleLookup> lookup =
                table.lookup().or(() -> lookUpFound(session, table, constraint, pushable));
        Optional<ReadEstimate> estimate =
                lookup.flatMap(keys -> costs.find(session, plans, table, constraint, keys));
        if (lookup.isPresent() && estimate.map(ReadEstimate::isLookup).orElse(true)) {
            return PlannedSplits.of(new SteleLookupSplit(lookup.get(), pushable), estimate);
        }
        Supplier<ScanPredicate> base = () -> ScanPredicates.of(table.table(), table.constraint());
        ScanPredicate narrowed =
                ScanPredicates.narrowed(table.table(), table.constraint(), constraint);
        SteleTableHandle scanned = table.scanned();
        ScanPlan plan = plans.plan(scanned, base, narrowed, predicate -> ask(scanned, predicate));
        return new PlannedSplits(
                scan(session, scanned, constraint, plan, costs.wanted(scanned, constraint, plan)),
                estimate);
    }

    /** The lookup of keys that a join found. */
    private static Optional<SteleLookup> lookUpFound(
            ConnectorSession session,
            SteleTableHandle table,
            TupleDomain<SteleColumnHandle> constraint,
            TupleDomain<SteleColumnHandle> found) {
        return found.isAll() || !table.selection().isAll() || table.byShard()
                ? Optional.empty()
                : Lookups.of(session, table.table(), constraint);
    }

    /**
     * @param plan of the whole scan
     * @param wanted the part of the plan that is read
     */
    private List<ConnectorSplit> scan(
            ConnectorSession session,
            SteleTableHandle table,
            TupleDomain<SteleColumnHandle> constraint,
            ScanPlan plan,
            ScanPlan wanted) {
        TupleDomain<SteleColumnHandle> bound =
                table.selection()
                        .topN()
                        .map(topN -> TopNBound.of(table.table(), topN, wanted))
                        .orElseGet(TupleDomain::all);
        PreferredWorkers.OfScan workersOfScan =
                SteleSessionProperties.isPreferredWorkersEnabled(session)
                        ? preferredWorkers.of(plan, queues.now())
                        : PreferredWorkers.none();
        List<ConnectorSplit> splits = new ArrayList<>();
        for (ShardScan shard : wanted.shards()) {
            addSplits(table, workersOfScan, plan.fromLsn(), shard, bound, splits);
        }
        if (!table.byShard()) { // else the engine ignores the addresses, unless shards are few
            queues.add(table.snapshotId(), workersOfScan.bytes());
        }
        filePreopener.open(session, table, constraint, splits);
        return splits;
    }

    private ScanPlan ask(SteleTableHandle table, ScanPredicate predicate) {
        return sidecar.open(
                ScanActions.PLAN_SCAN,
                new PlanScanRequest(
                        table.snapshotId(),
                        table.table().id(),
                        predicate,
                        sortColumn(table),
                        table.index().isPresent(),
                        OptionalInt.of(table.table().schemaVersion())));
    }

    /** The column whose ranges bound the first rows of an order. */
    private static List<Integer> sortColumn(SteleTableHandle table) {
        return table.selection().topN().stream()
                .filter(topN -> TopNBound.isPossible(table.table(), topN))
                .map(topN -> topN.items().getFirst().column().id())
                .toList();
    }

    private void addSplits(
            SteleTableHandle table,
            PreferredWorkers.OfScan workersOfScan,
            long fromLsn,
            ShardScan shard,
            TupleDomain<SteleColumnHandle> bound,
            List<ConnectorSplit> splits) {
        int index = shard.shard().index();
        List<ConnectorSplit> found = new ArrayList<>();
        if (shard.live()) {
            found.add(new SteleLiveSplit(index, shard.mode()));
        }
        ScanPredicate bounds = ScanPredicates.of(table.table(), bound);
        for (FileScan file : shard.files()) {
            if (bounds.mayMatch(file.columns(), file.rowCount())) {
                addSplits(table, workersOfScan, fromLsn, index, file, found);
            }
        }
        for (ConnectorSplit split : found) {
            splits.add(bound.isAll() ? split : new SteleTopNSplit(split, bound));
        }
    }

    private void addSplits(
            SteleTableHandle table,
            PreferredWorkers.OfScan workersOfScan,
            long fromLsn,
            int shard,
            FileScan file,
            List<ConnectorSplit> splits) {
        for (long start = 0; start < file.sizeBytes(); start += maxSplitBytes) {
            long length = Math.min(maxSplitBytes, file.sizeBytes() - start);
            PreferredWorkers.Choice worker = workersOfScan.of(file.path(), start, length);
            splits.add(
                    new SteleFileSplit(
                            shard,
                            file.path(),
                            file.sizeBytes(),
                            start,
                            length,
                            file.maxLsn() > table.readLsn() || file.minLsn() < fromLsn,
                            fromLsn,
                            file.maxLsn(),
                            file.ingestLsn(),
                            file.firstRowId(),
                            file.deletedRows(),
                            file.certainColumns(),
                            file.bitmapIndexBytes(),
                            file.checksumBlockBytes(),
                            file.indexedMetadata(),
                            file.fresh(),
                            // The engine has the same worker for a bucket each time
                            table.byShard() ? Optional.empty() : worker.preferred(),
                            worker.address(),
                            SplitWeight.fromProportion(
                                    Math.clamp((double) length / maxSplitBytes, MIN_WEIGHT, 1.0))));
        }
    }
}
