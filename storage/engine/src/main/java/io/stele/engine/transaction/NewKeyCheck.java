package io.stele.engine.transaction;

import static java.util.Objects.requireNonNull;

import io.stele.engine.datafile.TableFiles;
import io.stele.engine.manifest.FileEntry;
import io.stele.engine.node.BackgroundTasks;
import io.stele.engine.node.Shards;
import io.stele.engine.shard.InsertedKeys;
import io.stele.engine.shard.TableGroupShard;
import io.stele.engine.snapshot.Readers;
import io.stele.engine.snapshot.SnapshotRegistry;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A check that the keys of files, which a transaction inserts, are new. It comes before the
 * transaction is prepared, so that nobody waits for it, and again for what changed since, in the
 * turn of the transaction. When the logs are held, the shards look at the rest. Safe for use by
 * many threads.
 */
final class NewKeyCheck {
    /** 4: each search has what was written during the one before, which is much less. */
    private static final int MAX_SEARCHES = 4;

    /** 4 Mi: hashes of 32 MiB. */
    private static final long MAX_KEYS = 1 << 22;

    private final Shards shards;
    private final TableFiles files;
    private final SnapshotRegistry snapshots;
    private final Executor loading;
    private final int maxKeys;

    /**
     * @param loading runs what reads whole key indexes
     * @param bufferBytes of a load; hashes of keys take half as much in each thread
     */
    NewKeyCheck(
            Shards shards,
            TableFiles files,
            SnapshotRegistry snapshots,
            Executor loading,
            long bufferBytes) {
        this.shards = requireNonNull(shards, "shards is null");
        this.files = requireNonNull(files, "files is null");
        this.snapshots = requireNonNull(snapshots, "snapshots is null");
        this.loading = requireNonNull(loading, "loading is null");
        this.maxKeys = Math.toIntExact(Math.clamp(bufferBytes / (2 * Long.BYTES), 2, MAX_KEYS));
    }

    /**
     * Completes with the keys, which had no row. Fails with DUPLICATE_KEY as soon as one is found
     * that has a row, or comes twice, and with STORE_FAILED if a file cannot be read.
     *
     * @param goOn called now and then, also by the searches in the turn of the transaction; throws
     *     when they are useless
     */
    CompletableFuture<CheckedKeys> check(Map<ShardId, List<FileEntry>> entries, Runnable goOn) {
        Map<ShardId, InsertedKeys> checked = new ConcurrentSkipListMap<>();
        AtomicBoolean hasFailed = new AtomicBoolean();
        Runnable inAll =
                () -> {
                    goOn.run();
                    if (hasFailed.get()) {
                        throw new SteleException(
                                ErrorCode.TRANSACTION_ABORTED,
                                "The search in another shard has ended the transaction");
                    }
                };
        List<CompletableFuture<@Nullable Void>> checks = new ArrayList<>();
        entries.forEach(
                (id, added) ->
                        checks.add(
                                BackgroundTasks.submit(
                                        loading,
                                        () -> {
                                            inAll.run();
                                            checked.put(id, check(shards.shard(id), added, inAll));
                                            return null;
                                        })));
        return allOrFirstFailure(checks, hasFailed)
                .thenApply(
                        done ->
                                new CheckedKeys(
                                        checked,
                                        (keys, executor) ->
                                                searchAgain(keys, executor, hasFailed)));
    }

    /** Fails with the first failure, which ends the other searches soon after. */
    private static CompletableFuture<@Nullable Void> allOrFirstFailure(
            List<CompletableFuture<@Nullable Void>> searches, AtomicBoolean hasFailed) {
        CompletableFuture<@Nullable Void> result = new CompletableFuture<>();
        for (CompletableFuture<@Nullable Void> search : searches) {
            search.whenComplete(
                    (_, failed) -> {
                        if (failed != null && hasFailed.compareAndSet(false, true)) {
                            result.completeExceptionally(Coordinator.unwrap(failed));
                        }
                    });
        }
        Coordinator.all(searches)
                .thenAccept(
                        _ -> {
                            boolean unused = result.complete(null);
                        });
        return result;
    }

    private InsertedKeys check(TableGroupShard shard, List<FileEntry> entries, Runnable goOn) {
        InsertedKeys keys;
        try {
            keys = InsertedKeys.open(files, shard::table, entries, maxKeys, goOn);
            refuse(keys.findTwice());
        } catch (IOException failed) {
            throw unread(shard, failed);
        }
        search(shard, keys);
        for (int i = 1; i < MAX_SEARCHES && keys.isBehind(shard::table); i++) {
            search(shard, keys);
        }
        return keys;
    }

    private CompletableFuture<@Nullable Void> searchAgain(
            Map<ShardId, InsertedKeys> keys, Executor executor, AtomicBoolean hasFailed) {
        List<CompletableFuture<@Nullable Void>> searches = new ArrayList<>();
        keys.forEach(
                (id, ofShard) ->
                        searches.add(
                                BackgroundTasks.submit(
                                        executor,
                                        () -> {
                                            search(shards.shard(id), ofShard);
                                            return null;
                                        })));
        return allOrFirstFailure(searches, hasFailed);
    }

    private void search(TableGroupShard shard, InsertedKeys keys) {
        Readers.Generation reader = snapshots.readers().enter();
        try {
            Lsn applied = shard.appliedLsn(); // before the views, which have all of it
            refuse(
                    keys.findPresent(
                            shard::table,
                            applied,
                            table -> snapshots.firstVisibleLsn(table, Long.MAX_VALUE)));
        } catch (IOException failed) {
            throw unread(shard, failed);
        } finally {
            snapshots.readers().exit(reader);
        }
    }

    private static void refuse(Optional<SteleException> duplicate) {
        if (duplicate.isPresent()) {
            throw duplicate.get();
        }
    }

    private static SteleException unread(TableGroupShard shard, IOException failed) {
        return new SteleException(
                ErrorCode.STORE_FAILED,
                "Cannot search for keys of shard %s before their transaction is committed: %s"
                        .formatted(shard.id(), failed),
                failed);
    }
}
