package io.stele.engine.scan;

import static java.util.Objects.requireNonNull;

import io.stele.engine.datafile.TableFiles;
import io.stele.engine.row.KeyedVersion;
import io.stele.engine.tablet.TableView;
import io.stele.protocol.api.scan.ChangeKind;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.schema.TableSchema;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A cursor of a change scan over the changes of one shard of a table after one LSN and up to
 * another, in the order of their LSNs. Each change is returned by itself: the row as it was written
 * or, for a delete, as it was before. If requested, the row before an update comes directly before
 * the row after it.
 *
 * <p>It collects the changes of as many LSNs as fit into its memory, returns them in order, and
 * continues with the next LSNs ({@link CollectedChanges}).
 *
 * <p>The predicate applies to each row that is returned. Its conditions on key columns hold for a
 * row and for the row that it replaced, so files without such keys are not read. By other columns a
 * file is pruned only if none of its rows can have replaced another row.
 *
 * <p>Expired rows are not deletes and are not returned. Confined to one thread at a time.
 */
public final class ChangeScanCursor implements RowCursor {
    private final TableFiles files;
    private final TableView view;
    private final ScanPredicate predicate;
    private final boolean withBeforeImages;
    private final CollectedChanges changes;
    private final Runnable closed;
    private final BinaryRow row;
    private @Nullable ChangeCollector collector; // null: changes are returned
    private @Nullable KeyedVersion replacement; // the row after the one before an update
    private boolean isOver;
    private boolean isClosed;
    private long changeLsn;
    private ChangeKind kind = ChangeKind.INSERT;

    private ChangeScanCursor(
            TableFiles files,
            TableView view,
            CollectedChanges changes,
            ScanPredicate predicate,
            boolean withBeforeImages,
            Runnable closed) {
        this.closed = requireNonNull(closed, "closed is null");
        this.files = requireNonNull(files, "files is null");
        this.view = requireNonNull(view, "view is null");
        this.changes = requireNonNull(changes, "changes is null");
        this.predicate = requireNonNull(predicate, "predicate is null");
        this.withBeforeImages = withBeforeImages;
        this.row = new BinaryRow(view.versions().layout());
    }

    /**
     * Opens a cursor over the changes of a view; reads nothing yet.
     *
     * @param fromLsn the view has the history from here on; changes at it are not returned
     * @param toLsn everything up to it is applied; changes at it are returned
     * @param predicate rows that do not match are left out
     * @param withBeforeImages whether rows before updates are returned
     * @param maxBytes the approximate memory for changes; at least one change is held
     * @param closed called once, when the cursor is closed: until then the history is retained
     */
    public static ChangeScanCursor open(
            TableFiles files,
            TableView view,
            long fromLsn,
            long toLsn,
            ScanPredicate predicate,
            boolean withBeforeImages,
            long maxBytes,
            Runnable closed) {
        ChangeScanCursor cursor =
                new ChangeScanCursor(
                        files,
                        view,
                        new CollectedChanges(fromLsn, toLsn, maxBytes),
                        predicate,
                        withBeforeImages,
                        closed);
        cursor.isOver = fromLsn >= toLsn;
        if (!cursor.isOver) {
            cursor.collector = cursor.collect();
        }
        return cursor;
    }

    private ChangeCollector collect() {
        return new ChangeCollector(files, view, changes, predicate, withBeforeImages);
    }

    @Override
    public Step step() throws IOException {
        if (isOver) {
            return Step.END;
        }
        KeyedVersion after = replacement;
        if (after != null) {
            replacement = null;
            return show(after, changeLsn, ChangeKind.UPDATE);
        }
        CollectedChanges.Entry ready = changes.pollReady();
        if (ready != null) {
            return show(ready.lsn(), ready.change());
        }
        ChangeCollector collecting = collector;
        if (collecting != null) {
            if (collecting.step()) {
                collector = null;
                collecting.close();
            }
            return Step.NONE;
        }
        CollectedChanges.Entry change = changes.poll();
        if (change != null) {
            return show(change.lsn(), change.change());
        }
        if (changes.advance()) {
            collector = collect();
            return Step.NONE;
        }
        isOver = true;
        return Step.END;
    }

    private Step show(long lsn, CollectedChanges.Change change) {
        KeyedVersion before = change.before();
        KeyedVersion after = change.after();
        if (after == null) {
            return before == null ? Step.NONE : show(before, lsn, ChangeKind.DELETE);
        }
        if (before == null) {
            return show(after, lsn, ChangeKind.INSERT);
        }
        if (withBeforeImages && !before.isDeleted()) {
            replacement = after;
            return show(before, lsn, ChangeKind.UPDATE_BEFORE);
        }
        return show(after, lsn, ChangeKind.UPDATE);
    }

    private Step show(KeyedVersion version, long lsn, ChangeKind newKind) {
        changeLsn = lsn;
        kind = newKind;
        if (version.isDeleted()) {
            return Step.NONE;
        }
        row.wrap(version.rowArray(), version.rowOffset(), version.rowLength());
        return Step.ROW;
    }

    @Override
    public TableSchema schema() {
        return view.schema();
    }

    @Override
    public BinaryRow row() {
        return row;
    }

    /** The LSN of the change. */
    @Override
    public long lsn() {
        return changeLsn;
    }

    /** The kind of change: {@link ChangeKind#code}. */
    @Override
    public long rowId() {
        return kind.code();
    }

    @Override
    public void close() throws IOException {
        if (isClosed) {
            return;
        }
        isClosed = true;
        ChangeCollector collecting = collector;
        try {
            if (collecting != null) {
                collecting.close();
            }
        } finally {
            closed.run();
        }
    }
}
