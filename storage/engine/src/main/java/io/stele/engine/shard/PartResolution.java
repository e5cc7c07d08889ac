package io.stele.engine.shard;

import static java.util.Objects.requireNonNull;

import io.stele.columnfile.orc.ColumnFileCursor;
import io.stele.columnfile.orc.ColumnFileReader;
import io.stele.engine.datafile.SstFile;
import io.stele.engine.datafile.TableFiles;
import io.stele.engine.manifest.FileEntry;
import io.stele.engine.manifest.FileKind;
import io.stele.engine.row.KeyedVersion;
import io.stele.engine.shard.record.PreparedPart;
import io.stele.engine.shard.write.BatchEvaluation;
import io.stele.engine.shard.write.BatchMapping;
import io.stele.engine.shard.write.BatchProbes;
import io.stele.engine.shard.write.Resolution;
import io.stele.engine.shard.write.TableChanges;
import io.stele.engine.shard.write.UniqueIndexCheck;
import io.stele.engine.tablet.TableShard;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import io.stele.protocol.row.KeyEncoder;
import io.stele.protocol.row.RowMapping;
import io.stele.protocol.wire.WriteBatchReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;

/**
 * The evaluation of the conditional operations in a shard's part of a transaction into plain
 * batches, and the unique index checks of all its rows. Runs on the shard's context before the
 * commit, and blocks on files, as {@link ConflictCheck} does.
 *
 * <p>While the shard's log is held, everything below the commit LSN is applied, nothing is on its
 * way to the log, and nothing changes meanwhile. So an evaluation at recovery finds the same
 * result. Without a hold, the part is the next to be logged, and is also evaluated against the
 * changes in flight.
 */
final class PartResolution {
    /** 256 MiB of rows of workers' files, which are in memory while their values are looked up. */
    static final long MAX_CHECKED_BYTES = 256L << 20;

    /** The memory of such a row beyond its bytes. */
    private static final int ROW_OVERHEAD_BYTES = 256;

    private final ShardTables tables;
    private final Function<TableShard, TableChanges> changesOf;
    private final boolean isNoted;
    private final DamagedTables damaged;
    private final TableFiles files;
    private final boolean checked;
    private final Lsn commitLsn;
    private final long maxResolvedBytes;
    private long resolvedBytes;

    /**
     * An evaluation while the log is held.
     *
     * @param checked whether unique indexes may refuse the part; false once it is decided
     * @param commitLsn the LSN at which the transaction commits; rows that have expired by then
     *     count as absent
     * @param maxResolvedBytes the limit on the bytes of all resolved batches, which become one log
     *     record
     */
    PartResolution(
            ShardTables tables,
            UniqueIndexChecks checks,
            DamagedTables damaged,
            TableFiles files,
            boolean checked,
            Lsn commitLsn,
            long maxResolvedBytes) {
        this(
                tables,
                table -> new TableChanges(checked ? checks.of(table) : List.of()),
                false,
                damaged,
                files,
                checked,
                commitLsn,
                maxResolvedBytes);
    }

    /**
     * An evaluation before the part is logged, without a hold.
     *
     * @param changesOf the changes of a table that are in flight; all changes of the part are
     *     staged there
     * @param presentLsn the LSN of the present; rows that have expired by then count as absent
     */
    PartResolution(
            ShardTables tables,
            Function<TableShard, TableChanges> changesOf,
            DamagedTables damaged,
            TableFiles files,
            Lsn presentLsn,
            long maxResolvedBytes) {
        this(tables, changesOf, true, damaged, files, true, presentLsn, maxResolvedBytes);
    }

    private PartResolution(
            ShardTables tables,
            Function<TableShard, TableChanges> changesOf,
            boolean isNoted,
            DamagedTables damaged,
            TableFiles files,
            boolean checked,
            Lsn commitLsn,
            long maxResolvedBytes) {
        this.maxResolvedBytes = maxResolvedBytes;
        this.commitLsn = requireNonNull(commitLsn, "commitLsn is null");
        this.tables = requireNonNull(tables, "tables is null");
        this.changesOf = requireNonNull(changesOf, "changesOf is null");
        this.isNoted = isNoted;
        this.damaged = requireNonNull(damaged, "damaged is null");
        this.files = requireNonNull(files, "files is null");
        this.checked = checked;
    }

    /**
     * The plain batches that the part's batches with conditional operations resolve to, by index.
     *
     * @throws SteleException the reason why the transaction fails, for example DUPLICATE_KEY
     */
    Map<Integer, byte[]> run(PreparedPart part) throws IOException {
        Set<TableId> all = new LinkedHashSet<>();
        part.files().forEach(file -> all.add(file.tableId()));
        part.batches().forEach(batch -> all.add(batch.tableId()));
        return run(part, all);
    }

    /** The plain batches that the conditional batches of some tables resolve to, by index. */
    Map<Integer, byte[]> run(PreparedPart part, Set<TableId> some) throws IOException {
        Map<Integer, byte[]> resolved = new HashMap<>();
        for (TableId tableId : some) {
            Optional<TableShard> table = tables.find(tableId);
            if (table.isPresent() && table.get().schema().hasPrimaryKey()) {
                resolved.putAll(resolve(part, table.get()));
            }
        }
        return resolved;
    }

    /** Once the transaction is decided, a table whose files cannot be used is set aside. */
    private Map<Integer, byte[]> resolve(PreparedPart part, TableShard table) throws IOException {
        Map<Integer, byte[]> resolved = new HashMap<>();
        try {
            resolve(part, table, resolved);
        } catch (IOException | RuntimeException broken) {
            if (checked || StoreWait.isOutage(broken)) {
                throw broken;
            }
            damaged.setAside(table, part.prepareLsn(), broken, part.prepareLsn());
            return Map.of();
        }
        return resolved;
    }

    private void resolve(PreparedPart part, TableShard table, Map<Integer, byte[]> resolved)
            throws IOException {
        TableId tableId = table.schema().id();
        TableChanges changes = changesOf.apply(table);
        List<UniqueIndexCheck> present = changes.checks();
        List<Integer> own = new ArrayList<>();
        Set<Integer> conditional = new HashSet<>();
        for (int index = 0; index < part.batches().size(); index++) {
            WriteBatchReader batch = part.batches().get(index);
            if (batch.tableId().equals(tableId)) {
                own.add(index);
                if (isConditional(batch)) {
                    conditional.add(index);
                }
            }
        }
        if (conditional.isEmpty() && present.isEmpty() && !isNoted) {
            return;
        }
        if (!conditional.isEmpty()) {
            checkNoFiles(part, table);
        }
        BatchProbes probes = new BatchProbes(table.schema(), files, present);
        List<WorkerRow> workerRows = present.isEmpty() ? List.of() : workerRows(part, table);
        while (true) {
            BatchEvaluation evaluation = new BatchEvaluation(table, changes, probes, commitLsn);
            workerRows.forEach(row -> evaluation.add(row.key(), row.row()));
            for (int index : own) {
                WriteBatchReader batch = inEffect(table, part.batches().get(index));
                WriteBatchReader plain = evaluation.add(batch, conditional.contains(index)).batch();
                if (conditional.contains(index)) {
                    byte[] before =
                            resolved.put(index, Arrays.copyOf(plain.buffer(), plain.sizeBytes()));
                    resolvedBytes += plain.sizeBytes() - (before == null ? 0 : before.length);
                    checkSize(table);
                }
            }
            Optional<Resolution> verdict = evaluation.verdict();
            if (verdict.isEmpty()) {
                return;
            }
            if (verdict.get() instanceof Resolution.Refused refused) {
                throw refused.cause();
            }
            changes.takeBack();
            probes.answer(probes.takeOpen().answer());
        }
    }

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record WorkerRow(byte[] key, byte[] row) {}

    /** The rows of the part's files, which come before the rows of its batches. */
    private List<WorkerRow> workerRows(PreparedPart part, TableShard table) throws IOException {
        List<WorkerRow> found = new ArrayList<>();
        KeyEncoder keys = KeyEncoder.forPrimaryKey(table.schema());
        long bytes = 0;
        for (FileEntry entry : part.files()) {
            if (!entry.tableId().equals(table.schema().id())) {
                continue;
            }
            // Its LSN is not assigned yet, and the LSN of a row is not used.
            FileEntry readable = entry.withIngest(Lsn.MIN, OptionalLong.empty());
            if (entry.kind() == FileKind.ROW) {
                bytes = addSorted(files.lazyRow(readable, table.versions()), table, bytes, found);
                continue;
            }
            RowMapping mapping = table.versions().mapping(entry.schemaVersion());
            ColumnFileReader rows =
                    ColumnFileReader.open(files.store(), readable, mapping.from().columns());
            try (ColumnFileCursor cursor = rows.cursor(mapping)) {
                while (cursor.advance()) {
                    byte[] row = cursor.row().toByteArray();
                    byte[] key = keys.encode(cursor.row());
                    found.add(new WorkerRow(key, row));
                    bytes = checkedBytes(bytes, key, row, table);
                }
            }
        }
        return found;
    }

    private static long addSorted(
            SstFile file, TableShard table, long bytesBefore, List<WorkerRow> found)
            throws IOException {
        long bytes = bytesBefore;
        try {
            for (Iterator<KeyedVersion> rows = file.versions(); rows.hasNext(); ) {
                KeyedVersion version = rows.next();
                WorkerRow row = new WorkerRow(version.key(), version.row());
                found.add(row);
                bytes = checkedBytes(bytes, row.key(), row.row(), table);
            }
        } catch (UncheckedIOException failed) {
            throw failed.getCause();
        }
        return bytes;
    }

    private static long checkedBytes(long before, byte[] key, byte[] row, TableShard table) {
        long bytes = before + key.length + row.length + ROW_OVERHEAD_BYTES;
        if (bytes > MAX_CHECKED_BYTES) {
            throw tooLarge(table);
        }
        return bytes;
    }

    private void checkSize(TableShard table) {
        if (resolvedBytes > maxResolvedBytes) {
            throw new SteleException(
                    ErrorCode.TRANSACTION_TOO_LARGE,
                    "Expected at most %d bytes of whole rows that the conditional operations of one transaction come to in a shard, found %d in table %s; write them in parts"
                            .formatted(
                                    maxResolvedBytes,
                                    resolvedBytes,
                                    table.schema().qualifiedName()));
        }
    }

    private static SteleException tooLarge(TableShard table) {
        return new SteleException(
                ErrorCode.TRANSACTION_TOO_LARGE,
                "Expected at most %d bytes of rows in a shard of table %s, which has unique indexes, in one statement, found more; write them in parts, or add the indexes afterwards"
                        .formatted(MAX_CHECKED_BYTES, table.schema().qualifiedName()));
    }

    /** The batch in the present schema version, from the one with which it was staged. */
    private static WriteBatchReader inEffect(TableShard table, WriteBatchReader batch) {
        return batch.schemaVersion() == table.schema().schemaVersion()
                ? batch
                : new BatchMapping(table.versions(), batch.schemaVersion()).map(batch);
    }

    // Files come before rows in a transaction, and their keys are not checked here.
    private static void checkNoFiles(PreparedPart part, TableShard table) {
        boolean hasFiles =
                part.files().stream().anyMatch(file -> file.tableId().equals(table.schema().id()));
        if (hasFiles) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected files or conditional writes of table %s in one transaction, found both"
                            .formatted(table.schema().qualifiedName()));
        }
    }

    static boolean isConditional(WriteBatchReader batch) {
        batch.rewind();
        boolean conditional = false;
        while (!conditional && batch.next()) {
            conditional = batch.kind().isConditional();
        }
        batch.rewind();
        return conditional;
    }
}
