package io.stele.engine.transaction;

import static java.util.Objects.requireNonNull;

import io.stele.engine.datafile.ColumnFile;
import io.stele.engine.datafile.TableFiles;
import io.stele.engine.manifest.FileEntry;
import io.stele.engine.node.BackgroundTasks;
import io.stele.engine.node.Shards;
import io.stele.engine.shard.NewKeys;
import io.stele.engine.shard.TableGroupShard;
import io.stele.engine.shard.write.DuplicateKey;
import io.stele.engine.snapshot.Readers;
import io.stele.engine.snapshot.SnapshotRegistry;
import io.stele.engine.tablet.TableShard;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A check that the keys of files, which a transaction inserts, are new: before it is prepared, so
 * that nobody waits for it. Each shard is checked as of an LSN. When the logs are held, the shards
 * look at what changed after that. Safe for use by many threads.
 */
final class NewKeyCheck {
    private final Shards shards;
    private final TableFiles files;
    private final SnapshotRegistry snapshots;
    private final Executor loading;

    /**
     * @param loading runs what reads whole key indexes
     */
    NewKeyCheck(Shards shards, TableFiles files, SnapshotRegistry snapshots, Executor loading) {
        this.shards = requireNonNull(shards, "shards is null");
        this.files = requireNonNull(files, "files is null");
        this.snapshots = requireNonNull(snapshots, "snapshots is null");
        this.loading = requireNonNull(loading, "loading is null");
    }

    /**
     * Completes with the LSN at which the keys had no row, by shard. Fails with DUPLICATE_KEY if
     * one has, or comes twice, and with STORE_FAILED if a file cannot be read.
     */
    CompletableFuture<Map<ShardId, Lsn>> check(Map<ShardId, List<FileEntry>> entries) {
        Map<ShardId, Lsn> checked = new ConcurrentSkipListMap<>();
        List<CompletableFuture<@Nullable Void>> checks = new ArrayList<>();
        entries.forEach(
                (id, added) ->
                        checks.add(
                                BackgroundTasks.submit(
                                        loading,
                                        () -> {
                                            checked.put(id, check(shards.shard(id), added));
                                            return null;
                                        })));
        return Coordinator.all(checks).thenApply(done -> new TreeMap<>(checked));
    }

    private Lsn check(TableGroupShard shard, List<FileEntry> entries) {
        Readers.Generation reader = snapshots.readers().enter();
        try {
            Lsn applied = shard.appliedLsn(); // before the views, which have all of it
            Map<TableId, List<FileEntry>> byTable = new LinkedHashMap<>();
            for (FileEntry entry : entries) {
                byTable.computeIfAbsent(entry.tableId(), _ -> new ArrayList<>()).add(entry);
            }
            for (Map.Entry<TableId, List<FileEntry>> table : byTable.entrySet()) {
                check(shard.table(table.getKey()), table.getValue());
            }
            return applied;
        } catch (IOException failed) {
            throw new SteleException(
                    ErrorCode.STORE_FAILED,
                    "Cannot search for keys of shard %s before their transaction is committed: %s"
                            .formatted(shard.id(), failed),
                    failed);
        } finally {
            snapshots.readers().exit(reader);
        }
    }

    private void check(TableShard table, List<FileEntry> entries) throws IOException {
        if (!table.schema().hasPrimaryKey()) {
            return;
        }
        List<ColumnFile> added = new ArrayList<>();
        for (FileEntry entry : entries) {
            added.add(
                    files.openColumn(
                            entry.withIngest(Lsn.MIN, OptionalLong.empty()), table.versions()));
        }
        NewKeys keys = new NewKeys(files, added);
        Optional<byte[]> found = keys.findTwice();
        if (found.isEmpty()) {
            long firstVisibleLsn = snapshots.firstVisibleLsn(table.schema(), Long.MAX_VALUE);
            found = keys.findPresent(table.view(), 0, firstVisibleLsn);
        }
        if (found.isPresent()) {
            throw DuplicateKey.refusal(table.schema(), found.get());
        }
    }
}
