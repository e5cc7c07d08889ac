package io.stele.engine.maintenance;

import static java.util.Objects.requireNonNull;

import io.stele.engine.catalog.Catalog;
import io.stele.engine.catalog.CatalogService;
import io.stele.engine.catalog.TableEntry;
import io.stele.engine.compaction.IndexBackfill;
import io.stele.engine.datafile.TableFiles;
import io.stele.engine.index.IndexView;
import io.stele.engine.job.Job;
import io.stele.engine.job.JobKey;
import io.stele.engine.job.Jobs;
import io.stele.engine.job.Progress;
import io.stele.engine.node.BackgroundTasks;
import io.stele.engine.node.Shards;
import io.stele.engine.scan.DuplicateSearch;
import io.stele.engine.snapshot.Readers;
import io.stele.engine.snapshot.SnapshotRegistry;
import io.stele.engine.tablet.TableShard;
import io.stele.engine.tablet.TableView;
import io.stele.engine.transaction.Coordinator;
import io.stele.objectstore.CloseAll;
import io.stele.objectstore.JobWrites;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import io.stele.protocol.api.catalog.TableName;
import io.stele.protocol.api.maintenance.JobKind;
import io.stele.protocol.schema.IndexSchema;
import io.stele.protocol.schema.TableSchema;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A queue of builds of the secondary indexes that are not ready in the catalog, run one at a time
 * in the background while writes continue.
 *
 * <p>In each shard, writes add entries to the index from the moment the shard has its definition.
 * Earlier rows get their entries by an {@link IndexBackfill}. When all shards have finished, the
 * catalog marks the index as ready. A build that a crash or a store fault interrupts starts again:
 * entries of an index that is not ready are discarded at a start.
 *
 * <p>A unique index refuses duplicate writes from the beginning, by the entries that it has so far.
 * When it has all entries, and all batches decided before are applied, a {@link DuplicateSearch}
 * checks the present rows; if it finds a duplicate, the index is dropped.
 *
 * <p>Each build is a job. A cancelled build stops between two steps, and its index is dropped.
 *
 * <p>Guarded by itself; blocking steps run on background threads.
 */
public final class IndexBuilds {
    private final Jobs jobs;
    private final Shards shards;
    private final CatalogService catalog;
    private final SnapshotRegistry snapshots;
    private final TableFiles files;
    private final Executor building;
    private final Executor statements;
    private final long targetFileBytes;
    private final Map<Key, Build> builds = new LinkedHashMap<>();
    private final Set<Key> failed = new HashSet<>(); // since the last tick
    private @Nullable Key current; // the running build

    /**
     * @param building executor of steps that read and write files
     * @param statements executor of catalog statements, which block
     */
    public IndexBuilds(
            Jobs jobs,
            Shards shards,
            CatalogService catalog,
            SnapshotRegistry snapshots,
            TableFiles files,
            Executor building,
            Executor statements,
            long targetFileBytes) {
        this.jobs = requireNonNull(jobs, "jobs is null");
        this.shards = requireNonNull(shards, "shards is null");
        this.catalog = requireNonNull(catalog, "catalog is null");
        this.snapshots = requireNonNull(snapshots, "snapshots is null");
        this.files = requireNonNull(files, "files is null");
        this.building = requireNonNull(building, "building is null");
        this.statements = requireNonNull(statements, "statements is null");
        this.targetFileBytes = targetFileBytes;
    }

    private record Key(TableId tableId, int indexId) {}

    /** The job of an index to be built, and the future that completes with its end. */
    private record Build(Job job, CompletableFuture<@Nullable Void> done) {}

    /** Queues builds of the indexes that are not ready in a catalog. */
    public void follow(Catalog present) {
        synchronized (this) {
            for (TableEntry entry : present.tables()) {
                for (IndexSchema index : entry.schema().options().indexes()) {
                    if (!index.ready()) {
                        builds.computeIfAbsent(
                                new Key(entry.schema().id(), index.id()),
                                key -> queue(key, entry.schema(), index));
                    }
                }
            }
        }
        next();
    }

    private Build queue(Key key, TableSchema schema, IndexSchema index) {
        CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
        Job job =
                jobs.queue(
                        new JobKey(
                                JobKind.BUILD_INDEX,
                                key.tableId(),
                                Optional.of((long) key.indexId())),
                        new TableName(schema.schemaName(), schema.tableName()),
                        index.name(),
                        done.thenApply(built -> 0L));
        job.progress().whenCancelled(() -> cancel(key));
        return new Build(job, done);
    }

    /**
     * Drops a cancelled index, unless it is being built: the running build checks for cancellation
     * itself.
     */
    private void cancel(Key key) {
        synchronized (this) {
            if (key.equals(current) || !builds.containsKey(key)) {
                return;
            }
        }
        end(key, Progress.refusal());
    }

    /**
     * Completes when all present indexes of a table are ready, or fails with the failure of one
     * build.
     */
    public CompletableFuture<@Nullable Void> ready(TableId tableId) {
        List<CompletableFuture<@Nullable Void>> waits = new ArrayList<>();
        synchronized (this) {
            builds.forEach(
                    (key, build) -> {
                        if (key.tableId().equals(tableId) && index(key).isPresent()) {
                            waits.add(build.done());
                        }
                    });
        }
        return CompletableFuture.allOf(waits.toArray(CompletableFuture<?>[]::new))
                .thenApply(done -> null);
    }

    /** Starts the first build, also one that failed before, unless one is running. */
    void tick() {
        synchronized (this) {
            failed.clear();
        }
        next();
    }

    /** Starts the first build that has not failed since the last tick, unless one is running. */
    private void next() {
        Key key;
        Job job;
        synchronized (this) {
            Optional<Map.Entry<Key, Build>> first =
                    builds.entrySet().stream()
                            .filter(build -> !failed.contains(build.getKey()))
                            .findFirst();
            if (current != null || first.isEmpty()) {
                return;
            }
            key = first.get().getKey();
            job = first.get().getValue().job();
            current = key;
        }
        job.start();
        CompletableFuture.completedFuture(key)
                .thenCompose(first -> build(first, job.progress()))
                .whenComplete((built, failed) -> end(key, failed));
    }

    private void end(Key key, @Nullable Throwable failure) {
        if (failure != null
                && Coordinator.unwrap(failure) instanceof SteleException known
                && endsIndex(known.code())) {
            // Continue even if the drop fails: the next attempt fails in the same way, or finds no
            // index
            BackgroundTasks.submit(
                            statements, () -> catalog.dropIndex(key.tableId(), key.indexId()))
                    .whenComplete((dropped, notDropped) -> finish(key, failure));
        } else {
            finish(key, failure);
        }
    }

    private static boolean endsIndex(ErrorCode failure) {
        return failure == ErrorCode.DUPLICATE_KEY || failure == ErrorCode.CANCELLED;
    }

    private void finish(Key key, @Nullable Throwable failure) {
        boolean gone = index(key).isEmpty();
        Build ended = null;
        synchronized (this) {
            if (key.equals(current)) {
                current = null;
            }
            Build build = builds.remove(key);
            if (failure == null || gone) {
                ended = build;
            } else if (build != null) {
                // the next tick tries again, after the other builds
                builds.put(key, build);
                failed.add(key);
            }
        }
        if (ended != null) {
            if (failure == null) {
                ended.done().complete(null);
            } else {
                ended.done()
                        .completeExceptionally(
                                Coordinator.unwrap(failure) instanceof SteleException known
                                        ? known
                                        : dropped(key));
            }
        }
        next();
    }

    private CompletableFuture<@Nullable Void> build(Key key, Progress progress) {
        Optional<TableSchema> schema = index(key);
        if (schema.isEmpty()) {
            return CompletableFuture.failedFuture(dropped(key));
        }
        CompletableFuture<@Nullable Void> built = CompletableFuture.completedFuture(null);
        List<Progress.Part> parts = new ArrayList<>();
        for (ShardId shard : schema.get().shards()) {
            Shards.Entry entry = shards.entry(shard);
            Progress.Part part = progress.begin(rowCount(key, entry));
            parts.add(part);
            ShardBuild ofShard = new ShardBuild(key, entry, progress, part);
            built = built.thenCompose(done -> build(ofShard)).thenRun(part::finish);
        }
        return built.thenCompose(
                        done ->
                                BackgroundTasks.submit(
                                        statements,
                                        () -> catalog.setIndexReady(key.tableId(), key.indexId())))
                .<@Nullable Void>thenApply(ready -> null)
                .whenComplete(
                        (ready, failed) -> {
                            if (failed != null) {
                                parts.forEach(Progress.Part::giveUp);
                            }
                        });
    }

    private static long rowCount(Key key, Shards.Entry entry) {
        return entry.shard()
                .findTable(key.tableId())
                .map(table -> IndexBackfill.rowCount(table.view()))
                .orElse(0L);
    }

    /** The part of a build in one shard. */
    private record ShardBuild(Key key, Shards.Entry entry, Progress progress, Progress.Part part) {}

    /** Builds the index in one shard; completes when every row of the shard has its entry. */
    private CompletableFuture<@Nullable Void> build(ShardBuild build) {
        Readers.Generation reader = snapshots.readers().enter();
        JobWrites writes = new JobWrites(_ -> {});
        return build.entry()
                .shard()
                .context()
                .submit(() -> begin(build.key(), build.entry(), writes))
                .thenCompose(
                        backfill ->
                                backfill.isEmpty()
                                        ? CompletableFuture.<@Nullable Void>completedFuture(null)
                                        : run(backfill.get(), build, writes))
                .thenCompose(done -> checkUnique(build))
                .whenComplete((done, failed) -> snapshots.readers().exit(reader));
    }

    /**
     * Begins a build in a shard, on its context; later writes make entries. Empty if the index is
     * already complete.
     */
    private Optional<IndexBackfill> begin(Key key, Shards.Entry entry, JobWrites writes) {
        entry.shard().checkServing();
        TableShard table = entry.shard().table(key.tableId());
        entry.maintenance().followIndexes(table);
        TableView view = table.view();
        IndexView index = view.index(key.indexId()).orElseThrow(() -> dropped(key));
        return index.complete()
                ? Optional.empty()
                : Optional.of(
                        new IndexBackfill(
                                table,
                                view,
                                index.keys(),
                                files.of(writes),
                                table.historyLsn(),
                                targetFileBytes));
    }

    private CompletableFuture<@Nullable Void> run(
            IndexBackfill backfill, ShardBuild build, JobWrites writes) {
        return SteppedWork.run(building, steps(backfill, build, files, writes))
                .thenCompose(
                        done ->
                                build.entry()
                                        .shard()
                                        .context()
                                        .submit(() -> build.entry().maintenance().publish(backfill))
                                        .thenCompose(published -> published));
    }

    /**
     * Searches for duplicates if the index is unique; fails with DUPLICATE_KEY if there are any.
     */
    private CompletableFuture<@Nullable Void> checkUnique(ShardBuild build) {
        Key key = build.key();
        Shards.Entry entry = build.entry();
        if (!isUnique(key)) {
            return CompletableFuture.completedFuture(null);
        }
        return entry.shard()
                .context()
                .submit(() -> entry.shard().drain())
                .thenCompose(drained -> drained)
                .thenCompose(done -> entry.shard().context().submit(() -> search(key, entry)))
                .thenCompose(
                        search ->
                                SteppedWork.run(
                                        building,
                                        () -> {
                                            build.progress().checkNotCancelled();
                                            return search.step();
                                        }));
    }

    /**
     * Prepares the search for duplicates, on the shard's context, when every present row has its
     * entry and writes are checked.
     */
    private DuplicateSearch search(Key key, Shards.Entry entry) {
        entry.shard().checkServing();
        TableShard table = entry.shard().table(key.tableId());
        TableView view = table.view();
        IndexView index = view.index(key.indexId()).orElseThrow(() -> dropped(key));
        return new DuplicateSearch(
                files,
                view,
                index,
                entry.shard().appliedLsn().value(),
                snapshots.firstVisibleLsn(table.schema(), Long.MAX_VALUE));
    }

    private static SteppedWork.Steps steps(
            IndexBackfill backfill, ShardBuild build, TableFiles files, JobWrites writes) {
        return new SteppedWork.Steps() {
            private boolean isCancelled;

            @Override
            public boolean step() throws IOException {
                if (build.progress().isCancelled()) {
                    isCancelled = true;
                    throw Progress.refusal();
                }
                long before = backfill.rowCount();
                boolean more = backfill.step();
                build.part().advance(backfill.rowCount() - before);
                return more;
            }

            @Override
            public void end() throws IOException {
                CloseAll.of(
                        backfill::close,
                        () -> {
                            if (isCancelled) {
                                files.discard(writes);
                            }
                        });
            }
        };
    }

    private Optional<TableSchema> index(Key key) {
        return catalog.current()
                .findTable(key.tableId())
                .map(TableEntry::schema)
                .filter(
                        schema ->
                                schema.options().indexes().stream()
                                        .anyMatch(index -> index.id() == key.indexId()));
    }

    private boolean isUnique(Key key) {
        return index(key).stream()
                .flatMap(schema -> schema.options().indexes().stream())
                .anyMatch(index -> index.id() == key.indexId() && index.unique());
    }

    private static SteleException dropped(Key key) {
        return new SteleException(
                ErrorCode.STALE_TABLE,
                "Expected to build index id %d of table id %s, found it dropped"
                        .formatted(key.indexId(), key.tableId()));
    }
}
