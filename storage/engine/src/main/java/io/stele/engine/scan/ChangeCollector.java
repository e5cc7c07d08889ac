package io.stele.engine.scan;

import static java.util.Objects.requireNonNull;

import io.stele.columnfile.orc.ColumnFileCursor;
import io.stele.engine.datafile.ColumnFile;
import io.stele.engine.datafile.DeletionVector;
import io.stele.engine.datafile.SstFile;
import io.stele.engine.datafile.TableFiles;
import io.stele.engine.memtable.MemTable;
import io.stele.engine.row.KeyedVersion;
import io.stele.engine.row.MergingVersions;
import io.stele.engine.row.RowCache.Row;
import io.stele.engine.tablet.TableView;
import io.stele.objectstore.NonBlocking;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.predicate.RowMatcher;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.KeyEncoder;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.schema.XxHash64;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The collection of the changes of one window, or a part of it, from a view of a shard, step by
 * step. Confined to one thread at a time.
 *
 * <p>In memtables and SST files the versions of a key are adjacent, so the previous version says
 * what a change replaced. SST files with no change in the window are not read for that if they are
 * many times as large: the rows before the window are looked up by key, together. A column file
 * stores, for each row, the LSN at which it began and the LSN at which it ended. Where both are of
 * one key at one LSN, the row that began replaced the one that ended.
 */
final class ChangeCollector implements AutoCloseable {
    /** Rows of SST files without changes that are read for each version of the others. */
    private static final int MAX_READ_FOR_ONE = 4;

    private enum Phase {
        ENDS,
        SORTED,
        BEGINS,
        LOOKUPS,
        COMPLETE
    }

    private final TableFiles files;
    private final TableView view;
    private final CollectedChanges changes;
    private final boolean withBeforeImages;
    private final RowMatcher matcher;
    private final ChangeFilePruner wanted;
    private final @Nullable KeyEncoder keys;
    private final BinaryRow row;
    private final ArrayDeque<ColumnFile> ending;
    private final ArrayDeque<ColumnFile> beginning;
    private final ArrayDeque<KeyedVersion> unknown = new ArrayDeque<>(); // places, by key
    private Phase phase = Phase.ENDS;
    private @Nullable EndedRows ends;
    private @Nullable Iterator<KeyedVersion> sorted;
    private boolean isSortedComplete; // the sorted versions have those before the window
    private @Nullable KeyedVersion newer; // of the sorted ones, whose predecessor is not read yet
    private @Nullable ColumnFileCursor begins;
    private @Nullable ColumnFile begun;
    private boolean isSettling; // unknown ones are looked up before the sorted ones go on
    private @Nullable KeyLookup lookup;
    private int fetched; // unknown ones for which the lookup has in memory what it needs

    /**
     * @param changes gets what its window and part want
     * @param predicate changes whose rows do not match are not shown
     * @param withBeforeImages whether the rows before updates are shown
     */
    ChangeCollector(
            TableFiles files,
            TableView view,
            CollectedChanges changes,
            ScanPredicate predicate,
            boolean withBeforeImages) {
        this.files = requireNonNull(files, "files is null");
        this.view = requireNonNull(view, "view is null");
        this.changes = requireNonNull(changes, "changes is null");
        this.withBeforeImages = withBeforeImages;
        TableSchema schema = view.schema();
        this.matcher = predicate.matcher(view.versions().layout());
        this.wanted = new ChangeFilePruner(view.versions(), predicate);
        this.keys = schema.hasPrimaryKey() ? KeyEncoder.forPrimaryKey(schema) : null;
        this.row = new BinaryRow(view.versions().layout());
        // If there are SST files, they have every version
        List<ColumnFile> columns =
                schema.orientation().hasRows()
                        ? List.of()
                        : view.columnFiles().stream().filter(wanted::hasKeys).toList();
        // The first ones to be needed first, since the window may become shorter
        this.ending =
                new ArrayDeque<>(
                        columns.stream()
                                .filter(this::hasEnds)
                                .sorted(Comparator.comparingLong(this::firstEnd))
                                .toList());
        this.beginning =
                new ArrayDeque<>(
                        columns.stream()
                                .filter(this::hasBegins)
                                .sorted(Comparator.comparing(file -> file.entry().minLsn()))
                                .toList());
    }

    private boolean hasEnds(ColumnFile file) {
        return firstEnd(file) <= changes.endLsn();
    }

    private long firstEnd(ColumnFile file) {
        DeletionVector deletes = file.deletes();
        if (deletes.floorLsn() > changes.fromLsn()) {
            throw new SteleException(
                    ErrorCode.READ_POINT_EXPIRED,
                    "Expected the deletions of %s after LSN %s, found those after LSN %s only"
                            .formatted(
                                    file.entry().path(),
                                    new Lsn(changes.fromLsn()).withTime(),
                                    new Lsn(deletes.floorLsn()).withTime()));
        }
        return deletes.firstAfter(changes.fromLsn());
    }

    private boolean hasBegins(ColumnFile file) {
        return file.entry().minLsn().value() <= changes.endLsn()
                && file.entry().maxLsn().value() > changes.fromLsn();
    }

    /**
     * Does about as much work as one row takes.
     *
     * @return whether all changes are collected
     */
    boolean step() throws IOException {
        switch (phase) {
            case ENDS -> stepEnds();
            case SORTED -> stepSorted();
            case BEGINS -> stepBegins();
            case LOOKUPS -> stepLookups(Phase.COMPLETE);
            case COMPLETE -> {}
        }
        return phase == Phase.COMPLETE;
    }

    // ---- rows of column files that ended

    private void stepEnds() throws IOException {
        EndedRows open = ends;
        if (open == null) {
            ColumnFile next = ending.peek();
            if (next == null) {
                changes.endsAreAdded();
                phase = Phase.SORTED;
                return;
            }
            if (hasEnds(next)) {
                ends = EndedRows.open(files, next, keys, changes.fromLsn(), changes.endLsn());
            }
            ending.remove(); // only now, since a call that must not wait is repeated
            return;
        }
        if (!open.advance()) {
            ends = null;
            open.close();
            return;
        }
        KeyedVersion ended = open.version();
        // A row that became obsolete at its own LSN was never visible
        if (ended != null
                && ended.lsn() < open.endLsn()
                && changes.isWanted(ended, open.endLsn())) {
            changes.addEnd(shown(ended), open.endLsn());
        }
    }

    /** The row, or a tombstone if it is not to be shown. */
    private KeyedVersion shown(KeyedVersion version) {
        return matches(version)
                ? version
                : KeyedVersion.deleted(
                        version.keyArray(),
                        version.keyOffset(),
                        version.keyLength(),
                        version.lsn());
    }

    private boolean matches(KeyedVersion version) {
        return matcher.matches(
                row.wrap(version.rowArray(), version.rowOffset(), version.rowLength()));
    }

    // ---- memtables and SST files

    private void stepSorted() throws IOException {
        if (isSettling || (changes.isUnordered() && unknown.size() >= KeyPrefetch.MIN_KEYS)) {
            isSettling = true;
            stepLookups(Phase.SORTED);
            return;
        }
        Iterator<KeyedVersion> versions = sorted;
        if (versions == null) {
            sorted = openSorted();
            return;
        }
        KeyedVersion decided = newer;
        if (!versions.hasNext()) {
            newer = null;
            phase = Phase.BEGINS;
            if (decided != null) {
                add(decided, null);
            }
            return;
        }
        KeyedVersion next = next(versions);
        if (decided == null) {
            newer = next;
            return;
        }
        boolean sameKey = decided.compareKey(next) == 0;
        if (sameKey && decided.lsn() == next.lsn()) {
            return; // the one named first is the later one
        }
        newer = next;
        add(decided, sameKey ? next : null);
    }

    private static KeyedVersion next(Iterator<KeyedVersion> versions) throws IOException {
        try {
            return versions.next();
        } catch (UncheckedIOException failed) {
            throw failed.getCause();
        }
    }

    private Iterator<KeyedVersion> openSorted() throws IOException {
        List<MemTable> memTables =
                view.memTables().stream()
                        .filter(table -> table.minLogLsn() <= changes.endLsn())
                        .toList();
        List<SstFile> all = view.schema().orientation().hasRows() ? view.sstFiles() : List.of();
        List<SstFile> changed = all.stream().filter(this::hasChanges).toList();
        boolean hasChanges =
                !changed.isEmpty()
                        || memTables.stream().anyMatch(table -> table.maxLsn() > changes.fromLsn());
        if (!hasChanges) {
            return Collections.emptyIterator();
        }
        long versions =
                rowCount(changed) + memTables.stream().mapToLong(MemTable::versionCount).sum();
        isSortedComplete = rowCount(all) - rowCount(changed) <= MAX_READ_FOR_ONE * versions;
        List<Iterator<KeyedVersion>> sources = new ArrayList<>();
        memTables.forEach(table -> sources.add(table.versions()));
        for (SstFile file : isSortedComplete ? all : changed) {
            sources.add(file.versions());
        }
        try {
            return new MergingVersions(sources);
        } catch (UncheckedIOException failed) {
            throw failed.getCause(); // it reads the first version of every file
        }
    }

    private boolean hasChanges(SstFile file) {
        return (file.entry().minLsn().value() <= changes.endLsn()
                        && file.entry().maxLsn().value() > changes.fromLsn())
                || file.tombstones().stream().anyMatch(end -> changes.hasLsn(end.lsn().value()));
    }

    private static long rowCount(List<SstFile> files) {
        return files.stream().mapToLong(file -> file.entry().rowCount()).sum();
    }

    /**
     * @param before the version of the key before it; null: none of the sorted ones
     */
    private void add(KeyedVersion version, @Nullable KeyedVersion before) {
        if (!changes.isWanted(version, version.lsn())) {
            return;
        }
        if (before != null && (isSortedComplete || before.lsn() > changes.fromLsn())) {
            addKnown(version, before);
        } else if (!isSortedComplete) {
            addUnknown(version);
        } else if (!version.isDeleted()) { // it may have replaced a row of a column file
            changes.addBegin(version, matches(version));
        }
    }

    private void addKnown(KeyedVersion version, KeyedVersion before) {
        boolean isShown = !version.isDeleted() && matches(version);
        if (before.isDeleted()) {
            if (!version.isDeleted()) {
                changes.addBegin(version, isShown);
            }
            return;
        }
        KeyedVersion replaced = shown(before);
        if (!version.isDeleted()) {
            if (isShown || (withBeforeImages && !replaced.isDeleted())) {
                changes.addUpdate(replaced, version, isShown);
            }
        } else if (view.schema().orientation().hasRows()) {
            changes.addDelete(replaced, version.lsn());
        } else { // a row of a worker's file may have taken its place
            changes.addEnd(replaced, version.lsn());
        }
    }

    private void addUnknown(KeyedVersion version) {
        boolean isShown = !version.isDeleted() && matches(version);
        if (isShown || version.isDeleted() || withBeforeImages) {
            unknown.add(changes.addUnknown(version, isShown));
        }
    }

    // ---- rows of column files that began

    private void stepBegins() throws IOException {
        ColumnFileCursor open = begins;
        ColumnFile next = begun == null ? beginning.peek() : begun;
        if (next == null) {
            phase = Phase.LOOKUPS;
            return;
        }
        if (open == null) {
            // A row that replaces none matters only if it is shown
            if (hasBegins(next) && (changes.hasOpenEnds() || wanted.hasRows(next))) {
                begins = files.openRows(next);
                begun = next;
            }
            beginning.remove(); // only now, since a call that must not wait is repeated
            return;
        }
        if (!open.advance()) {
            begins = null;
            begun = null;
            open.close();
            return;
        }
        if (!changes.hasLsn(open.lsn()) || next.deletes().isDeleted(open.ordinal(), open.lsn())) {
            return; // else it became obsolete at its own LSN, and was never visible
        }
        byte[] bytes = open.row().toByteArray();
        byte[] key = keys == null ? KeyEncoder.rowIdKey(open.rowId()) : keys.encode(open.row());
        KeyedVersion version =
                KeyedVersion.live(key, 0, key.length, open.lsn(), bytes, 0, bytes.length);
        if (changes.isWanted(version, version.lsn())) {
            changes.addBegin(version, matches(version));
        }
    }

    // ---- rows of SST files before the window

    private void stepLookups(Phase afterwards) throws IOException {
        KeyedVersion at = unknown.peek();
        if (at == null) {
            isSettling = false;
            phase = afterwards;
            return;
        }
        if (!changes.isBeforeUnknown(at)) { // it was dropped
            drop();
            return;
        }
        KeyLookup present = lookup;
        if (present == null || fetched == 0) {
            present = fetch();
            lookup = present;
        }
        byte[] key = at.key();
        long hash = XxHash64.hash(key, 0, key.length);
        Row found = present.find(view, key, hash, changes.fromLsn(), 0);
        byte[] bytes = found.bytes();
        KeyedVersion before =
                bytes == null
                        ? null
                        : shown(
                                KeyedVersion.live(
                                        key, 0, key.length, found.lsn(), bytes, 0, bytes.length));
        changes.found(at, before);
        drop();
    }

    private void drop() {
        unknown.remove();
        fetched = Math.max(0, fetched - 1);
    }

    /** Reads for many keys at once where that is worth it. */
    private KeyLookup fetch() throws IOException {
        if (!KeyPrefetch.isUseful(files, view.schema(), unknown.size())) {
            return new KeyLookup(files);
        }
        NonBlocking.check();
        KeyPrefetch prefetch = new KeyPrefetch(files);
        int most = KeyPrefetch.keysAFetch(view);
        int count = 0;
        for (KeyedVersion at : unknown) {
            if (count == most) {
                break;
            }
            count++;
            if (changes.isBeforeUnknown(at)) {
                byte[] key = at.key();
                long hash = XxHash64.hash(key, 0, key.length);
                prefetch.add(view, key, hash, changes.fromLsn(), 0);
            }
        }
        KeyLookup ahead = new KeyLookup(files, prefetch.fetch());
        fetched = count;
        return ahead;
    }

    @Override
    public void close() throws IOException {
        EndedRows openEnds = ends;
        ColumnFileCursor openBegins = begins;
        ends = null;
        begins = null;
        try {
            if (openEnds != null) {
                openEnds.close();
            }
        } finally {
            if (openBegins != null) {
                openBegins.close();
            }
        }
    }
}
