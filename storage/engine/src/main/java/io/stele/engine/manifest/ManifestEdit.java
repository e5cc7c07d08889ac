package io.stele.engine.manifest;

import static java.util.Objects.requireNonNull;

import io.stele.engine.wal.LogMark;
import io.stele.protocol.Lsn;
import io.stele.protocol.TableId;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A builder of the next version of a manifest. A change that contradicts the present state throws
 * at once: a file that is added twice, a missing file that is removed, progress that decreases.
 * Confined to one thread.
 */
public final class ManifestEdit {
    private final Manifest base;
    private final FileEntries.Draft files;
    private final Map<TableId, TableProgress> tables = new TreeMap<>();
    private long epoch;
    private Optional<WritersObject> writersObject;
    private List<WriterProgress> writers;
    private List<PreparedTransaction> prepared;
    private Optional<LogMark> log;

    ManifestEdit(Manifest base) {
        this.base = requireNonNull(base, "base is null");
        this.files = base.files().draft();
        base.tables().forEach(table -> tables.put(table.tableId(), table));
        this.epoch = base.epoch();
        this.writersObject = base.writersObject();
        this.writers = base.writers();
        this.prepared = base.prepared();
        this.log = base.log();
    }

    public ManifestEdit epoch(long newEpoch) {
        check(newEpoch >= base.epoch(), "an epoch >= " + base.epoch(), newEpoch);
        epoch = newEpoch;
        return this;
    }

    /** The entry of a file as it is after the changes so far; empty if it is not there. */
    public Optional<FileEntry> file(String fileId) {
        return files.find(fileId);
    }

    public ManifestEdit addFile(FileEntry file) {
        check(!files.contains(file.fileId()), "a new file", file.fileId() + " which is there");
        files.put(file);
        return this;
    }

    public ManifestEdit removeFile(String fileId) {
        check(files.remove(fileId), "a file that is there", fileId);
        return this;
    }

    /** Replaces the entry of a file, for example with a new deletion vector. */
    public ManifestEdit replaceFile(FileEntry file) {
        check(files.contains(file.fileId()), "a file that is there", file.fileId());
        files.put(file);
        return this;
    }

    /**
     * States that every write of the table at or below {@code flushedLsn} is in the files of this
     * version.
     */
    public ManifestEdit progress(TableId tableId, Lsn flushedLsn, long nextRowId) {
        TableProgress before = tables.get(tableId);
        if (before != null) {
            check(
                    before.flushedLsn().compareTo(flushedLsn) <= 0
                            && before.nextRowId() <= nextRowId,
                    "progress of table "
                            + tableId
                            + " from LSN "
                            + before.flushedLsn()
                            + ", row id "
                            + before.nextRowId(),
                    "LSN " + flushedLsn + ", row id " + nextRowId);
        }
        Lsn historyLsn = before == null ? Lsn.MIN : before.historyLsn();
        List<RangeTombstone> tombstones = before == null ? List.of() : before.ends();
        tables.put(
                tableId, new TableProgress(tableId, flushedLsn, nextRowId, historyLsn, tombstones));
        return this;
    }

    /**
     * States that versions of the table that became obsolete at or below {@code historyLsn} may be
     * missing; a lower LSN than before is ignored. A table without progress has no files, and is
     * ignored.
     */
    public ManifestEdit history(TableId tableId, Lsn historyLsn) {
        tables.computeIfPresent(
                tableId,
                (id, table) ->
                        table.historyLsn().compareTo(historyLsn) >= 0
                                ? table
                                : table.withHistory(historyLsn));
        return this;
    }

    /**
     * Sets the range tombstones that are not yet applied in some SST files of the table. Only
     * tombstones at or below the table's {@code flushedLsn} are stored, since later tombstones are
     * replayed from the log.
     */
    public ManifestEdit tombstones(TableId tableId, List<RangeTombstone> tombstones) {
        tables.computeIfPresent(
                tableId,
                (id, table) ->
                        table.withEnds(
                                tombstones.stream()
                                        .filter(end -> end.lsn().compareTo(table.flushedLsn()) <= 0)
                                        .toList()));
        return this;
    }

    /** Removes the files and the progress of a dropped table. */
    public ManifestEdit removeTable(TableId tableId) {
        files.removeIf(file -> file.tableId().equals(tableId));
        tables.remove(tableId);
        return this;
    }

    /**
     * Sets the progress of the writers that changed since the object with all writers was written.
     */
    public ManifestEdit writers(Collection<WriterProgress> changed) {
        writers = List.copyOf(changed);
        return this;
    }

    /** Sets the object that has the progress of all writers, and clears the changed writers. */
    public ManifestEdit writersObject(WritersObject all) {
        writersObject = Optional.of(all);
        writers = List.of();
        return this;
    }

    public ManifestEdit prepared(Collection<PreparedTransaction> newPrepared) {
        prepared = List.copyOf(newPrepared);
        return this;
    }

    /** Sets the mark up to which the log is durable. */
    public ManifestEdit log(LogMark durable) {
        log = Optional.of(durable);
        return this;
    }

    /** The next version. */
    public Manifest build() {
        return new Manifest(
                base.version() + 1,
                epoch,
                base.shard(),
                files.build(),
                List.copyOf(tables.values()),
                writersObject,
                writers,
                prepared,
                log);
    }

    private void check(boolean condition, String expected, Object found) {
        if (!condition) {
            throw new IllegalArgumentException(
                    "Expected %s, found %s in the manifest of shard %s after version %d"
                            .formatted(expected, found, base.shard(), base.version()));
        }
    }
}
