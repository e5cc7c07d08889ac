package io.stele.engine.maintenance;

import static java.util.Objects.requireNonNull;

import io.stele.engine.catalog.CatalogService;
import io.stele.engine.job.Job;
import io.stele.engine.job.JobKey;
import io.stele.engine.job.Jobs;
import io.stele.engine.job.Progress;
import io.stele.engine.node.Shards;
import io.stele.engine.snapshot.SnapshotRegistry;
import io.stele.engine.transaction.OrphanFiles;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import io.stele.protocol.api.catalog.TableName;
import io.stele.protocol.api.maintenance.JobKind;
import io.stele.protocol.schema.IndexSchema;
import io.stele.protocol.schema.TableSchema;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A service that runs maintenance on request, as asynchronous jobs over all shards of a table. The
 * kinds are flush, compaction, analysis of columns, expiry of history, removal of orphan files and
 * index builds. The engine also flushes, compacts and builds indexes without requests. Thread-safe.
 */
public final class Maintenance {
    private final CatalogService catalog;
    private final Shards shards;
    private final SnapshotRegistry snapshots;
    private final OrphanFiles orphanFiles;
    private final Jobs jobs;

    public Maintenance(
            CatalogService catalog,
            Shards shards,
            SnapshotRegistry snapshots,
            OrphanFiles orphanFiles,
            Jobs jobs) {
        this.catalog = requireNonNull(catalog, "catalog is null");
        this.shards = requireNonNull(shards, "shards is null");
        this.snapshots = requireNonNull(snapshots, "snapshots is null");
        this.orphanFiles = requireNonNull(orphanFiles, "orphanFiles is null");
        this.jobs = requireNonNull(jobs, "jobs is null");
    }

    public Jobs jobs() {
        return jobs;
    }

    /**
     * The running job for this work, or a new one. Index builds begin without a request: for an
     * index, the running or last job of its build.
     */
    public Job run(JobKey key, Optional<String> user) {
        TableSchema schema = catalog.current().table(key.table());
        TableName name = new TableName(schema.schemaName(), schema.tableName());
        if (key.kind() == JobKind.BUILD_INDEX) {
            return jobs.findLast(key, user).orElseGet(() -> built(key, schema, name, user));
        }
        checkArgument(key);
        return jobs.run(key, name, user, progress -> work(key, progress));
    }

    /**
     * A job that is done at once, for an index that was ready before this engine started;
     * STALE_TABLE if there is none.
     */
    private Job built(JobKey key, TableSchema schema, TableName name, Optional<String> user) {
        long id = argument(key);
        boolean isReady =
                schema.options().indexes().stream()
                        .filter(IndexSchema::ready)
                        .anyMatch(index -> index.id() == id);
        if (!isReady) {
            throw new SteleException(
                    ErrorCode.STALE_TABLE,
                    "Expected an index of id %d of table %s, found none: it was dropped"
                            .formatted(id, schema.qualifiedName()));
        }
        return jobs.run(key, name, user, _ -> CompletableFuture.completedFuture(0L));
    }

    private CompletableFuture<Long> work(JobKey key, Progress progress) {
        TableId table = key.table();
        return switch (key.kind()) {
            case FLUSH -> withoutResult(flush(table, progress));
            case COMPACT -> withoutResult(compact(table, progress));
            case ANALYZE -> withoutResult(analyze(table, progress));
            case EXPIRE_HISTORY ->
                    withoutResult(expireHistory(table, new Lsn(argument(key)), progress));
            case REMOVE_ORPHAN_FILES ->
                    removeOrphanFiles(table, Instant.ofEpochMilli(argument(key)), progress);
            case BUILD_INDEX ->
                    throw new IllegalArgumentException("Expected other work, found " + key);
        };
    }

    private static CompletableFuture<Long> withoutResult(CompletableFuture<@Nullable Void> work) {
        return work.thenApply(done -> 0L);
    }

    private static void checkArgument(JobKey key) {
        boolean isWanted =
                switch (key.kind()) {
                    case FLUSH, COMPACT, ANALYZE -> false;
                    case EXPIRE_HISTORY, REMOVE_ORPHAN_FILES, BUILD_INDEX -> true;
                };
        if (isWanted != key.argument().isPresent()) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected %s argument of a job of kind %s, found %s"
                            .formatted(
                                    isWanted ? "an" : "no",
                                    key.kind(),
                                    key.argument().map(String::valueOf).orElse("none")));
        }
    }

    private static long argument(JobKey key) {
        checkArgument(key);
        return key.argument().orElseThrow();
    }

    public CompletableFuture<@Nullable Void> flush(TableId table, Progress progress) {
        return forEachShard(
                table,
                entry -> {
                    Progress.Part shard = progress.begin(1);
                    return entry.maintenance()
                            .flush(table, progress)
                            .thenRun(shard::finish)
                            .thenApply(flushed -> null);
                });
    }

    public CompletableFuture<@Nullable Void> compact(TableId table, Progress progress) {
        return forEachShard(table, entry -> entry.maintenance().compact(table, progress));
    }

    public CompletableFuture<@Nullable Void> analyze(TableId table, Progress progress) {
        return forEachShard(table, entry -> entry.maintenance().analyze(table, progress));
    }

    public CompletableFuture<@Nullable Void> expireHistory(
            TableId table, Lsn before, Progress progress) {
        catalog.current().table(table);
        snapshots.forgetBefore(table, before);
        return compact(table, progress);
    }

    public CompletableFuture<Long> removeOrphanFiles(
            TableId table, Instant before, Progress progress) {
        return orphanFiles.remove(catalog.current().table(table), before, progress);
    }

    private CompletableFuture<@Nullable Void> forEachShard(TableId tableId, ShardStep step) {
        try {
            List<CompletableFuture<@Nullable Void>> all = new ArrayList<>();
            for (ShardId id : catalog.current().table(tableId).shards()) {
                Shards.Entry entry = shards.entry(id);
                all.add(
                        entry.shard()
                                .context()
                                .submit(() -> step.run(entry))
                                .thenCompose(done -> done));
            }
            return CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new))
                    .thenApply(done -> null);
        } catch (SteleException refused) {
            return CompletableFuture.failedFuture(refused);
        }
    }

    @FunctionalInterface
    private interface ShardStep {
        CompletableFuture<@Nullable Void> run(Shards.Entry entry);
    }
}
