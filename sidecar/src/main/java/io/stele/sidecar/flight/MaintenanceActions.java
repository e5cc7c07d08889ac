package io.stele.sidecar.flight;

import static io.stele.protocol.api.Done.DONE;
import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableMap;
import io.stele.cache.CacheStatistics;
import io.stele.engine.StorageEngine;
import io.stele.engine.catalog.Catalog;
import io.stele.engine.catalog.TableEntry;
import io.stele.engine.job.Job;
import io.stele.engine.job.JobKey;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import io.stele.protocol.api.Actions;
import io.stele.protocol.api.catalog.TableRequest;
import io.stele.protocol.api.catalog.TableStatisticsRequest;
import io.stele.protocol.api.maintenance.CancelJobRequest;
import io.stele.protocol.api.maintenance.ExpireHistoryRequest;
import io.stele.protocol.api.maintenance.JobKind;
import io.stele.protocol.api.maintenance.JobStatus;
import io.stele.protocol.api.maintenance.ListFilesReply;
import io.stele.protocol.api.maintenance.ListPartitionsReply;
import io.stele.protocol.api.maintenance.RemoveOrphanFilesReply;
import io.stele.protocol.api.maintenance.RemoveOrphanFilesRequest;
import io.stele.protocol.api.maintenance.RunJobRequest;
import io.stele.protocol.api.maintenance.TableHistoryReply;
import io.stele.protocol.api.status.AggregateCacheReply;
import io.stele.protocol.api.status.MemoryCacheUse;
import io.stele.protocol.api.status.MemoryCachesReply;
import io.stele.protocol.schema.TableSchema;
import io.stele.sidecar.engine.EngineService;
import io.stele.sidecar.engine.SidecarAggregateCache;
import java.util.Map;
import java.util.Optional;

/** The actions for operators. Thread safe. */
final class MaintenanceActions {
    /** Well below what connections, and what is between them, take for a dead peer. */
    private static final long MAX_JOB_WAIT_MILLIS = 10_000;

    private final EngineService engine;
    private final SidecarAggregateCache aggregateCache;

    MaintenanceActions(EngineService engine, SidecarAggregateCache aggregateCache) {
        this.engine = requireNonNull(engine, "engine is null");
        this.aggregateCache = requireNonNull(aggregateCache, "aggregateCache is null");
    }

    Map<String, ActionHandler> handlers() {
        ImmutableMap.Builder<String, ActionHandler> handlers = ImmutableMap.builder();
        handlers.put(
                Actions.FLUSH,
                ActionHandler.of(
                        "Writes what is in memory into files", TableRequest.class, this::flush));
        handlers.put(
                Actions.COMPACT,
                ActionHandler.of(
                        "Merges files until nothing is left to merge",
                        TableRequest.class,
                        this::compact));
        handlers.put(
                Actions.ANALYZE,
                ActionHandler.of(
                        "Flushes, and sketches the columns of files written without",
                        TableRequest.class,
                        this::analyze));
        handlers.put(
                Actions.TABLE_STATISTICS,
                ActionHandler.of(
                        "Says what is known of the rows of a table or some of its files",
                        TableStatisticsRequest.class,
                        this::tableStatistics));
        handlers.put(
                Actions.LIST_PARTITIONS,
                ActionHandler.listing(
                        "Lists the partitions that have files",
                        TableRequest.class,
                        this::filesBytes,
                        this::listPartitions));
        handlers.put(
                Actions.LIST_FILES,
                ActionHandler.listing(
                        "Lists the shards and files of a table",
                        TableRequest.class,
                        this::filesBytes,
                        this::listFiles));
        handlers.put(
                Actions.TABLE_HISTORY,
                ActionHandler.of(
                        "Says which columns a table had, and how far back it can be read",
                        TableRequest.class,
                        this::tableHistory));
        handlers.put(
                Actions.EXPIRE_HISTORY,
                ActionHandler.of(
                        "Forgets the history of a table below an LSN",
                        ExpireHistoryRequest.class,
                        this::expireHistory));
        handlers.put(
                Actions.REMOVE_ORPHAN_FILES,
                ActionHandler.of(
                        "Deletes files of a table that belong to nothing",
                        RemoveOrphanFilesRequest.class,
                        this::removeOrphanFiles));
        handlers.put(
                Actions.RUN_JOB,
                ActionHandler.of(
                        "Begins long work on a table, or finds it going on, and waits for it a while",
                        RunJobRequest.class,
                        this::runJob));
        handlers.put(
                Actions.CANCEL_JOB,
                ActionHandler.changing("Stops long work", CancelJobRequest.class, this::cancelJob));
        handlers.put(
                Actions.LIST_JOBS,
                ActionHandler.of("Lists long work and how far it is", engine::jobs));
        handlers.put(
                Actions.STATUS, ActionHandler.of("Says how the sidecar is doing", engine::status));
        handlers.put(
                Actions.SCHEDULING_GROUPS,
                ActionHandler.of(
                        "Says how the sidecar's threads are shared",
                        engine::schedulingGroupsReply));
        handlers.put(
                Actions.DATA_CACHE,
                ActionHandler.of(
                        "Says what the data page cache holds and did", engine::dataCacheReply));
        handlers.put(
                Actions.AGGREGATE_CACHE,
                ActionHandler.of(
                        "Says what the cache of fragment results holds and did",
                        this::aggregateCacheUse));
        handlers.put(
                Actions.MEMORY_CACHES,
                ActionHandler.of(
                        "Says what the caches in memory hold and did", this::memoryCaches));
        return handlers.buildOrThrow();
    }

    private AggregateCacheReply aggregateCacheUse() {
        Catalog catalog = engine.engine().catalog().current();
        return new AggregateCacheReply(
                engine.nodeId(), aggregateCache.uses(id -> name(catalog, id)));
    }

    private MemoryCachesReply memoryCaches() {
        return new MemoryCachesReply(
                engine.nodeId(),
                engine.engine().status().caches().stream().map(MaintenanceActions::use).toList());
    }

    private static MemoryCacheUse use(CacheStatistics cache) {
        return new MemoryCacheUse(
                cache.name(),
                cache.hits(),
                cache.misses(),
                cache.hitBytes(),
                cache.savedMillis(),
                cache.evictions(),
                cache.replaced(),
                cache.invalidated(),
                cache.entries(),
                cache.weightBytes(),
                cache.maxWeightBytes());
    }

    private static Optional<String> name(Catalog catalog, String id) {
        return catalog.findTable(new TableId(Long.parseLong(id)))
                .map(TableEntry::schema)
                .map(TableSchema::qualifiedName);
    }

    private Object flush(TableRequest request) {
        await(new JobKey(JobKind.FLUSH, engine.resolve(request).id(), Optional.empty()));
        return DONE;
    }

    private Object compact(TableRequest request) {
        await(new JobKey(JobKind.COMPACT, engine.resolve(request).id(), Optional.empty()));
        return DONE;
    }

    private Object analyze(TableRequest request) {
        await(new JobKey(JobKind.ANALYZE, engine.resolve(request).id(), Optional.empty()));
        return DONE;
    }

    private JobStatus await(JobKey work) {
        JobStatus ended =
                Blocking.await(
                        engine.engine().runJob(work, QueryIdentityInterceptor.user()).ended());
        if (ended.failure().isPresent()) {
            throw ended.failure().get();
        }
        return ended;
    }

    private Object runJob(RunJobRequest request) {
        StorageEngine open = engine.engine();
        Job job =
                request.jobId()
                        .flatMap(open.jobs()::find)
                        .orElseGet(
                                () ->
                                        open.runJob(
                                                new JobKey(
                                                        request.kind(),
                                                        engine.resolve(request.table()).id(),
                                                        request.argument()),
                                                QueryIdentityInterceptor.user()));
        return Blocking.await(job, Math.clamp(request.waitMillis(), 0, MAX_JOB_WAIT_MILLIS));
    }

    private Object cancelJob(CancelJobRequest request) {
        return engine.engine()
                .jobs()
                .cancel(request.jobId(), QueryIdentityInterceptor.user())
                .status();
    }

    private Object tableStatistics(TableStatisticsRequest request) {
        return engine.engine()
                .statistics(request.tableId(), request.schemaVersion(), request.predicate());
    }

    private long filesBytes(TableRequest request) {
        return engine.engine().fileCount(engine.resolve(request).id()) * ScanActions.FILE_BYTES;
    }

    private Object listPartitions(TableRequest request) {
        return new ListPartitionsReply(engine.engine().partitions(engine.resolve(request).id()));
    }

    private Object listFiles(TableRequest request) {
        return new ListFilesReply(
                engine.nodeId(), engine.engine().files(engine.resolve(request).id()));
    }

    private Object tableHistory(TableRequest request) {
        TableSchema table = engine.resolve(request);
        TableEntry entry =
                engine.engine()
                        .catalog()
                        .current()
                        .findTable(table.id())
                        .orElseThrow(
                                () ->
                                        new SteleException(
                                                ErrorCode.STALE_TABLE,
                                                "Expected table %s, found none: it was dropped or truncated"
                                                        .formatted(table.qualifiedName())));
        return new TableHistoryReply(
                entry.schema(), entry.history(), engine.engine().horizon(table.id()));
    }

    private Object removeOrphanFiles(RemoveOrphanFilesRequest request) {
        return new RemoveOrphanFilesReply(
                await(
                                new JobKey(
                                        JobKind.REMOVE_ORPHAN_FILES,
                                        request.tableId(),
                                        Optional.of(request.beforeMillis())))
                        .result());
    }

    private Object expireHistory(ExpireHistoryRequest request) {
        await(
                new JobKey(
                        JobKind.EXPIRE_HISTORY,
                        request.tableId(),
                        Optional.of(request.before().value())));
        return DONE;
    }
}
