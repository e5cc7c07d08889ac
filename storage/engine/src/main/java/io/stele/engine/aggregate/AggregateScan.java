package io.stele.engine.aggregate;

import static java.util.Objects.requireNonNull;

import io.stele.engine.scan.RowCursor;
import io.stele.engine.tablet.ColumnFile;
import io.stele.engine.tablet.TableFiles;
import io.stele.engine.tablet.TableView;
import io.stele.objectstore.NonBlocking;
import io.stele.protocol.aggregate.Aggregation;
import io.stele.protocol.api.FragmentUse;
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
    private final Optional<FragmentCache> cache;
    private final FragmentKey.Maker keys;
    private final FragmentTally tally = new FragmentTally();
    private final List<Source> sources = new ArrayList<>();
    private Optional<GroupedState> known = Optional.empty(); // of files that are not read

    /** Opens what a part reads; as often as there are passes. */
    @FunctionalInterface
    interface Source {
        AggregatePart open(int index, AggregatePass pass);
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
            Optional<FragmentCache> cache,
            long maxBytes) {
        this.cache = requireNonNull(cache, "cache is null");
        this.files = requireNonNull(files, "files is null");
        this.plan = new AggregatePlan(table, aggregation, predicate);
        this.keys = new FragmentKey.Maker(plan);
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
        Optional<GroupedState> result = KnownResults.of(plan, scope);
        if (result.isPresent()) {
            known.ifPresent(before -> result.get().merge(before));
            known = result;
            return;
        }
        Optional<FragmentKey> key = cache.isPresent() ? keys.of(scope) : Optional.empty();
        sources.add(
                (index, pass) ->
                        new AggregatePart(
                                index,
                                pass,
                                new ColumnFileVectors(
                                        files,
                                        file,
                                        plan.columns(),
                                        scope.deleted(),
                                        readLsn,
                                        fromLsn),
                                () -> plan.newAggregator(scope.residual(), pass.range()),
                                run(key, pass)));
    }

    /** The use of the cache, which has results of all groups of a file only. */
    private Optional<FragmentRun> run(Optional<FragmentKey> key, AggregatePass pass) {
        return key.filter(present -> pass.range().isAll())
                .map(present -> new FragmentRun(cache.orElseThrow(), present, plan, tally));
    }

    /**
     * Adds rows of a view that are in no column file; before the first part is taken.
     *
     * @param opener as of the LSNs of this aggregation; called again elsewhere if it must wait
     */
    public void addRows(TableView view, NonBlocking.Read<RowCursor> opener) {
        sources.add(
                (index, pass) ->
                        new AggregatePart(
                                index,
                                pass,
                                new RowVectors(opener, view.versions().layout(), plan.columns()),
                                () -> plan.newAggregator(pass.range()),
                                Optional.empty()));
    }

    /**
     * Starts to compute the results of some groups.
     *
     * @param computing how many parts may have the most bytes of groups at once
     */
    public AggregatePass pass(GroupRange groups, int computing) {
        return new AggregatePass(plan, groups, limits, computing, sources, known);
    }

    /** The use of cached results by the parts so far. */
    public FragmentUse fragmentUse() {
        return tally.use();
    }

    /** The columns of the results. */
    public List<ColumnSchema> resultColumns() {
        return plan.resultColumns();
    }
}
