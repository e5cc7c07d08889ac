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
 * An aggregation of a table as of an LSN: it collects the files and rows to read, estimates the
 * work, and creates the computing passes. One {@link #pass} computes all groups; where they do not
 * fit in memory, several passes compute some of the groups each. Confined to one thread; its passes
 * are not.
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
    private Optional<GroupedState> known = Optional.empty(); // of files answered by statistics

    /** A source of rows that each pass opens as one part. */
    interface Source {
        AggregatePart open(int index, AggregatePass pass);

        /** Prefetches file metadata, since the source is opened soon; does not wait. */
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
            // The rows are in memory, or their SST files are opened when they are merged
        }
    }

    /**
     * @param readLsn the snapshot LSN of all views
     * @param fromLsn rows with a lower LSN have expired
     * @param predicate the filter of the rows, which is applied completely
     * @param cache the cached results of files; empty: everything is computed
     * @param maxBytes the limit for the groups in memory at once, in each thread that computes
     *     parts
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

    /** Adds a column file of a view; to be called before the first pass. */
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

    /** The use of the cache, which only has results of all groups of a file, in this pass. */
    private Optional<AggregateCacheLookup> run(
            Optional<AggregateCacheKey> key, AggregatePass pass) {
        return key.filter(present -> pass.range().isAll())
                .map(
                        present ->
                                new AggregateCacheLookup(
                                        cache.orElseThrow(), present, plan, tally));
    }

    /**
     * Adds the rows of a view that are in no column file; to be called before the first pass.
     *
     * @param opener opens a cursor as of the LSNs of this aggregation; called again in a thread
     *     that may wait if it must wait
     */
    public void addRows(TableView view, NonBlocking.Read<RowCursor> opener) {
        work.countRows(view);
        sources.add(new RowSource(plan, view, opener));
    }

    /**
     * Starts to compute the results of some groups.
     *
     * @param computing the number of parts whose groups may have the maximal size at once
     */
    public AggregatePass pass(GroupRange groups, int computing) {
        return new AggregatePass(plan, groups, limits, computing, sources, known);
    }

    /**
     * An estimate of the work of all parts by the present contents of the caches; reads nothing.
     *
     * @param workers the number of parts that are computed at once
     */
    public AggregationEstimate estimate(int workers) {
        return work.estimate(cache, workers);
    }

    /** The use of cached results by the parts that are completed so far. */
    public CachedResultUse cachedResultUse() {
        return tally.use();
    }

    /** The columns of the results. */
    public List<ColumnSchema> resultColumns() {
        return plan.resultColumns();
    }
}
