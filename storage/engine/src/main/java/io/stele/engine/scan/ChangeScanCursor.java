package io.stele.engine.scan;

import static java.util.Objects.requireNonNull;

import io.stele.engine.datafile.ColumnFile;
import io.stele.engine.datafile.ColumnFileVersions;
import io.stele.engine.datafile.TableFiles;
import io.stele.engine.row.KeyedVersion;
import io.stele.engine.tablet.TableView;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.scan.ChangeKind;
import io.stele.protocol.predicate.RowMatcher;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.KeyEncoder;
import io.stele.protocol.schema.TableSchema;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A cursor of a change scan over the changes of one shard of a table after one LSN and up to
 * another. Each change is returned by itself, in no guaranteed order: the row as it was written or,
 * for a delete, as it was before.
 *
 * <p>Where the versions of a key are adjacent (memtables, SST files), the previous version
 * determines the kind of a change. A column file stores, for each row, the LSN at which it began
 * and the LSN at which it ended. A row of a key that began where another one ended is an update. A
 * row that ended where none began is a delete. So the ends in column files are collected first, up
 * to a limit. Each row that began removes its matching end, and the remaining ends are deletes.
 *
 * <p>The predicate applies to the rows that are returned. Its conditions on key columns hold for a
 * row and for the one that it replaced, so files without such keys are not read. By other columns a
 * file is pruned only if none of its rows can have replaced another row or been replaced. That is
 * so for a table without a key and, for rows that began, once no collected end is left.
 *
 * <p>Expired rows are not deletes and are not returned. Confined to one thread at a time.
 */
public final class ChangeScanCursor implements RowCursor {
    private enum Phase {
        ENDS,
        SORTED,
        FILES,
        DELETES,
        OVER
    }

    private final TableFiles files;
    private final TableView view;
    private final long fromLsn;
    private final long toLsn;
    private final long maxEndedBytes;
    private final RowMatcher matcher;
    private final ChangeFilePruner wanted;
    private final @Nullable KeyEncoder keys;
    private final ArrayDeque<ColumnFile> ending;
    private final ArrayDeque<ColumnFile> beginning;
    private final TreeMap<KeyedVersion, KeyedVersion> ended = new TreeMap<>();
    private final BinaryRow row;
    private Phase phase = Phase.ENDS;
    private @Nullable ColumnFileVersions file; // of ending or beginning
    private @Nullable Iterator<KeyedVersion> sorted;
    private @Nullable KeyedVersion newer; // of the sorted ones, whose predecessor is not read yet
    private @Nullable Iterator<Map.Entry<KeyedVersion, KeyedVersion>> deletes;
    private long endedBytes;
    private long changeLsn;
    private ChangeKind kind = ChangeKind.INSERT;

    private ChangeScanCursor(
            TableFiles files,
            TableView view,
            long fromLsn,
            long toLsn,
            ScanPredicate predicate,
            long maxEndedBytes) {
        this.files = requireNonNull(files, "files is null");
        this.view = requireNonNull(view, "view is null");
        this.fromLsn = fromLsn;
        this.toLsn = toLsn;
        this.maxEndedBytes = maxEndedBytes;
        TableSchema schema = view.schema();
        this.matcher = predicate.matcher(view.versions().layout());
        this.wanted = new ChangeFilePruner(view.versions(), predicate);
        this.keys = schema.hasPrimaryKey() ? KeyEncoder.forPrimaryKey(schema) : null;
        // If there are SST files, they have every version
        List<ColumnFile> columns =
                schema.orientation().hasRows()
                        ? List.of()
                        : view.columnFiles().stream().filter(wanted::hasKeys).toList();
        this.ending = new ArrayDeque<>(columns.stream().filter(this::hasEnds).toList());
        this.beginning = new ArrayDeque<>(columns.stream().filter(this::hasBegins).toList());
        this.row = new BinaryRow(view.versions().layout());
    }

    /**
     * The changes of a view.
     *
     * @param fromLsn the view has the history from here on; changes at it are not returned
     * @param toLsn everything up to it is applied; changes at it are returned
     * @param predicate changes whose rows do not match are left out
     * @param maxEndedBytes limit of obsolete rows of column files; more are refused with
     *     INVALID_ARGUMENT
     */
    public static ChangeScanCursor open(
            TableFiles files,
            TableView view,
            long fromLsn,
            long toLsn,
            ScanPredicate predicate,
            long maxEndedBytes) {
        return new ChangeScanCursor(files, view, fromLsn, toLsn, predicate, maxEndedBytes);
    }

    private boolean hasEnds(ColumnFile candidate) {
        return candidate.deletes().cardinalityAt(toLsn)
                > candidate.deletes().cardinalityAt(fromLsn);
    }

    private boolean hasBegins(ColumnFile candidate) {
        return candidate.entry().minLsn().value() <= toLsn
                && candidate.entry().maxLsn().value() > fromLsn;
    }

    private boolean isInRange(long lsn) {
        return lsn > fromLsn && lsn <= toLsn;
    }

    @Override
    public Step step() throws IOException {
        return switch (phase) {
            case ENDS -> collectEnd();
            case SORTED -> stepSorted();
            case FILES -> stepFile();
            case DELETES -> stepDelete();
            case OVER -> Step.END;
        };
    }

    // ---- rows of column files that ended

    private Step collectEnd() throws IOException {
        ColumnFileVersions open = file;
        if (open == null) {
            if (!open(ending)) {
                phase = Phase.SORTED;
            }
            return Step.NONE;
        }
        if (!open.advance()) {
            closeFile();
            return Step.NONE;
        }
        KeyedVersion version = open.version();
        // A row that became obsolete at its own LSN was never visible
        if (isInRange(open.endLsn()) && version.lsn() < open.endLsn()) {
            endedBytes += version.memoryBytes();
            if (endedBytes > maxEndedBytes) {
                throw new SteleException(
                        ErrorCode.INVALID_ARGUMENT,
                        "Expected changes of at most %s bytes of rows in a shard of %s, found more between LSN %s and %s: ask for a shorter time, or raise stele.table-changes.max-size of the sidecar"
                                .formatted(
                                        maxEndedBytes,
                                        view.schema().qualifiedName(),
                                        new Lsn(fromLsn).withTime(),
                                        new Lsn(toLsn).withTime()));
            }
            ended.put(at(version, open.endLsn()), version);
        }
        return Step.NONE;
    }

    private static KeyedVersion at(KeyedVersion version, long lsn) {
        return KeyedVersion.deleted(
                version.keyArray(), version.keyOffset(), version.keyLength(), lsn);
    }

    // ---- memtables and SST files

    private Step stepSorted() throws IOException {
        Iterator<KeyedVersion> versions = sorted;
        if (versions == null) {
            sorted = ShardScanner.versions(view, view.schema().orientation().hasRows());
            return Step.NONE;
        }
        KeyedVersion decided = newer;
        if (!versions.hasNext()) {
            newer = null;
            phase = Phase.FILES;
            return decided == null ? Step.NONE : emit(decided, null);
        }
        KeyedVersion next = next(versions);
        if (decided == null) {
            newer = next;
            return Step.NONE;
        }
        boolean sameKey = decided.compareKey(next) == 0;
        if (sameKey && decided.lsn() == next.lsn()) {
            return Step.NONE; // the one named first is the later one
        }
        newer = next;
        return emit(decided, sameKey ? next : null);
    }

    private static KeyedVersion next(Iterator<KeyedVersion> versions) throws IOException {
        try {
            return versions.next();
        } catch (UncheckedIOException failed) {
            throw failed.getCause();
        }
    }

    /**
     * @param before the version of the key before it; null: that is in a file, or nowhere
     */
    private Step emit(KeyedVersion version, @Nullable KeyedVersion before) {
        if (!isInRange(version.lsn())) {
            return Step.NONE;
        }
        boolean replaces =
                before == null
                        ? !version.isDeleted() && ended.remove(version) != null
                        : !before.isDeleted();
        if (!version.isDeleted()) {
            return show(version, version.lsn(), replaces ? ChangeKind.UPDATE : ChangeKind.INSERT);
        }
        // Else it replaced a row of a file, whose change is returned from there, or no row
        return before != null && replaces
                ? show(before, version.lsn(), ChangeKind.DELETE)
                : Step.NONE;
    }

    // ---- rows of column files that began

    private Step stepFile() throws IOException {
        ColumnFileVersions open = file;
        if (open == null) {
            if (ended.isEmpty()) { // what begins replaces nothing
                while (!beginning.isEmpty() && !wanted.hasRows(beginning.element())) {
                    beginning.remove();
                }
            }
            if (!open(beginning)) {
                phase = Phase.DELETES;
                deletes = ended.entrySet().iterator();
            }
            return Step.NONE;
        }
        if (!open.advance()) {
            closeFile();
            return Step.NONE;
        }
        KeyedVersion version = open.version();
        if (!isInRange(version.lsn()) || open.endLsn() <= version.lsn()) {
            return Step.NONE;
        }
        boolean replaces = ended.remove(version) != null;
        return show(version, version.lsn(), replaces ? ChangeKind.UPDATE : ChangeKind.INSERT);
    }

    private Step stepDelete() {
        Iterator<Map.Entry<KeyedVersion, KeyedVersion>> left =
                requireNonNull(deletes, "deletes is null");
        if (!left.hasNext()) {
            phase = Phase.OVER;
            return Step.END;
        }
        Map.Entry<KeyedVersion, KeyedVersion> end = left.next();
        return show(end.getValue(), end.getKey().lsn(), ChangeKind.DELETE);
    }

    private Step show(KeyedVersion version, long lsn, ChangeKind newKind) {
        row.wrap(version.rowArray(), version.rowOffset(), version.rowLength());
        changeLsn = lsn;
        kind = newKind;
        return matcher.matches(row) ? Step.ROW : Step.NONE;
    }

    private boolean open(ArrayDeque<ColumnFile> next) throws IOException {
        ColumnFile first = next.peek();
        if (first == null) {
            return false;
        }
        file = new ColumnFileVersions(first, files.openRows(first), keys, fromLsn, 0);
        next.remove(); // only now, since a call that must not wait is repeated
        return true;
    }

    private void closeFile() throws IOException {
        ColumnFileVersions open = file;
        file = null;
        if (open != null) {
            open.close();
        }
    }

    @Override
    public TableSchema schema() {
        return view.schema();
    }

    @Override
    public BinaryRow row() {
        return row;
    }

    /** When it happened. */
    @Override
    public long lsn() {
        return changeLsn;
    }

    /** The kind of change: {@link ChangeKind#code}. */
    @Override
    public long rowId() {
        return kind.code();
    }

    /** The kind of change. */
    public ChangeKind kind() {
        return kind;
    }

    @Override
    public void close() throws IOException {
        closeFile();
    }
}
