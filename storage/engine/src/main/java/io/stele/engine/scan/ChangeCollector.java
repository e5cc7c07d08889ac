package io.stele.engine.scan;

import static java.util.Objects.requireNonNull;

import io.stele.columnfile.orc.ColumnFileCursor;
import io.stele.engine.datafile.ColumnFile;
import io.stele.engine.datafile.ColumnFileVersions;
import io.stele.engine.datafile.SstFile;
import io.stele.engine.datafile.TableFiles;
import io.stele.engine.memtable.MemTable;
import io.stele.engine.row.KeyedVersion;
import io.stele.engine.row.MergingVersions;
import io.stele.engine.row.RowCache.Row;
import io.stele.engine.tablet.TableView;
import io.stele.objectstore.NonBlocking;
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
 * A collector, for a change scan, of the changes of one window of LSNs, or a part of it, from a
 * shard's memtables and files. Confined to one thread at a time.
 *
 * <p>The versions of memtables are found by LSN, and the version that each replaced by key. In SST
 * files with changes the versions of a key are adjacent; other SST files are searched by key, for
 * many keys together, unless they are small. A column file stores, for each row, the LSN at which
 * it began and the LSN at which it ended. If a row began and another row ended with one key at one
 * LSN, the first replaced the second, so one side is collected before the other is read ({@link
 * CollectedChanges#isBeginsFirst}).
 */
final class ChangeCollector implements AutoCloseable {
    /** Rows of SST files without changes that are read for each row of SST files with changes. */
    private static final int MAX_READ_FOR_ONE = 4;

    /** Places of dropped changes that are kept, beyond as many as are left. */
    private static final int MAX_DROPPED = 1024;

    private enum Phase {
        ENDS,
        MEMORY,
        SORTED,
        BEGINS,
        LOOKUPS,
        COMPLETE
    }

    private final TableFiles files;
    private final TableView view;
    private final CollectedChanges changes;
    private final boolean withBeforeImages;
    private final boolean hasRows;
    private final RowMatcher matcher;
    private final ChangeFilePruner wanted;
    private final @Nullable KeyEncoder keys;
    private final BinaryRow row;
    private final ArrayDeque<ColumnFile> ending;
    private final ArrayDeque<ColumnFile> beginning;
    private ArrayDeque<KeyedVersion> unknown = new ArrayDeque<>(); // without their row before
    private Phase phase;
    private @Nullable ObsoleteRowCursor ends;
    private int memTable; // being read
    private @Nullable Iterator<KeyedVersion> inMemory;
    private @Nullable Iterator<KeyedVersion> sorted;
    private boolean isSortedComplete; // sorted includes versions before the window
    private @Nullable KeyedVersion newer; // of sorted; its predecessor is not read yet
    private @Nullable ColumnFileCursor begins;
    private @Nullable ColumnFile begun;
    private boolean isSettling; // unknown places are looked up before others are added
    private @Nullable KeyLookup lookup;
    private int fetched; // unknown places whose blocks are in memory

    /**
     * @param changes receives the changes of its window and part
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
        this.hasRows = schema.orientation().hasRows();
        this.matcher = predicate.matcher(view.versions().layout());
        this.wanted = new ChangeFilePruner(view.versions(), predicate);
        this.keys = schema.hasPrimaryKey() ? KeyEncoder.forPrimaryKey(schema) : null;
        this.row = new BinaryRow(view.versions().layout());
        // If there are SST files, they have every version
        List<ColumnFile> columns =
                hasRows ? List.of() : view.columnFiles().stream().filter(wanted::hasKeys).toList();
        // Files that are needed first come first, since the window may become shorter
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
        this.phase = changes.isBeginsFirst() ? Phase.MEMORY : Phase.ENDS;
    }

    private boolean hasEnds(ColumnFile file) {
        return firstEnd(file) <= changes.endLsn();
    }

    private long firstEnd(ColumnFile file) {
        return file.deletes().firstAfter(changes.fromLsn());
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
        if (isSettling) {
            stepLookups();
            return false;
        }
        switch (phase) {
            case ENDS -> stepEnds();
            case MEMORY -> stepMemory();
            case SORTED -> stepSorted();
            case BEGINS -> stepBegins();
            case LOOKUPS -> stepLookups();
            case COMPLETE -> {}
        }
        return phase == Phase.COMPLETE;
    }

    // ---- rows of column files that ended

    private void stepEnds() throws IOException {
        if (changes.mustBeginAgain()) {
            phase = Phase.COMPLETE;
            return;
        }
        ObsoleteRowCursor open = ends;
        if (open == null) {
            ColumnFile next = ending.peek();
            if (next == null) {
                changes.sideIsAdded();
                phase = changes.isBeginsFirst() ? Phase.COMPLETE : Phase.MEMORY;
                return;
            }
            if (hasEnds(next)) {
                ends =
                        ObsoleteRowCursor.open(
                                files, next, keys, changes.fromLsn(), changes.endLsn());
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

    // ---- memtables

    private void stepMemory() {
        Iterator<KeyedVersion> versions = inMemory;
        if (versions == null) {
            if (memTable == view.memTables().size()) {
                phase = hasRows ? Phase.SORTED : Phase.BEGINS;
                return;
            }
            MemTable table = view.memTables().get(memTable);
            if (table.maxLsn() > changes.fromLsn() && table.minLogLsn() <= changes.endLsn()) {
                inMemory = table.versionsBetween(changes.fromLsn(), changes.endLsn());
            } else {
                memTable++;
            }
            return;
        }
        if (!versions.hasNext()) {
            inMemory = null;
            memTable++;
            return;
        }
        KeyedVersion version = versions.next();
        if (changes.isWanted(version, version.lsn()) && !isReplaced(version)) {
            KeyedVersion before = inMemoryBefore(version);
            boolean isNewest =
                    before != null
                            && !view.mayBeNewerInFile(
                                    before.key(), before.lsn(), version.lsn() - 1);
            add(version, isNewest ? before : null, view.sstFiles().isEmpty() || !hasRows);
        }
    }

    /** Whether a newer memtable has a version of this key and LSN, which counts instead. */
    private boolean isReplaced(KeyedVersion version) {
        for (int i = 0; i < memTable; i++) {
            MemTable newerTable = view.memTables().get(i);
            if (newerTable.minLogLsn() <= version.lsn()) {
                KeyedVersion other = find(newerTable, version, version.lsn());
                if (other != null && other.lsn() == version.lsn()) {
                    return true;
                }
            }
        }
        return false;
    }

    private @Nullable KeyedVersion inMemoryBefore(KeyedVersion version) {
        return inMemoryBefore(version, memTable);
    }

    private @Nullable KeyedVersion inMemoryBefore(KeyedVersion version, int newestTable) {
        for (int i = newestTable; i < view.memTables().size(); i++) {
            KeyedVersion before = find(view.memTables().get(i), version, version.lsn() - 1);
            if (before != null) {
                return before;
            }
        }
        return null;
    }

    private static @Nullable KeyedVersion find(MemTable in, KeyedVersion key, long lsn) {
        return in.find(key.keyArray(), key.keyOffset(), key.keyLength(), lsn);
    }

    // ---- SST files

    private void stepSorted() throws IOException {
        Iterator<KeyedVersion> versions = sorted;
        if (versions == null) {
            sorted = openSorted();
            return;
        }
        KeyedVersion decided = newer;
        if (!versions.hasNext()) {
            newer = null;
            phase = Phase.LOOKUPS;
            if (decided != null) {
                addSorted(decided, null);
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
            return; // several files have the tombstone of one deletion of partitions
        }
        newer = next;
        addSorted(decided, sameKey ? next : null);
    }

    private static KeyedVersion next(Iterator<KeyedVersion> versions) throws IOException {
        try {
            return versions.next();
        } catch (UncheckedIOException failed) {
            throw failed.getCause();
        }
    }

    private Iterator<KeyedVersion> openSorted() throws IOException {
        List<SstFile> all = view.sstFiles();
        List<SstFile> changed = all.stream().filter(this::hasChanges).toList();
        if (changed.isEmpty()) {
            return Collections.emptyIterator();
        }
        isSortedComplete =
                rowCount(all) - rowCount(changed) <= MAX_READ_FOR_ONE * rowCount(changed);
        List<Iterator<KeyedVersion>> sources = new ArrayList<>();
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

    private void addSorted(KeyedVersion version, @Nullable KeyedVersion before) {
        if (changes.isWanted(version, version.lsn())) {
            if (version.lsn() <= view.ingestedLsn()) { // memory may have older versions
                KeyedVersion inMemory = inMemoryBefore(version, 0);
                if (inMemory != null && (before == null || before.lsn() < inMemory.lsn())) {
                    addKnown(version, inMemory);
                    return;
                }
            }
            boolean isBefore =
                    before != null && (isSortedComplete || before.lsn() > changes.fromLsn());
            add(version, isBefore ? before : null, isSortedComplete);
        }
    }

    /**
     * Adds a version of a memtable or an SST file.
     *
     * @param before the version of the key before it; null: none was found
     * @param isComplete whether SST files have no version before it either, if none was found
     */
    private void add(KeyedVersion version, @Nullable KeyedVersion before, boolean isComplete) {
        if (before != null) {
            addKnown(version, before);
        } else if (!isComplete) {
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
        } else if (hasRows) {
            changes.addDelete(replaced, version.lsn());
        } else { // a row of a worker's file may have taken its place
            changes.addEndInMemory(replaced, version.lsn());
        }
    }

    private void addUnknown(KeyedVersion version) {
        boolean isShown = !version.isDeleted() && matches(version);
        if (isShown || version.isDeleted() || withBeforeImages) {
            unknown.add(changes.addUnknown(version, isShown));
            if (unknown.size() > 2L * changes.unknownCount() + MAX_DROPPED) {
                ArrayDeque<KeyedVersion> left = new ArrayDeque<>();
                unknown.stream().filter(changes::isBeforeUnknown).forEach(left::add);
                unknown = left;
            }
            isSettling = changes.isUnordered() && unknown.size() >= KeyPrefetch.keysAFetch(view);
        }
    }

    // ---- rows of column files that began

    private void stepBegins() throws IOException {
        ColumnFileCursor open = begins;
        ColumnFile next = begun == null ? beginning.peek() : begun;
        if (next == null) {
            changes.sideIsAdded();
            phase = changes.isBeginsFirst() ? Phase.ENDS : Phase.LOOKUPS;
            return;
        }
        if (open == null) {
            // A row that replaces none matters only if it is shown
            boolean mayMatter =
                    changes.isBeginsFirst() || changes.hasOpenEnds() || wanted.hasRows(next);
            if (hasBegins(next) && mayMatter) {
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
        KeyedVersion version =
                ColumnFileVersions.version(
                        keys, open.row(), open.row().toByteArray(), open.rowId(), open.lsn());
        if (changes.isWanted(version, version.lsn())) {
            changes.addBegin(version, matches(version));
        }
    }

    // ---- rows of SST files that were replaced

    private void stepLookups() throws IOException {
        KeyedVersion at = unknown.peek();
        if (at == null) {
            if (!isSettling) {
                phase = Phase.COMPLETE;
            }
            isSettling = false;
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
        Row found = present.find(view, key, hash, at.lsn() - 1, 0);
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

    /** Reads for many keys at once if that is useful. */
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
                prefetch.add(view, key, hash, at.lsn() - 1, 0);
            }
        }
        KeyLookup ahead = new KeyLookup(files, prefetch.fetch());
        fetched = count;
        return ahead;
    }

    @Override
    public void close() throws IOException {
        ObsoleteRowCursor openEnds = ends;
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
