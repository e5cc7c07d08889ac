package io.stele.engine.transaction;

import static java.util.Objects.requireNonNull;

import io.stele.engine.datafile.DataFileName;
import io.stele.engine.datafile.FileIds;
import io.stele.engine.datafile.TableFiles;
import io.stele.engine.garbage.FileCollector;
import io.stele.engine.job.Progress;
import io.stele.engine.manifest.FileEntry;
import io.stele.engine.node.Shards;
import io.stele.engine.shard.TableGroupShard;
import io.stele.engine.shard.record.PreparedPart;
import io.stele.engine.tablet.TableShard;
import io.stele.objectstore.ObjectEntry;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import io.stele.protocol.schema.TableSchema;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * An asynchronous deletion, on request, of a table's old data files that no manifest, reader,
 * transaction or work in progress uses. They are files of writers that came too late, files of
 * engines that ended before they could delete them, and foreign objects.
 *
 * <p>Invariant: nothing is deleted that a manifest, a reader, an open transaction, a prepared one
 * or this engine's own flushes and compactions name. So a file is deleted only if, in this order,
 *
 * <ol>
 *   <li>it was listed, and last changed before the limit;
 *   <li>it is not a file that this engine has written itself, which may not be in a manifest yet;
 *       the collector and the next start look after those;
 *   <li>it is not of a transaction that is open, whose writers may be at work;
 *   <li>no commit adds it at the moment ({@link FileClaims}), and none can until it is gone;
 *   <li>after that, on the context of its shard: no view, no prepared transaction has it, and it
 *       does not wait for readers to end.
 * </ol>
 *
 * <p>Objects of one file share the beginning of their names, so a file is retained with its key
 * index, checksums, bitmaps and every deletion vector. Thread-safe; blocks on the background
 * executor.
 */
public final class OrphanFileRemoval {
    private final TableFiles files;
    private final Shards shards;
    private final FileClaims claims;
    private final Predicate<String> isOpen;
    private final FileCollector collector;
    private final Executor background;
    private final long epoch;

    /**
     * @param isOpen whether a transaction of an id is open
     * @param epoch of this engine
     */
    OrphanFileRemoval(
            TableFiles files,
            Shards shards,
            FileClaims claims,
            Predicate<String> isOpen,
            FileCollector collector,
            Executor background,
            long epoch) {
        this.files = requireNonNull(files, "files is null");
        this.shards = requireNonNull(shards, "shards is null");
        this.claims = requireNonNull(claims, "claims is null");
        this.isOpen = requireNonNull(isOpen, "isOpen is null");
        this.collector = requireNonNull(collector, "collector is null");
        this.background = requireNonNull(background, "background is null");
        this.epoch = epoch;
    }

    /**
     * Deletes the orphans of a table that were last changed before a limit; completes with their
     * number. Fails with STORE_FAILED when the store fails, and with the failure of a shard that
     * stopped.
     *
     * @param before the limit, by the clock of the store
     * @param progress counts files, and stops between two of them
     */
    public CompletableFuture<Long> remove(TableSchema table, Instant before, Progress progress) {
        CompletableFuture<Long> removed = CompletableFuture.completedFuture(0L);
        for (ShardId shard : table.shards()) {
            removed =
                    removed.thenCompose(
                            count ->
                                    remove(table.id(), shard, before, progress)
                                            .thenApply(more -> count + more));
        }
        return removed;
    }

    private CompletableFuture<Integer> remove(
            TableId table, ShardId shard, Instant before, Progress progress) {
        return inBackground(
                        () -> {
                            progress.checkNotCancelled();
                            return candidates(table, shard, before);
                        })
                .thenCompose(
                        found -> {
                            Set<String> claimed = claims.claimUnclaimed(shard, found);
                            return CompletableFuture.completedFuture(claimed)
                                    .thenCompose(own -> removeClaimed(table, shard, own, progress))
                                    .whenComplete((_, _) -> claims.release(shard, claimed));
                        });
    }

    private CompletableFuture<Integer> removeClaimed(
            TableId table, ShardId shard, Set<String> claimed, Progress progress) {
        TableGroupShard owner = shards.shard(shard);
        return owner.context()
                .submit(
                        () -> {
                            owner.checkServing();
                            owner.checkNotSetAside(table); // its view does not name its files
                            return stemsInUse(owner, table);
                        })
                .thenCompose(
                        inUse ->
                                inBackground(
                                        () -> {
                                            // A shard that stopped may be another engine's by now
                                            owner.checkServing();
                                            owner.checkNotSetAside(table);
                                            return delete(claimed, inUse, progress);
                                        }));
    }

    private List<String> candidates(TableId table, ShardId shard, Instant before)
            throws IOException {
        List<String> found = new ArrayList<>();
        for (ObjectEntry entry : files.store().list(FileIds.folder(table, shard))) {
            if (entry.modified().isBefore(before) && mayGo(entry.path())) {
                found.add(entry.path());
            }
        }
        return found;
    }

    private boolean mayGo(String path) {
        Optional<DataFileName> known = DataFileName.parse(path);
        if (known.isEmpty()) {
            return true;
        }
        DataFileName name = known.get();
        // A file of a higher epoch belongs to an engine that has taken the shards over
        return name.isWorkers()
                ? name.epoch() <= epoch && !isOpen.test(name.writer())
                : name.epoch() < epoch;
    }

    private Set<String> stemsInUse(TableGroupShard owner, TableId table) {
        Set<String> stems = new HashSet<>();
        Optional<TableShard> present = owner.findTable(table);
        if (present.isPresent()) {
            present.get().view().files().forEach(file -> add(file, stems));
        }
        for (PreparedPart part : owner.inDoubt()) {
            part.files().forEach(file -> add(file, stems));
        }
        collector.waiting().forEach(path -> stems.add(DataFileName.stem(path)));
        return stems;
    }

    private static void add(FileEntry file, Set<String> stems) {
        file.immutablePaths().forEach(path -> stems.add(DataFileName.stem(path)));
    }

    private int delete(Set<String> paths, Set<String> stemsInUse, Progress progress)
            throws IOException {
        int count = 0;
        progress.expect(paths.size());
        for (String path : paths) {
            progress.checkNotCancelled();
            if (!stemsInUse.contains(DataFileName.stem(path))) {
                files.store().delete(path);
                files.forget(path);
                count++;
            }
            progress.advance(1);
        }
        return count;
    }

    @FunctionalInterface
    private interface Request<T> {
        T run() throws IOException;
    }

    private <T> CompletableFuture<T> inBackground(Request<T> request) {
        Supplier<T> task =
                () -> {
                    try {
                        return request.run();
                    } catch (IOException e) {
                        throw new SteleException(
                                ErrorCode.STORE_FAILED, "Cannot remove orphan files: " + e, e);
                    }
                };
        try {
            return CompletableFuture.supplyAsync(task, background);
        } catch (RejectedExecutionException full) {
            return CompletableFuture.failedFuture(
                    new SteleException(ErrorCode.BUSY, "Background work is behind", full));
        }
    }
}
