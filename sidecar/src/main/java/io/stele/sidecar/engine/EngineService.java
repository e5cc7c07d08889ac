package io.stele.sidecar.engine;

import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.airlift.log.Logger;
import io.airlift.node.NodeInfo;
import io.stele.engine.StorageEngine;
import io.stele.engine.catalog.Catalog;
import io.stele.engine.catalog.TableEntry;
import io.stele.engine.catalog.TableState;
import io.stele.engine.node.CacheOptions;
import io.stele.engine.node.EngineThreads;
import io.stele.engine.node.StorageOptions;
import io.stele.engine.node.ThreadsStatus;
import io.stele.engine.shard.Damage;
import io.stele.engine.status.EngineStatus;
import io.stele.engine.wal.EncryptedLogFiles;
import io.stele.engine.wal.HybridClock;
import io.stele.engine.wal.LogFiles;
import io.stele.engine.wal.LogFilesOpener;
import io.stele.engine.wal.LogId;
import io.stele.engine.wal.LogOptions;
import io.stele.objectstore.AtomicCreateProbe;
import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.encryption.Encryption;
import io.stele.objectstore.encryption.Encryption.KeyFingerprint;
import io.stele.objectstore.encryption.EncryptionConfig;
import io.stele.objectstore.hadoop.HadoopConfig;
import io.stele.objectstore.retrieval.ReadingAhead;
import io.stele.objectstore.retrieval.RetrievalConfig;
import io.stele.objectstore.retrieval.RetrievalReport;
import io.stele.objectstore.retrieval.RetrievalStatistics;
import io.stele.objectstore.retrieval.RetrievalThreads;
import io.stele.objectstore.s3.S3Config;
import io.stele.objectstore.warehouse.WarehouseAccess;
import io.stele.objectstore.warehouse.WarehouseLocation;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.catalog.NodeAddress;
import io.stele.protocol.api.catalog.RelationReply;
import io.stele.protocol.api.catalog.ShardRouting;
import io.stele.protocol.api.catalog.TableDescription;
import io.stele.protocol.api.catalog.TableName;
import io.stele.protocol.api.catalog.TableRequest;
import io.stele.protocol.api.maintenance.ListJobsReply;
import io.stele.protocol.api.status.DamagedObject;
import io.stele.protocol.api.status.DataCacheReply;
import io.stele.protocol.api.status.RetrievalReply;
import io.stele.protocol.api.status.SchedulingGroupStatus;
import io.stele.protocol.api.status.SchedulingGroupsReply;
import io.stele.protocol.api.status.StatusReply;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.schema.TableSchema;
import io.stele.scheduler.ContextPool;
import io.stele.scheduler.FairPoolOptions;
import io.stele.scheduler.FifoPool;
import io.stele.scheduler.ThreadedFairPool;
import io.stele.sidecar.metrics.LogMetrics;
import io.stele.sidecar.process.ServingState;
import io.stele.sidecar.process.Version;
import io.stele.sidecar.scheduling.QueryScheduler;
import io.stele.sidecar.scheduling.SchedulerConfig;
import io.stele.sidecar.scheduling.SchedulingReport;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The owner of this process's storage engine, with its store, log, threads and read scheduler,
 * which it opens once and closes once. Thread safe.
 *
 * <p>Invariant: {@link #engine} answers between {@link #open} and {@link #close} only; before and
 * after, it fails with UNAVAILABLE.
 */
public final class EngineService implements AutoCloseable {
    private static final Logger logger = Logger.get(EngineService.class);

    /**
     * Twice the longest time after which those who hold leases for long renew them. Leases are in
     * memory, so a start must not discard history before it knows them.
     */
    private static final Duration LEASE_GRACE = Duration.ofMinutes(1);

    private static final RetrievalThreads RETRIEVAL_THREADS =
            new RetrievalThreads(
                    threadFactory("retrieval-"),
                    Thread.ofVirtual().name("retrieval-task").factory(),
                    System::nanoTime,
                    InstantSource.system(),
                    EngineService::reportUncaught);

    private final StorageConfig config;
    private final WarehouseAccess access;
    private final EncryptionConfig encryptionConfig;
    private volatile @Nullable Encryption encryption; // written under this object's lock
    private final String nodeId;
    private final ServingState state;
    private final Clock clock;
    private final LogMetrics logMetrics;
    private final SchedulerConfig schedulerConfig;
    private final RetrievalReport retrievalReport = new RetrievalReport();
    private final SidecarDataCache dataCache;
    private volatile @Nullable StorageEngine engine;
    private volatile @Nullable QueryScheduler queries; // written under this object's lock
    private volatile @Nullable SchedulingReport report; // written under this object's lock
    private @Nullable AutoCloseable sampling;
    private volatile @Nullable EngineThreads threads; // written under this object's lock
    private @Nullable LogFiles logFiles;
    private volatile @Nullable ObjectStore warehouse; // written under this object's lock

    @Inject
    public EngineService(
            StorageConfig config,
            S3Config s3Config,
            HadoopConfig hadoopConfig,
            RetrievalConfig retrievalConfig,
            EncryptionConfig encryptionConfig,
            NodeInfo node,
            ServingState state,
            Clock clock,
            LogMetrics logMetrics,
            SchedulerConfig schedulerConfig,
            SidecarDataCache dataCache) {
        this.dataCache = requireNonNull(dataCache, "dataCache is null");
        this.schedulerConfig = requireNonNull(schedulerConfig, "schedulerConfig is null");
        this.config = requireNonNull(config, "config is null");
        this.access =
                new WarehouseAccess(
                        s3Config,
                        hadoopConfig,
                        retrievalConfig,
                        new SecureRandom(),
                        EngineService::pause,
                        RETRIEVAL_THREADS);
        this.encryptionConfig = requireNonNull(encryptionConfig, "encryptionConfig is null");
        this.nodeId = node.getNodeId();
        this.state = requireNonNull(state, "state is null");
        this.clock = requireNonNull(clock, "clock is null");
        this.logMetrics = requireNonNull(logMetrics, "logMetrics is null");
    }

    /**
     * Opens warehouse and log, and recovers the engine from them.
     *
     * @throws SteleException CORRUPT_DATA or STORE_FAILED, naming file and both values
     */
    public synchronized void open() {
        long start = System.nanoTime();
        Encryption keys = readMasterKeys();
        encryption = keys;
        ObjectStore store = openWarehouse();
        warehouse = store;
        LogFiles log = new EncryptedLogFiles(openLog(), keys);
        logFiles = log;
        // Above the cache, whose pages are encrypted like the store's objects
        ObjectStore cached = keys.over(dataCache.over(store));
        EngineThreads started =
                EngineThreads.start(
                        contextPool(),
                        config.getBackgroundThreads(),
                        System::nanoTime,
                        threadFactory("engine-"),
                        BackgroundPriority.lowered(threadFactory("background-")),
                        EngineService::reportUncaught);
        threads = started;
        queries =
                new QueryScheduler(
                        schedulerConfig,
                        started.contexts(),
                        schedulerConfig.getReadThreads(),
                        System::nanoTime);
        SchedulingReport reporting = new SchedulingReport(started::status, queries());
        report = reporting;
        sampling = started.periodic().every(SchedulingReport.SAMPLE_MILLIS, reporting::sample);
        try {
            engine =
                    StorageEngine.open(
                            options(),
                            cached,
                            new MeasuredLogFiles(log, logMetrics, System::nanoTime),
                            new HybridClock(
                                    clock::millis,
                                    () -> TimeUnit.NANOSECONDS.toMillis(System.nanoTime())),
                            started);
        } catch (IOException e) {
            throw new SteleException(
                    ErrorCode.STORE_FAILED,
                    "Cannot recover "
                            + config.getWarehousePath()
                            + " and "
                            + config.getWalPath()
                            + ": "
                            + e.getMessage(),
                    e);
        }
        StorageEngine opened = engine();
        opened.notifyMaintenanceFailures(new MaintenanceLog(logger::warn, System::nanoTime));
        opened.knownCatalog().addListener((before, after) -> dataCache.follow(after));
        dataCache.follow(opened.knownCatalog().current());
        warnOfTimesToLive(opened.knownCatalog().current());
        logger.info(
                "Recovered %s and %s in %s ms",
                config.getWarehousePath(),
                config.getWalPath(),
                Duration.ofNanos(System.nanoTime() - start).toMillis());
    }

    private static void warnOfTimesToLive(Catalog catalog) {
        List<String> tables =
                catalog.tables().stream()
                        .map(TableEntry::schema)
                        .filter(table -> table.options().timeToLiveIsInDoubt())
                        .map(TableSchema::qualifiedName)
                        .toList();
        if (!tables.isEmpty()) {
            logger.warn(
                    "Expired rows of %d tables are retained, because a catalog version was given up"
                            + " that may have changed their time_to_live, until it is set by ALTER"
                            + " TABLE ... SET PROPERTIES, be it as it is: %s",
                    tables.size(),
                    String.join(", ", tables.subList(0, Math.min(100, tables.size()))));
        }
    }

    private ContextPool contextPool() {
        int workers = config.getShardThreads();
        ThreadFactory factory = threadFactory("worker-");
        return switch (schedulerConfig.getPolicy()) {
            case FAIR ->
                    new ThreadedFairPool(
                            FairPoolOptions.of(workers)
                                    .withQuantumNanos(
                                            schedulerConfig
                                                    .getQuantum()
                                                    .roundTo(TimeUnit.NANOSECONDS)),
                            System::nanoTime,
                            factory,
                            EngineService::reportUncaught);
            case FIFO ->
                    new FifoPool(workers, System::nanoTime, factory, EngineService::reportUncaught);
        };
    }

    private Encryption readMasterKeys() {
        try {
            return Encryption.of(encryptionConfig, access.random());
        } catch (IOException e) {
            throw new SteleException(
                    ErrorCode.STORE_FAILED, "Cannot read master keys: " + e.getMessage(), e);
        }
    }

    /** The fingerprints of the master keys, which are safe to show; empty before {@link #open}. */
    public Optional<List<KeyFingerprint>> encryptionKeys() {
        return Optional.ofNullable(encryption).map(Encryption::fingerprints);
    }

    /**
     * Opens the warehouse; of a store over a network it checks the atomic creation of objects, on
     * which the engine relies.
     */
    private ObjectStore openWarehouse() {
        String location = config.getWarehousePath();
        ObjectStore store = null;
        try {
            store = WarehouseLocation.parse(location).openAsOwner(access);
            if (store.isRemote()) {
                probe(store);
            }
            return store;
        } catch (IOException | IllegalArgumentException e) {
            closeWarehouse(store);
            throw unusable("stele.warehouse.path", "a warehouse", location, e);
        }
    }

    private static void probe(ObjectStore store) throws IOException {
        try (ExecutorService racers = Executors.newVirtualThreadPerTaskExecutor()) {
            AtomicCreateProbe.check(store, racers, UUID.randomUUID());
        }
    }

    private static void pause(long millis) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
    }

    private LogFiles openLog() {
        String path = config.getWalPath();
        try {
            return LogFilesOpener.open(
                    WarehouseLocation.parse(path),
                    access,
                    EngineService::probe,
                    Thread::startVirtualThread);
        } catch (IOException | IllegalArgumentException e) {
            throw unusable(
                    "stele.wal.path",
                    "a folder, s3://bucket/prefix or hdfs://host/folder",
                    path,
                    e);
        }
    }

    private static SteleException unusable(
            String property, String expected, String found, Exception e) {
        return new SteleException(
                ErrorCode.STORE_FAILED,
                "%s: expected %s that can be used, found %s: %s"
                        .formatted(property, expected, found, reason(e)),
                e);
    }

    // Many of the file system's exceptions have the path as their only message.
    private static String reason(Exception e) {
        return e instanceof FileSystemException file && file.getReason() == null
                ? file.toString()
                : String.valueOf(e.getMessage());
    }

    private static void reportUncaught(Throwable failure) {
        logger.error(failure, "A task of the engine failed");
    }

    /**
     * The engine.
     *
     * @throws SteleException UNAVAILABLE while the sidecar starts or stops
     */
    public StorageEngine engine() {
        StorageEngine open = engine;
        if (open == null) {
            throw new SteleException(ErrorCode.UNAVAILABLE, "The sidecar is starting or stopping");
        }
        return open;
    }

    /** Whether the engine has failed for good, so that only another start helps. */
    public boolean hasFailed() {
        StorageEngine open = engine;
        return open != null && open.failed().isDone();
    }

    /**
     * The scheduler of reads.
     *
     * @throws SteleException UNAVAILABLE while the sidecar starts or stops
     */
    public QueryScheduler queries() {
        QueryScheduler open = queries;
        if (open == null) {
            throw new SteleException(ErrorCode.UNAVAILABLE, "The sidecar is starting or stopping");
        }
        return open;
    }

    /** The shares of the threads; none before {@link #open} and after {@link #close}. */
    public List<SchedulingGroupStatus> schedulingGroups() {
        SchedulingReport present = report;
        return present == null ? List.of() : present.groups();
    }

    /** The status of the engine's threads; empty before {@link #open} and after {@link #close}. */
    public Optional<ThreadsStatus> threadsStatus() {
        EngineThreads present = threads;
        return present == null ? Optional.empty() : Optional.of(present.status());
    }

    /**
     * The statistics of reads of the warehouse; empty if it is not over a network, and while
     * closed.
     */
    public Optional<RetrievalStatistics> retrieval() {
        ObjectStore present = warehouse;
        return present == null ? Optional.empty() : present.retrieval();
    }

    /** The read-ahead of the warehouse; empty if it has none, and while closed. */
    public Optional<ReadingAhead> readingAhead() {
        ObjectStore present = warehouse;
        return present == null ? Optional.empty() : present.readingAhead();
    }

    /** The public table of a name, with its statistics and routing. */
    public TableDescription describe(TableName name) {
        return describe(engine().catalog().current().table(name.schemaName(), name.tableName()));
    }

    /** The ports of this sidecar, for clients that know its host. */
    public NodeAddress address() {
        ServingState.Ports ports =
                state.ports()
                        .orElseThrow(
                                () ->
                                        new SteleException(
                                                ErrorCode.UNAVAILABLE,
                                                "The sidecar is starting or stopping"));
        return new NodeAddress(nodeId, "", ports.clientPort(), ports.flightPort());
    }

    /** The schema, statistics and routing of a table, for clients and the connector. */
    public TableDescription describe(TableSchema schema) {
        NodeAddress address = address();
        return new TableDescription(
                schema,
                engine().statistics(
                                schema.id(),
                                OptionalInt.of(schema.schemaVersion()),
                                ScanPredicate.ALL),
                ShardRouting.single(address, schema.shardCount()),
                engine().catalog()
                        .current()
                        .findTable(schema.id())
                        .flatMap(entry -> entry.history().createdLsn()),
                Optional.of(engine().changedLsn(schema.id())));
    }

    /**
     * The table of a request; throws STALE_TABLE if another table has the name by now. A table that
     * is being created, or stores the rows of a materialized view, is found by name and id only.
     */
    public TableSchema resolve(TableRequest request) {
        TableName name = request.table();
        Catalog current = engine().catalog().current();
        Optional<TableSchema> staged =
                request.tableId()
                        .flatMap(current::findTable)
                        .filter(entry -> entry.state() != TableState.PUBLIC)
                        .map(TableEntry::schema)
                        .filter(
                                table ->
                                        new TableName(table.schemaName(), table.tableName())
                                                .equals(name));
        if (staged.isPresent()) {
            return staged.get();
        }
        TableSchema schema = current.table(name.schemaName(), name.tableName());
        if (request.tableId().isPresent() && !request.tableId().get().equals(schema.id())) {
            throw new SteleException(
                    ErrorCode.STALE_TABLE,
                    "Expected "
                            + name
                            + " to be table id "
                            + request.tableId().get()
                            + ", found "
                            + schema.id());
        }
        return schema;
    }

    /** Whether a relation has the name; throws STALE_TABLE as in {@link #resolve}. */
    public boolean isThere(TableRequest request) {
        TableName name = request.table();
        Catalog current = engine().catalog().current();
        if (isTable(request, current)) {
            resolve(request);
            return true;
        }
        return current.findView(name.schemaName(), name.tableName()).isPresent();
    }

    /** The table or view of a name, if there is one; throws STALE_TABLE as in {@link #resolve}. */
    public RelationReply relation(TableRequest request) {
        TableName name = request.table();
        Catalog current = engine().catalog().current();
        return isTable(request, current)
                ? new RelationReply(Optional.of(describe(resolve(request))), Optional.empty())
                : new RelationReply(
                        Optional.empty(), current.findView(name.schemaName(), name.tableName()));
    }

    private static boolean isTable(TableRequest request, Catalog catalog) {
        TableName name = request.table();
        return request.tableId().isPresent()
                || catalog.findTable(name.schemaName(), name.tableName()).isPresent();
    }

    /** The status of this sidecar, for the status action. */
    public StatusReply status() {
        EngineStatus status = engine().status();
        return new StatusReply(
                nodeId,
                Version.current(),
                state.ports().isPresent(),
                status.lastLsn(),
                status.openSnapshots(),
                status.openTransactions(),
                status.shards(),
                status.damages().stream().map(this::describe).toList());
    }

    private DamagedObject describe(Damage damage) {
        Optional<String> table =
                damage.table()
                        .flatMap(id -> engine().knownCatalog().current().findTable(id))
                        .map(entry -> entry.schema().qualifiedName())
                        .or(() -> damage.table().map(id -> "table id " + id));
        return new DamagedObject(
                damage.object(),
                table,
                damage.shard(),
                state(damage),
                damage.reason(),
                damage.sinceMillis());
    }

    private static String state(Damage damage) {
        if (damage.table().isPresent()) {
            return DamagedObject.TABLE_SET_ASIDE;
        }
        return damage.shard().isPresent()
                ? DamagedObject.SHARD_STOPPED
                : DamagedObject.NOTHING_KNOWN;
    }

    /** The name of this process among sidecars. */
    public String nodeId() {
        return nodeId;
    }

    /** The shares of the threads, for the action of the same name. */
    public SchedulingGroupsReply schedulingGroupsReply() {
        SchedulingReport present = report;
        return new SchedulingGroupsReply(
                nodeId, schedulingGroups(), present == null ? List.of() : present.queries());
    }

    /** The jobs and their progress, for the action of the same name. */
    public ListJobsReply jobs() {
        return new ListJobsReply(nodeId, engine().jobs().list());
    }

    /** The contents and counters of the data page cache, for the action of the same name. */
    public DataCacheReply dataCacheReply() {
        return new DataCacheReply(nodeId, dataCache.space(), dataCache.tables());
    }

    /** The reads of the warehouse by table and query, for the action of the same name. */
    public RetrievalReply retrievalReply() {
        return new RetrievalReply(nodeId, retrievalReport.uses(retrieval()));
    }

    /** The report that scans are added to when they end. */
    public RetrievalReport retrievalReport() {
        return retrievalReport;
    }

    /** The location of the warehouse, for clients that read its files directly. */
    public String warehousePath() {
        return WarehouseLocation.parse(config.getWarehousePath()).toString();
    }

    private StorageOptions options() {
        return StorageOptions.DEFAULT
                .withLog(logOptions())
                .withGivenUpLog(
                        config.getWalGivenUp().isEmpty()
                                ? Optional.empty()
                                : Optional.of(LogId.parse(config.getWalGivenUp())))
                .withMemTables(
                        config.getMemTableSize().toBytes(),
                        config.getMemTableTotalSize().toBytes(),
                        config.getMemTableMaxAge().toJavaTime())
                .withRetention(config.getRetention().toJavaTime())
                .withLeases(config.getMaxHeldHistory().toJavaTime(), LEASE_GRACE)
                .withMaxWriteWait(config.getMaxWriteWait().toJavaTime())
                .withMaxChanges(config.getTableChangesMaxSize().toBytes())
                .withPendingWrites(config.getMaxPendingWriteSize().toBytes())
                .withTransactions(
                        config.getTransactionMaxSize().toBytes(),
                        config.getTransactionIdleTimeout().toJavaTime())
                .withLoadBuffer(config.getLoadBufferSize().toBytes())
                .withTargetFileBytes(config.getTargetFileSize().toBytes())
                .withCompactionLimit(compactionLimit())
                .withApply(
                        StorageOptions.DEFAULT.apply().withWorkers(1, config.getApplyMaxWorkers()))
                .withCaches(
                        new CacheOptions(
                                config.getBlockCacheSize().toBytes(),
                                config.getKeyIndexCacheSize().toBytes(),
                                config.getFooterCacheSize().toBytes(),
                                config.getRowGroupCacheSize().toBytes(),
                                config.getDecodedColumnCacheSize().toBytes(),
                                config.getRowCacheSize().toBytes()));
    }

    private LogOptions logOptions() {
        LogOptions log = StorageOptions.DEFAULT.log();
        boolean onObjects =
                WarehouseLocation.parse(config.getWalPath()) instanceof WarehouseLocation.Bucket;
        return new LogOptions(
                config.getWalSegmentSize().toBytes(),
                onObjects ? Math.toIntExact(config.getWalObjectSize().toBytes()) : log.groupBytes(),
                log.queueBytes(),
                log.recordBytes(),
                onObjects ? config.getWalObjectInterval().toJavaTime() : Duration.ZERO);
    }

    private OptionalLong compactionLimit() {
        long bytes = config.getCompactionRateLimit().toBytes();
        return bytes == 0 ? OptionalLong.empty() : OptionalLong.of(bytes);
    }

    private static ThreadFactory threadFactory(String name) {
        return Thread.ofPlatform().daemon().name(name, 0).factory();
    }

    /** Closes the engine; what was acknowledged is in the log. Does nothing the second time. */
    @Override
    public synchronized void close() {
        StorageEngine open = engine;
        engine = null;
        report = null;
        stopSampling();
        try {
            if (open != null) {
                open.close();
            }
        } finally {
            EngineThreads started = threads;
            threads = null;
            if (started != null) {
                started.close();
            }
            QueryScheduler reads = queries;
            queries = null;
            if (reads != null) {
                reads.close();
            }
            dataCache.close();
            closeLogFiles();
            closeWarehouse(warehouse);
            warehouse = null;
        }
    }

    private static void closeWarehouse(@Nullable ObjectStore store) {
        try {
            if (store != null) {
                store.close();
            }
        } catch (IOException e) {
            logger.warn(e, "Cannot close the warehouse");
        }
    }

    private void stopSampling() {
        AutoCloseable started = sampling;
        sampling = null;
        try {
            if (started != null) {
                started.close();
            }
        } catch (Exception e) {
            logger.warn(e, "Cannot stop the sampling of the scheduler");
        }
    }

    private void closeLogFiles() {
        LogFiles files = logFiles;
        logFiles = null;
        try {
            if (files != null) {
                files.close();
            }
        } catch (IOException e) {
            logger.warn(e, "Cannot close the write-ahead log %s", config.getWalPath());
        }
    }
}
