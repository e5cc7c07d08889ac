package io.stele.paimon.metadata;

import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static io.trino.spi.StandardErrorCode.TRANSACTION_CONFLICT;
import static java.util.Objects.requireNonNull;

import io.airlift.log.Logger;
import io.airlift.slice.Slice;
import io.stele.paimon.handle.PaimonColumnHandle;
import io.stele.paimon.handle.PaimonMergeHandle;
import io.stele.paimon.handle.PaimonTableHandle;
import io.stele.paimon.handle.PaimonWriteHandle;
import io.stele.paimon.image.PinnedSnapshots;
import io.stele.paimon.table.LakeTables;
import io.stele.paimon.write.PartitionDeletes;
import io.stele.paimon.write.ReadSnapshot;
import io.stele.paimon.write.RowChangeRules;
import io.stele.paimon.write.TableCommits;
import io.stele.paimon.write.TableCompaction;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.RetryMode;
import java.io.FileNotFoundException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import org.apache.paimon.Snapshot;
import org.apache.paimon.table.BucketMode;
import org.apache.paimon.table.FileStoreTable;

/**
 * The coordinator's part in statements that write or delete rows: it checks the table at the begin
 * and commits the workers' files at the end. Thread-safe; waits for the store.
 */
final class TableWrites {
    private static final Logger log = Logger.get(TableWrites.class);

    private final WritableTables tables;
    private final LakeTables lakeTables;
    private final TableCommits commits;
    private final TableCompaction compaction;

    TableWrites(
            WritableTables tables,
            LakeTables lakeTables,
            TableCommits commits,
            TableCompaction compaction) {
        this.compaction = requireNonNull(compaction, "compaction is null");
        this.lakeTables = requireNonNull(lakeTables, "lakeTables is null");
        this.tables = requireNonNull(tables, "tables is null");
        this.commits = requireNonNull(commits, "commits is null");
    }

    /** Begins an INSERT or CREATE TABLE AS. */
    PaimonWriteHandle begin(
            ConnectorSession session,
            PaimonTableHandle handle,
            List<PaimonColumnHandle> columns,
            boolean overwrite,
            RetryMode retryMode) {
        return begin(session, handle, columns, overwrite, false, retryMode);
    }

    private PaimonWriteHandle begin(
            ConnectorSession session,
            PaimonTableHandle handle,
            List<PaimonColumnHandle> columns,
            boolean overwrite,
            boolean hasRead,
            RetryMode retryMode) {
        if (retryMode != RetryMode.NO_RETRIES) {
            throw new TrinoException(
                    NOT_SUPPORTED,
                    "Expected retry-policy NONE for a statement that writes, found " + retryMode);
        }
        FileStoreTable table = tables.find(handle);
        RowChangeRules.checkWritable(handle.name(), table);
        boolean hasDynamicBuckets = table.bucketMode() == BucketMode.HASH_DYNAMIC;
        PaimonTableHandle written =
                hasDynamicBuckets && !hasRead ? atLatest(handle, table) : handle;
        return new PaimonWriteHandle(
                written,
                columns,
                newUser(session),
                overwrite,
                hasRead || hasDynamicBuckets
                        ? snapshotMillis(written, table)
                        : OptionalLong.empty());
    }

    private static OptionalLong snapshotMillis(PaimonTableHandle handle, FileStoreTable table) {
        if (handle.snapshotId().isEmpty()) {
            return OptionalLong.empty();
        }
        long id = handle.snapshotId().getAsLong();
        try {
            Snapshot found = table.snapshotManager().tryGetSnapshot(id);
            if (!PinnedSnapshots.pin(found).equals(handle.snapshot().get())) {
                throw new TrinoException(
                        TRANSACTION_CONFLICT,
                        "Expected snapshot %s of %s as the statement reads it, found another commit of this id"
                                .formatted(id, handle.name()));
            }
            return OptionalLong.of(found.timeMillis());
        } catch (FileNotFoundException e) {
            throw new TrinoException(
                    TRANSACTION_CONFLICT,
                    "Expected snapshot %s of %s, which the statement reads, found it gone"
                            .formatted(id, handle.name()),
                    e);
        }
    }

    /**
     * The handle at the latest snapshot, whose index of buckets the statement extends. The handle's
     * own snapshot, of which the statement reads no rows, may be older.
     */
    private static PaimonTableHandle atLatest(PaimonTableHandle handle, FileStoreTable table) {
        Optional<Snapshot> latest = Optional.ofNullable(table.snapshotManager().latestSnapshot());
        return new PaimonTableHandle(
                handle.name(),
                handle.location(),
                handle.branch(),
                handle.schemaId(),
                handle.schemaMillis(),
                latest.map(PinnedSnapshots::pin),
                Optional.empty());
    }

    /** A unique commit user, since each coordinator starts the ids of queries anew. */
    private static String newUser(ConnectorSession session) {
        return "trino-" + session.getQueryId() + "-" + UUID.randomUUID();
    }

    PaimonMergeHandle beginMerge(
            ConnectorSession session,
            PaimonTableHandle handle,
            List<PaimonColumnHandle> columns,
            Map<Integer, Collection<ColumnHandle>> updateCaseColumns,
            RetryMode retryMode) {
        PaimonWriteHandle write = begin(session, handle, columns, false, true, retryMode);
        Map<Integer, List<Integer>> updated = new HashMap<>();
        Set<String> names = new HashSet<>();
        updateCaseColumns.forEach(
                (number, assigned) -> {
                    List<Integer> channels = new ArrayList<>();
                    for (ColumnHandle column : assigned) {
                        channels.add(columns.indexOf((PaimonColumnHandle) column));
                        names.add(((PaimonColumnHandle) column).name());
                    }
                    updated.put(number, channels);
                });
        new RowChangeRules(handle.name(), tables.find(handle)).check(names);
        return new PaimonMergeHandle(write, updated);
    }

    /** Commits the rows of an INSERT or CREATE TABLE AS. */
    void finish(PaimonWriteHandle write, Collection<Slice> fragments) {
        commit(write, fragments, false);
    }

    /** Commits the changes of rows that the statement has read. */
    void finishMerge(PaimonMergeHandle merge, Collection<Slice> fragments) {
        commit(merge.write(), fragments, true);
    }

    private void commit(PaimonWriteHandle write, Collection<Slice> fragments, boolean hasRead) {
        PaimonTableHandle handle = write.table();
        FileStoreTable table;
        try {
            table = tables.find(handle);
        } catch (RuntimeException e) {
            TableCommits.discard(lakeTables.table(handle), fragments);
            throw e;
        }
        // Of two commits that extend the index of dynamic buckets of one snapshot, only one can
        // succeed
        boolean dependsOnOthers =
                hasRead || table.bucketMode() == BucketMode.HASH_DYNAMIC && !write.overwrite();
        Optional<ReadSnapshot> read =
                dependsOnOthers
                        ? Optional.of(
                                new ReadSnapshot(
                                        handle.snapshotId().orElse(0),
                                        write.snapshotMillis(),
                                        hasRead))
                        : Optional.empty();
        TableCommits.Committed committed =
                commits.commit(table, write.commitUser(), fragments, write.overwrite(), read);
        tables.committed(table, committed.snapshotId());
        if (committed.lostCompaction() && table.coreOptions().needLookup()) {
            tables.committed(table, compaction.compactAgain(table, fragments));
        }
    }

    /** Deletes all rows. */
    void truncate(ConnectorSession session, PaimonTableHandle handle) {
        FileStoreTable table = tables.find(handle);
        tables.committed(table, commits.truncate(table, newUser(session)));
    }

    /**
     * Deletes the rows of the partitions that a handle's condition selects.
     *
     * @return the number of deleted rows; empty: the files do not show it
     */
    OptionalLong deletePartitions(ConnectorSession session, PaimonTableHandle handle) {
        FileStoreTable table = tables.find(handle);
        PartitionDeletes deletes = PartitionDeletes.of(table, handle);
        if (handle.enforced().isAll()) {
            truncate(session, handle);
        } else if (!deletes.partitions().isEmpty()) {
            tables.committed(
                    table, commits.truncate(table, newUser(session), deletes.partitions()));
        }
        log.debug("Deleted %s partitions of %s", deletes.partitions().size(), handle.name());
        return deletes.rowCount();
    }
}
