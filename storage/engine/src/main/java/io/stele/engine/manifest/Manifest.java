package io.stele.engine.manifest;

import static java.util.Objects.requireNonNull;

import io.stele.engine.wal.LogMark;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.TableId;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * One version of a shard's manifest, with its data files, the flush progress of its tables and the
 * progress of its writers. Immutable; a change makes the next version, by {@link #edit}.
 *
 * <p>Invariant: file ids are unique; there is one {@link TableProgress} per table and one {@link
 * WriterProgress} per writer.
 *
 * @param version 1 for the first version, then one more for each change
 * @param epoch of the engine that wrote it; an engine with a higher epoch fences those with a lower
 *     one
 * @param writersObject the object with the progress of writers that are not in {@code writers}
 * @param writers the progress of writers that changed since that object was written
 * @param log the mark up to which the log was durable when the version was written; empty in
 *     versions of older releases
 */
public record Manifest(
        long version,
        long epoch,
        ShardId shard,
        FileEntries files,
        List<TableProgress> tables,
        Optional<WritersObject> writersObject,
        List<WriterProgress> writers,
        List<PreparedTransaction> prepared,
        Optional<LogMark> log) {
    public Manifest {
        requireNonNull(shard, "shard is null");
        requireNonNull(log, "log is null");
        requireNonNull(writersObject, "writersObject is null");
        if (version < 0 || epoch < 0) {
            throw new IllegalArgumentException(
                    "Expected a version and an epoch >= 0, found "
                            + version
                            + " and "
                            + epoch
                            + " in the manifest of shard "
                            + shard);
        }
        requireNonNull(files, "files is null");
        tables = sorted(tables, Comparator.comparing(TableProgress::tableId));
        writers = sorted(writers, Comparator.comparing(WriterProgress::writerId));
        prepared = sorted(prepared, Comparator.comparing(PreparedTransaction::prepareLsn));
        checkUnique(shard, "table", tables.stream().map(TableProgress::tableId).toList());
        checkUnique(shard, "writer", writers.stream().map(WriterProgress::writerId).toList());
        checkUnique(
                shard,
                "transaction",
                prepared.stream().map(PreparedTransaction::transactionId).toList());
    }

    /**
     * The empty manifest of version 0, of a shard before its first manifest. It is never stored.
     */
    public static Manifest empty(ShardId shard) {
        return new Manifest(
                0,
                0,
                shard,
                FileEntries.of(),
                List.of(),
                Optional.empty(),
                List.of(),
                List.of(),
                Optional.empty());
    }

    /** The files of one table, in manifest order. */
    public List<FileEntry> files(TableId tableId) {
        return files.stream().filter(file -> file.tableId().equals(tableId)).toList();
    }

    public Optional<TableProgress> table(TableId tableId) {
        return tables.stream().filter(table -> table.tableId().equals(tableId)).findFirst();
    }

    /**
     * The LSN up to which the writes of a table are in files; {@link Lsn#MIN} for a table that is
     * not in the manifest.
     */
    public Lsn flushedLsn(TableId tableId) {
        return table(tableId).map(TableProgress::flushedLsn).orElse(Lsn.MIN);
    }

    /** The LSN at or below which obsolete versions of a table may be missing. */
    public Lsn historyLsn(TableId tableId) {
        return table(tableId).map(TableProgress::historyLsn).orElse(Lsn.MIN);
    }

    /** The range tombstones of a table that are not yet applied in some of its SST files. */
    public List<RangeTombstone> tombstones(TableId tableId) {
        return table(tableId).map(TableProgress::ends).orElse(List.of());
    }

    /** Begins the next version, at first with the contents of this one. */
    public ManifestEdit edit() {
        return new ManifestEdit(this);
    }

    private static <T> List<T> sorted(List<T> values, Comparator<T> order) {
        return values.stream().sorted(order).toList();
    }

    private static void checkUnique(ShardId shard, String what, List<?> values) {
        Set<Object> seen = new HashSet<>();
        for (Object value : values) {
            if (!seen.add(value)) {
                throw new IllegalArgumentException(
                        "Expected each "
                                + what
                                + " once in the manifest of shard "
                                + shard
                                + ", found "
                                + value
                                + " twice");
            }
        }
    }
}
