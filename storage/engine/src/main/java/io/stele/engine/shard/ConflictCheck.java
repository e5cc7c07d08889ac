package io.stele.engine.shard;

import static java.util.Objects.requireNonNull;

import io.stele.engine.datafile.ColumnFile;
import io.stele.engine.datafile.DeletionVector;
import io.stele.engine.datafile.SstFile;
import io.stele.engine.datafile.TableFiles;
import io.stele.engine.memtable.MemTable;
import io.stele.engine.row.KeyText;
import io.stele.engine.row.KeyedVersion;
import io.stele.engine.scan.KeyPrefetch;
import io.stele.engine.scan.Prefetched;
import io.stele.engine.shard.record.PartitionDelete;
import io.stele.engine.shard.record.PreparedPart;
import io.stele.engine.tablet.TableShard;
import io.stele.engine.tablet.TableView;
import io.stele.objectstore.NonBlocking;
import io.stele.objectstore.WouldBlockException;
import io.stele.protocol.Lsn;
import io.stele.protocol.TableId;
import io.stele.protocol.row.KeyEncoder;
import io.stele.protocol.schema.XxHash64;
import io.stele.protocol.wire.OperationKind;
import io.stele.protocol.wire.WriteBatchReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A check for write conflicts of one shard's part of a prepared transaction, before it commits. A
 * conflict is a key that the transaction changes and that another writer changed after the snapshot
 * LSN of the transaction. The transaction would then overwrite a version that it has not read.
 * Tables that were dropped or replaced, replaced rows of a changed table, and discarded history are
 * conflicts too. {@link #find} runs on the shard's context while the shard's log is held, or in the
 * turn of a commit in one phase, so nothing changes during the check.
 */
final class ConflictCheck {
    private final TableFiles files;

    ConflictCheck(TableFiles files) {
        this.files = requireNonNull(files, "files is null");
    }

    /** Describes one conflict, if there is any. */
    Optional<String> find(PreparedPart part, ShardState state) throws IOException {
        Optional<String> gone = findGone(part, state);
        if (gone.isPresent()) {
            return gone;
        }
        if (part.readLsn().isEmpty()) {
            return Optional.empty();
        }
        Lsn readLsn = part.readLsn().get();
        for (PartitionDelete delete : part.deletes()) {
            TableShard table = state.table(delete.tableId());
            if (table.changedLsn() > readLsn.value()) {
                return Optional.of(
                        "table %s, whose rows it replaces, was changed after LSN %s"
                                .formatted(table.schema().qualifiedName(), readLsn.withTime()));
            }
        }
        Map<TableShard, List<byte[]>> left = new LinkedHashMap<>();
        for (WriteBatchReader batch : part.batches()) {
            TableShard table = state.table(batch.tableId());
            if (readLsn.value() < table.historyLsn()) {
                return Optional.of(
                        "what happened to table %s before LSN %s is forgotten, so nobody knows what changed since LSN %s"
                                .formatted(
                                        table.schema().qualifiedName(),
                                        new Lsn(table.historyLsn()).withTime(),
                                        readLsn.withTime()));
            }
            List<byte[]> ofTable = left.computeIfAbsent(table, _ -> new ArrayList<>());
            Optional<byte[]> newer = findInMemory(table, batch, readLsn.value(), ofTable);
            if (newer.isPresent()) {
                return Optional.of(describe(table, newer.get(), readLsn));
            }
        }
        for (Map.Entry<TableShard, List<byte[]>> entry : left.entrySet()) {
            Optional<byte[]> newer = findFarAway(entry.getKey(), entry.getValue(), readLsn.value());
            if (newer.isPresent()) {
                return Optional.of(describe(entry.getKey(), newer.get(), readLsn));
            }
        }
        return Optional.empty();
    }

    /**
     * Reads the blocks that a check of these batches needs, so that they are cached when other
     * writes wait for the check. Any thread.
     */
    void prefetch(TableShard table, List<WriteBatchReader> batches, long readLsn)
            throws IOException {
        List<byte[]> left = new ArrayList<>();
        for (WriteBatchReader batch : batches) {
            if (findInMemory(table, batch, readLsn, left).isPresent()) {
                return; // the check fails without files
            }
        }
        findFarAway(table, left, readLsn);
    }

    private static String describe(TableShard table, byte[] key, Lsn readLsn) {
        return "key %s of table %s was changed after LSN %s"
                .formatted(
                        table.schema().hasPrimaryKey()
                                ? KeyText.of(KeyEncoder.forPrimaryKey(table.schema()), key)
                                : "of a row",
                        table.schema().qualifiedName(),
                        readLsn.withTime());
    }

    /**
     * Describes a dropped or replaced table of the part, if there is any: no reader would see rows
     * there.
     */
    private static Optional<String> findGone(PreparedPart part, ShardState state) {
        Set<TableId> tables = new LinkedHashSet<>();
        part.files().forEach(file -> tables.add(file.tableId()));
        part.batches().forEach(batch -> tables.add(batch.tableId()));
        part.deletes().forEach(delete -> tables.add(delete.tableId()));
        for (TableId id : tables) {
            Optional<TableShard> table = state.tables().find(id);
            if (table.isEmpty()) {
                return Optional.of("table id " + id + " was dropped");
            }
            if (table.get().isReplaced()) {
                return Optional.of(
                        "table %s was truncated or replaced"
                                .formatted(table.get().schema().qualifiedName()));
            }
        }
        return Optional.empty();
    }

    /**
     * A key of the batch that was changed after {@code readLsn}, if there is any.
     *
     * @param left receives the keys that memory cannot decide, if the store is remote
     */
    private Optional<byte[]> findInMemory(
            TableShard table, WriteBatchReader batch, long readLsn, List<byte[]> left)
            throws IOException {
        Candidates in = Candidates.of(table.view(), readLsn);
        boolean isFar = files.parallelReads().isParallel();
        batch.rewind();
        while (batch.next()) {
            if (batch.kind() == OperationKind.APPEND) {
                continue;
            }
            byte[] key = batch.key();
            try {
                boolean isNewer =
                        isFar
                                ? NonBlocking.read(() -> isNewer(in, key, Prefetched.NONE))
                                : isNewer(in, key, Prefetched.NONE);
                if (isNewer) {
                    return Optional.of(key);
                }
            } catch (WouldBlockException missing) {
                left.add(key);
            }
        }
        batch.rewind();
        return Optional.empty();
    }

    /**
     * A key that was changed after {@code readLsn}, searched in files too; blocks for several keys
     * are read together.
     */
    private Optional<byte[]> findFarAway(TableShard table, List<byte[]> keys, long readLsn)
            throws IOException {
        Candidates in = Candidates.of(table.view(), readLsn);
        keys.sort(Arrays::compareUnsigned); // files are sorted by key
        int keysAFetch = KeyPrefetch.keysAFetch(in.view);
        for (int i = 0; i < keys.size(); i += keysAFetch) {
            List<byte[]> together = keys.subList(i, Math.min(keys.size(), i + keysAFetch));
            Prefetched fetched = fetch(in, together);
            for (byte[] key : together) {
                if (isNewer(in, key, fetched)) {
                    return Optional.of(key);
                }
            }
        }
        return Optional.empty();
    }

    /**
     * The files in which keys are searched: SST files that have changes after an LSN, and all
     * column files with rows that were not deleted by then. The outcome must find the rows that it
     * deletes, so a file that cannot be read is detected in time.
     */
    private record Candidates(
            TableView view, List<SstFile> sstFiles, List<ColumnFile> columnFiles, long readLsn) {
        static Candidates of(TableView view, long readLsn) {
            return new Candidates(
                    view,
                    view.sstFiles().stream().filter(file -> file.newestLsn() > readLsn).toList(),
                    view.columnFiles().stream()
                            .filter(file -> !file.isObsoleteAt(readLsn))
                            .toList(),
                    readLsn);
        }

        /**
         * Whether some rows are above the LSN, and some not: then each row must be read to decide.
         */
        boolean mixes(ColumnFile file) {
            return file.entry().minLsn().value() <= readLsn
                    && file.entry().maxLsn().value() > readLsn;
        }
    }

    private Prefetched fetch(Candidates in, List<byte[]> keys) throws IOException {
        List<ColumnFile> mixed = in.columnFiles.stream().filter(in::mixes).toList();
        List<ColumnFile> others = in.columnFiles.stream().filter(file -> !in.mixes(file)).toList();
        KeyPrefetch prefetch = new KeyPrefetch(files);
        for (byte[] key : keys) {
            long hash = XxHash64.hash(key, 0, key.length);
            prefetch.add(in.sstFiles, key, hash);
            prefetch.add(mixed, key, hash, true);
            prefetch.add(others, key, hash, false);
        }
        return prefetch.fetch();
    }

    private boolean isNewer(Candidates in, byte[] key, Prefetched fetched) throws IOException {
        for (MemTable memTable : in.view.memTables()) {
            KeyedVersion version = memTable.find(key, 0, key.length, Long.MAX_VALUE);
            if (version != null
                    && (version.lsn() > in.readLsn
                            || !in.view.mayBeNewerInFile(key, version.lsn(), Long.MAX_VALUE))) {
                return version.lsn() > in.readLsn;
            }
        }
        for (SstFile file : in.sstFiles) {
            if (file.entry().mayContain(key)
                    && fetched.over(file)
                            .get(key, Long.MAX_VALUE)
                            .filter(found -> found.lsn() > in.readLsn)
                            .isPresent()) {
                return true;
            }
        }
        for (ColumnFile file : in.columnFiles) {
            if (isNewer(in, file, key, fetched)) {
                return true;
            }
        }
        return false;
    }

    private boolean isNewer(Candidates in, ColumnFile file, byte[] key, Prefetched fetched)
            throws IOException {
        int ordinal = fetched.over(file).find(key);
        if (ordinal == ColumnFile.ABSENT) {
            return false;
        }
        if (file.entry().minLsn().value() > in.readLsn) {
            return true;
        }
        long endLsn = file.deletes().deletedAt(ordinal);
        return endLsn == DeletionVector.NOT_DELETED
                ? in.mixes(file) && fetched.row(files, file, ordinal).lsn() > in.readLsn
                : endLsn > in.readLsn; // its deletion is the change
    }
}
