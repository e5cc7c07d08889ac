package io.stele.sidecar.action;

import static io.stele.protocol.api.Done.DONE;
import static java.util.Objects.requireNonNull;

import io.stele.cache.CacheStatistics;
import io.stele.engine.StorageEngine;
import io.stele.engine.catalog.Catalog;
import io.stele.engine.catalog.TableEntry;
import io.stele.engine.job.Job;
import io.stele.engine.job.JobKey;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import io.stele.protocol.api.Done;
import io.stele.protocol.api.catalog.CatalogActions;
import io.stele.protocol.api.catalog.TableRequest;
import io.stele.protocol.api.catalog.TableStatistics;
import io.stele.protocol.api.catalog.TableStatisticsRequest;
import io.stele.protocol.api.maintenance.CancelJobRequest;
import io.stele.protocol.api.maintenance.ExpireHistoryRequest;
import io.stele.protocol.api.maintenance.JobKind;
import io.stele.protocol.api.maintenance.JobStatus;
import io.stele.protocol.api.maintenance.ListFilesReply;
import io.stele.protocol.api.maintenance.ListPartitionsReply;
import io.stele.protocol.api.maintenance.MaintenanceActions;
import io.stele.protocol.api.maintenance.RemoveOrphanFilesReply;
import io.stele.protocol.api.maintenance.RemoveOrphanFilesRequest;
import io.stele.protocol.api.maintenance.RunJobRequest;
import io.stele.protocol.api.maintenance.TableHistoryReply;
import io.stele.protocol.api.status.AggregateCacheReply;
import io.stele.protocol.api.status.MemoryCacheUse;
import io.stele.protocol.api.status.MemoryCachesReply;
import io.stele.protocol.api.status.StatementsReply;
import io.stele.protocol.api.status.StatusActions;
import io.stele.protocol.schema.TableSchema;
import io.stele.sidecar.engine.Blocking;
import io.stele.sidecar.engine.EngineService;
import io.stele.sidecar.engine.SidecarAggregateCache;
import io.stele.sidecar.flight.call.QueryIdentityInterceptor;
import io.stele.sidecar.statement.StatementStatistics;
import java.util.List;
import java.util.Optional;

/**
 * The handlers of the actions on maintenance, jobs and status, for operators and the connector.
 * Thread-safe; they wait for the engine.
 */
final class MaintenanceHandlers {
    /**
     * Well below the time after which connections, and proxies between them, regard a peer as dead.
     */
    private static final long MAX_JOB_WAIT_MILLIS = 10_000;

    private final EngineService engine;
    private final SidecarAggregateCache aggregateCache;
    private final StatementStatistics statements;

    MaintenanceHandlers(
            EngineService engine,
            SidecarAggregateCache aggregateCache,
            StatementStatistics statements) {
        this.statements = requireNonNull(statements, "statements is null");
        this.engine = requireNonNull(engine, "engine is null");
        this.aggregateCache = requireNonNull(aggregateCache, "aggregateCache is null");
    }

    List<ActionHandler> handlers() {
        return List.of(
                ActionHandler.of(
                        MaintenanceActions.FLUSH,
                        "Writes what is in memory into files",
                        this::flush),
                ActionHandler.of(
                        MaintenanceActions.COMPACT,
                        "Merges files until nothing is left to merge",
                        this::compact),
                ActionHandler.of(
                        MaintenanceActions.ANALYZE,
                        "Flushes, and sketches the columns of files written without",
                        this::analyze),
                ActionHandler.of(
                        CatalogActions.TABLE_STATISTICS,
                        "Says what is known of the rows of a table or some of its files",
                        this::tableStatistics),
                ActionHandler.listing(
                        MaintenanceActions.LIST_PARTITIONS,
                        "Lists the partitions that have files",
                        this::filesBytes,
                        this::listPartitions),
                ActionHandler.listing(
                        MaintenanceActions.LIST_FILES,
                        "Lists the shards and files of a table",
                        this::filesBytes,
                        this::listFiles),
                ActionHandler.of(
                        MaintenanceActions.TABLE_HISTORY,
                        "Says which columns a table had, and how far back it can be read",
                        this::tableHistory),
                ActionHandler.of(
                        MaintenanceActions.EXPIRE_HISTORY,
                        "Forgets the history of a table below an LSN",
                        this::expireHistory),
                ActionHandler.of(
                        MaintenanceActions.REMOVE_ORPHAN_FILES,
                        "Deletes files of a table that belong to nothing",
                        this::removeOrphanFiles),
                ActionHandler.of(
                        MaintenanceActions.RUN_JOB,
                        "Begins long work on a table, or finds it going on, and waits for it a while",
                        this::runJob),
                ActionHandler.changing(
                        MaintenanceActions.CANCEL_JOB, "Stops long work", this::cancelJob),
                ActionHandler.of(
                        MaintenanceActions.LIST_JOBS,
                        "Lists long work and how far it is",
                        engine::jobs),
                ActionHandler.of(
                        StatusActions.STATUS, "Says how the sidecar is doing", engine::status),
                ActionHandler.of(
                        StatusActions.SCHEDULING_GROUPS,
                        "Says how the sidecar's threads are shared",
                        engine::schedulingGroupsReply),
                ActionHandler.of(
                        StatusActions.STATEMENTS,
                        "Says how often SQL statements ran, and for how long",
                        () -> new StatementsReply(engine.nodeId(), statements.statements())),
                ActionHandler.of(
                        StatusActions.DATA_CACHE,
                        "Says what the data page cache holds and did",
                        engine::dataCacheReply),
                ActionHandler.of(
                        StatusActions.AGGREGATE_CACHE,
                        "Says what the aggregate cache holds and did",
                        this::aggregateCacheUse),
                ActionHandler.of(
                        StatusActions.MEMORY_CACHES,
                        "Says what the caches in memory hold and did",
                        this::memoryCaches),
                ActionHandler.of(
                        StatusActions.RETRIEVAL,
                        "Says what was read of the warehouse, by table and query",
                        engine::retrievalReply));
    }

    private AggregateCacheReply aggregateCacheUse() {
        Catalog catalog = engine.engine().catalog().current();
        return new AggregateCacheReply(
                engine.nodeId(), aggregateCache.uses(id -> name(catalog, id)));
    }

    private MemoryCachesReply memoryCaches() {
        return new MemoryCachesReply(
                engine.nodeId(),
                engine.engine().status().caches().stream().map(MaintenanceHandlers::use).toList());
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

    private Done flush(TableRequest request) {
        await(new JobKey(JobKind.FLUSH, engine.resolve(request).id(), Optional.empty()));
        return DONE;
    }

    private Done compact(TableRequest request) {
        await(new JobKey(JobKind.COMPACT, engine.resolve(request).id(), Optional.empty()));
        return DONE;
    }

    private Done analyze(TableRequest request) {
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

    private JobStatus runJob(RunJobRequest request) {
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

    private JobStatus cancelJob(CancelJobRequest request) {
        return engine.engine()
                .jobs()
                .cancel(request.jobId(), QueryIdentityInterceptor.user())
                .status();
    }

    private TableStatistics tableStatistics(TableStatisticsRequest request) {
        return engine.engine()
                .statistics(request.tableId(), request.schemaVersion(), request.predicate());
    }

    private long filesBytes(TableRequest request) {
        return engine.engine().fileCount(engine.resolve(request).id()) * ScanHandlers.FILE_BYTES;
    }

    private ListPartitionsReply listPartitions(TableRequest request) {
        return new ListPartitionsReply(engine.engine().partitions(engine.resolve(request).id()));
    }

    private ListFilesReply listFiles(TableRequest request) {
        return new ListFilesReply(
                engine.nodeId(), engine.engine().files(engine.resolve(request).id()));
    }

    private TableHistoryReply tableHistory(TableRequest request) {
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

    private RemoveOrphanFilesReply removeOrphanFiles(RemoveOrphanFilesRequest request) {
        return new RemoveOrphanFilesReply(
                await(
                                new JobKey(
                                        JobKind.REMOVE_ORPHAN_FILES,
                                        request.tableId(),
                                        Optional.of(request.beforeMillis())))
                        .result());
    }

    private Done expireHistory(ExpireHistoryRequest request) {
        await(
                new JobKey(
                        JobKind.EXPIRE_HISTORY,
                        request.tableId(),
                        Optional.of(request.before().value())));
        return DONE;
    }
}
