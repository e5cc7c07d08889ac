package io.stele.engine.aggregate;

import static java.util.Objects.requireNonNull;

import io.stele.engine.datafile.ColumnFile;
import io.stele.engine.datafile.TableFiles;
import io.stele.engine.scan.RowCursor;
import io.stele.engine.tablet.TableView;
import io.stele.objectstore.NonBlocking;
import io.stele.protocol.aggregate.Aggregation;
import io.stele.protocol.api.scan.AggregationEstimate;
import io.stele.protocol.api.status.CachedResultUse;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.TableSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * One aggregation of a table as of an LSN: what has to be read for it. {@link #pass} reads it, once
 * for all groups, or several times for some of them each where they are more than fit in memory.
 * Confined to one thread; its passes are not.
 */
public final class AggregateScan {
    private final TableFiles files;
    private final AggregatePlan plan;
    private final AggregateLimits limits;
    private final long readLsn;
    private final long fromLsn;
    private final Optional<AggregateCache> cache;
    private final AggregateCacheKey.Maker keys;
    private final AggregateCacheTally tally = new AggregateCacheTally();
    private final List<Source> sources = new ArrayList<>();
    private final AggregateWork work;
    private Optional<GroupedState> known = Optional.empty(); // of files that are not read

    /** What a part reads, in each pass. */
    interface Source {
        AggregatePart open(int index, AggregatePass pass);

        /** It is opened soon; does not wait. */
        void announce();
    }

    /** A column file, whose result may be cached. */
    private record FileSource(AggregateScan scan, FileScope scope, Optional<AggregateCacheKey> key)
            implements Source {
        @Override
        public AggregatePart open(int index, AggregatePass pass) {
            return scan.open(scope, key, index, pass);
        }

        @Override
        public void announce() {
            if (key.isEmpty() || !scan.cache.orElseThrow().has(key.get())) {
                scan.files.announce(scope.file());
            }
        }
    }

    /** Rows of a shard that are in no column file. */
    private record RowSource(AggregatePlan plan, TableView view, NonBlocking.Read<RowCursor> opener)
            implements Source {
        @Override
        public AggregatePart open(int index, AggregatePass pass) {
            return new AggregatePart(
                    index,
                    pass,
                    new RowVectors(opener, view.versions().layout(), plan.columns()),
                    () -> plan.newAggregator(pass.range()),
                    Optional.empty());
        }

        @Override
        public void announce() {
            // it is in memory, or its SST files are opened when they are merged
        }
    }

    /**
     * @param readLsn the snapshot LSN of all views
     * @param fromLsn rows below have expired
     * @param predicate selects the rows; all of it is applied
     * @param cache has results of files; empty: everything is computed
     * @param maxBytes of the groups in memory at once, in each thread that computes parts
     * @throws io.stele.protocol.SteleException INVALID_ARGUMENT or COLUMN_NOT_FOUND
     */
    public AggregateScan(
            TableFiles files,
            TableSchema table,
            Aggregation aggregation,
            ScanPredicate predicate,
            long readLsn,
            long fromLsn,
            Optional<AggregateCache> cache,
            long maxBytes) {
        this.cache = requireNonNull(cache, "cache is null");
        this.files = requireNonNull(files, "files is null");
        this.plan = new AggregatePlan(table, aggregation, predicate);
        this.keys = new AggregateCacheKey.Maker(plan);
        this.work = new AggregateWork(files, plan, table);
        this.limits = new AggregateLimits(aggregation.maxGroups(), maxBytes);
        this.readLsn = readLsn;
        this.fromLsn = fromLsn;
    }

    /** Adds a column file of a view; before the first part is taken. */
    public void addFile(TableView view, ColumnFile file) {
        Optional<FileScope> found =
                FileScope.of(file, view.versions(), plan.predicate(), readLsn, fromLsn);
        if (found.isEmpty()) {
            return;
        }
        FileScope scope = found.get();
        work.count(scope);
        Optional<GroupedState> result = StatisticsAggregates.of(plan, scope);
        if (result.isPresent()) {
            known.ifPresent(before -> result.get().merge(before));
            known = result;
            return;
        }
        Optional<AggregateCacheKey> key = cache.isPresent() ? keys.of(scope) : Optional.empty();
        work.read(scope, key);
        sources.add(new FileSource(this, scope, key));
    }

    private AggregatePart open(
            FileScope scope, Optional<AggregateCacheKey> key, int index, AggregatePass pass) {
        return new AggregatePart(
                index,
                pass,
                new ColumnFileVectors(
                        files,
                        scope.file(),
                        plan.columns(),
                        plan.columns(scope.residual()),
                        scope.wanted(plan.columns(scope.residual())),
                        scope.deleted(),
                        readLsn,
                        fromLsn),
                () -> plan.newAggregator(scope.residual(), pass.range()),
                run(key, pass));
    }

    /** The use of the cache, which has results of all groups of a file only. */
    private Optional<AggregateCacheLookup> run(
            Optional<AggregateCacheKey> key, AggregatePass pass) {
        return key.filter(present -> pass.range().isAll())
                .map(
                        present ->
                                new AggregateCacheLookup(
                                        cache.orElseThrow(), present, plan, tally));
    }

    /**
     * Adds rows of a view that are in no column file; before the first part is taken.
     *
     * @param opener as of the LSNs of this aggregation; called again elsewhere if it must wait
     */
    public void addRows(TableView view, NonBlocking.Read<RowCursor> opener) {
        work.countRows(view);
        sources.add(new RowSource(plan, view, opener));
    }

    /**
     * Starts to compute the results of some groups.
     *
     * @param computing how many parts may have the most bytes of groups at once
     */
    public AggregatePass pass(GroupRange groups, int computing) {
        return new AggregatePass(plan, groups, limits, computing, sources, known);
    }

    /**
     * The work of all parts by what is in memory now; reads nothing.
     *
     * @param workers parts that are computed at once
     */
    public AggregationEstimate estimate(int workers) {
        return work.estimate(cache, workers);
    }

    /** The use of cached results by the parts so far. */
    public CachedResultUse cachedResultUse() {
        return tally.use();
    }

    /** The columns of the results. */
    public List<ColumnSchema> resultColumns() {
        return plan.resultColumns();
    }
}
