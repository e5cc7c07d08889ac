package io.stele.storage.aggregate;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.aggregate.Aggregation;
import io.stele.protocol.api.FragmentUse;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.row.RowEncoder;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.TableSchema;
import io.stele.storage.objectstore.NonBlocking;
import io.stele.storage.scan.RowCursor;
import io.stele.storage.tablet.ColumnFile;
import io.stele.storage.tablet.TableFiles;
import io.stele.storage.tablet.TableView;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * One aggregation of a table as of an LSN: its parts are computed one by one, in any number of
 * threads, and merged.
 *
 * <p>Parts are merged in their order, whichever ends first, so that sums of floating point are the
 * same for the same files. Thread-safe: guarded by its own lock.
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

    // Guarded by this
    private final GroupedState merged;

    // Guarded by this
    private final Map<Integer, GroupedState> early = new TreeMap<>(); // that others come before

    // Guarded by this
    private int opened;

    // Guarded by this
    private int mergedParts;

    // Guarded by this
    private int nextInOrder;

    // Guarded by this: parts that did not wait for their turn
    private final BitSet mergedEarly = new BitSet();

    // Guarded by this: of the early ones
    private long earlyBytes;

    /** Opens what a part reads. */
    @FunctionalInterface
    private interface Source {
        AggregatePart open(int index);
    }

    /**
     * @param readLsn of the read point that all views are of
     * @param fromLsn rows below have expired
     * @param predicate which rows count: all of it is applied
     * @param cache has results of files; empty: everything is computed
     * @throws io.stele.protocol.SteleException INVALID_ARGUMENT or COLUMN_NOT_FOUND
     */
    public AggregateScan(
            TableFiles files,
            TableSchema table,
            Aggregation aggregation,
            ScanPredicate predicate,
            long readLsn,
            long fromLsn,
            Optional<FragmentCache> cache) {
        this.cache = requireNonNull(cache, "cache is null");
        this.files = requireNonNull(files, "files is null");
        this.plan = new AggregatePlan(table, aggregation, predicate);
        this.keys = new FragmentKey.Maker(plan);
        this.limits = new AggregateLimits(aggregation.maxGroups(), AggregateLimits.MAX_STATE_BYTES);
        this.readLsn = readLsn;
        this.fromLsn = fromLsn;
        this.merged = plan.newState();
    }

    /** Adds a column file of a view; before the first part is taken. */
    public void addFile(TableView view, ColumnFile file) {
        Optional<FileScope> found =
                FileScope.of(file, view.versions(), plan.predicate(), readLsn, fromLsn);
        if (found.isEmpty()) {
            return;
        }
        FileScope scope = found.get();
        Optional<GroupedState> known = KnownResults.of(plan, scope);
        if (known.isPresent()) {
            synchronized (this) {
                merged.merge(known.get());
            }
            return;
        }
        Optional<FragmentKey> key = cache.isPresent() ? keys.of(scope) : Optional.empty();
        sources.add(
                index ->
                        new AggregatePart(
                                index,
                                new ColumnFileVectors(
                                        files,
                                        file,
                                        plan.columns(),
                                        scope.deleted(),
                                        readLsn,
                                        fromLsn),
                                () -> plan.newAggregator(scope.residual()),
                                limits,
                                key.map(
                                        present ->
                                                new FragmentRun(
                                                        cache.orElseThrow(),
                                                        present,
                                                        plan,
                                                        tally))));
    }

    /**
     * Adds rows of a view that are in no column file; before the first part is taken.
     *
     * @param opener as of the LSNs of this aggregation; called again elsewhere if it must wait
     */
    public void addRows(TableView view, NonBlocking.Read<RowCursor> opener) {
        sources.add(
                index ->
                        new AggregatePart(
                                index,
                                new RowVectors(opener, view.versions().layout(), plan.columns()),
                                plan::newAggregator,
                                limits,
                                Optional.empty()));
    }

    /** How many parts have to be read. */
    public int partCount() {
        return sources.size();
    }

    /** A part that nobody has yet; empty if there is none. */
    public synchronized Optional<AggregatePart> nextPart() {
        if (opened == sources.size()) {
            return Optional.empty();
        }
        int index = opened++;
        return Optional.of(sources.get(index).open(index));
    }

    /**
     * Takes what a part has come to when all of it was computed.
     *
     * @throws io.stele.protocol.SteleException TOO_MANY_GROUPS
     */
    public void merge(AggregatePart part) {
        GroupedState state = part.complete();
        synchronized (this) {
            merge(part.index(), state);
        }
    }

    private void merge(int index, GroupedState state) {
        early.put(index, state);
        earlyBytes += state.sizeBytes();
        while (true) {
            GroupedState next = early.remove(nextInOrder);
            if (next == null && !mergedEarly.get(nextInOrder)) {
                break;
            }
            nextInOrder++;
            if (next != null) {
                add(next);
            }
        }
        if (earlyBytes > limits.maxBytes()) {
            // Too much to wait for the part that is late: sums may differ in their last digits
            early.forEach(
                    (part, waiting) -> {
                        mergedEarly.set(part);
                        add(waiting);
                    });
            early.clear();
        }
    }

    private void add(GroupedState state) {
        earlyBytes -= state.sizeBytes();
        merged.merge(state);
        mergedParts++;
        limits.check(merged);
    }

    /** What the parts had from kept results so far. */
    public FragmentUse fragmentUse() {
        return tally.use();
    }

    /** The columns of the results. */
    public List<ColumnSchema> resultColumns() {
        return plan.resultColumns();
    }

    /** How many results there are, when all parts were merged. */
    public synchronized int resultCount() {
        if (mergedParts < sources.size()) {
            throw new IllegalStateException(
                    "Expected all %s parts of an aggregation, found %s"
                            .formatted(sources.size(), mergedParts));
        }
        return merged.groupCount();
    }

    /**
     * Writes a result as a row of {@link #resultColumns}.
     *
     * @throws io.stele.protocol.SteleException NUMBER_OUT_OF_RANGE
     */
    public synchronized void result(int index, RowEncoder row) {
        row.reset();
        merged.set(index, plan.aggregation().groupColumns().size(), row);
    }
}
