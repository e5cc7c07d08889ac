package io.stele.connector.sidecar;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.google.inject.Inject;
import io.airlift.log.Logger;
import io.stele.connector.config.SteleConfig;
import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.cached.DataCache;
import io.stele.objectstore.cached.DataCacheConfig;
import io.stele.objectstore.cached.DataCacheMBeans;
import io.stele.objectstore.cached.DataCacheMetrics;
import io.stele.objectstore.cached.DefaultCache;
import io.stele.objectstore.cached.WarmingPolicy;
import io.stele.protocol.api.status.DataCacheSpace;
import io.stele.protocol.api.status.DataCacheTable;
import io.stele.protocol.schema.TableSchema;
import jakarta.annotation.PreDestroy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.weakref.jmx.MBeanExporter;
import org.weakref.jmx.ObjectNameGenerator;

/**
 * The data page cache of one catalog in this node: in directories that its configuration names, or
 * in a folder below the node's data directory where the warehouse is over a network. Directories
 * are this catalog's alone. Thread-safe.
 */
public final class WorkerDataCache {
    private static final Logger log = Logger.get(WorkerDataCache.class);

    /** The node's catalogs, which Trino loads one after the other, have opened theirs by then. */
    private static final long SWEEP_PAUSE_MINUTES = 10;

    private final ExecutorService threads;
    private final Clock clock;
    private final Executor later;

    /** The folder to check for abandoned caches later; null when this is closed. */
    private final AtomicReference<@Nullable Path> sweep = new AtomicReference<>();

    private final DataCacheConfig config;
    private final CacheFolder folder;
    private final WarmingPolicy warming;
    private final DataCacheMBeans mbeans;
    private volatile @Nullable DataCache cache; // written under this object's lock

    @GuardedBy("this")
    private boolean closed;

    /** Opens configured directories; the catalog fails to start if one cannot be used. */
    @Inject
    public WorkerDataCache(
            DataCacheConfig config,
            SteleConfig steleConfig,
            CacheFolder folder,
            MBeanExporter exporter,
            ObjectNameGenerator names) {
        this(
                config,
                steleConfig,
                folder,
                exporter,
                names,
                Clock.systemUTC(),
                threads ->
                        CompletableFuture.delayedExecutor(
                                SWEEP_PAUSE_MINUTES, TimeUnit.MINUTES, threads));
    }

    /**
     * As the other.
     *
     * @param later makes an executor that runs tasks some minutes later
     */
    WorkerDataCache(
            DataCacheConfig config,
            SteleConfig steleConfig,
            CacheFolder folder,
            MBeanExporter exporter,
            ObjectNameGenerator names,
            Clock clock,
            UnaryOperator<Executor> later) {
        this.clock = requireNonNull(clock, "clock is null");
        this.warming =
                steleConfig.isWarmOnWrite() ? WarmingPolicy.NEW_FILES : WarmingPolicy.NOTHING;
        this.config = requireNonNull(config, "config is null");
        this.folder = requireNonNull(folder, "folder is null");
        // Virtual: they wait for disks and the store, and the cache limits how many do
        this.threads =
                Executors.newThreadPerTaskExecutor(
                        Thread.ofVirtual().name("stele-data-cache-", 0).factory());
        this.later = later.apply(threads);
        this.mbeans = new DataCacheMBeans(exporter, more -> objectName(names, more));
        if (DataCache.hasDirectories(config)) {
            cache = open();
            mbeans.export(new DataCacheMetrics(this::space));
        }
    }

    private static String objectName(ObjectNameGenerator names, Map<String, String> more) {
        Map<String, String> properties = new LinkedHashMap<>();
        properties.put("type", "data_cache");
        properties.putAll(more);
        return names.generatedNameOf(DataCacheMetrics.class, properties);
    }

    /**
     * Empties the folders of dropped catalogs, since Trino does not notify a plugin of a drop. It
     * must not use this cache, which may be closed and collected when it runs.
     */
    private static void emptyAbandoned(AtomicReference<@Nullable Path> sweep, Clock clock) {
        Path folder = sweep.getAndSet(null);
        if (folder == null) {
            return;
        }
        for (Path pages : DefaultCache.emptyAbandoned(CacheFolder.all(folder), clock.instant())) {
            log.info(
                    "Deleted the data cache in %s, which nobody has used for %s days",
                    pages, DefaultCache.ABANDONED.toDays());
        }
    }

    private DataCache open() {
        try {
            DataCache opened =
                    DataCache.open(config, System::nanoTime, new SecureRandom(), threads);
            log.info("Data cache: %s", opened.describe());
            return opened;
        } catch (IOException e) {
            threads.shutdown();
            throw new UncheckedIOException(e.getMessage(), e);
        }
    }

    /** Opens the cache in the default folder; on any failure, reads continue without a cache. */
    private synchronized void openDefault() {
        if (closed || cache != null) {
            return;
        }
        if (folder.path().isEmpty()) {
            log.warn(
                    "No data cache: stele.cache.directories names none, and the system property %s, which Trino's launcher takes from node.properties, names no data directory of this node",
                    DefaultCache.DATA_DIRECTORY);
            return;
        }
        Path path = folder.path().get();
        try {
            DataCache opened =
                    DataCache.openDefault(
                            path, config, System::nanoTime, new SecureRandom(), threads);
            cache = opened;
            log.info("Data cache: %s", opened.describe());
            mbeans.export(new DataCacheMetrics(this::space));
            beginSweep(path);
        } catch (IOException | RuntimeException e) {
            log.warn("No data cache in %s: %s", path, e);
        }
    }

    private void beginSweep(Path path) {
        AtomicReference<@Nullable Path> target = sweep;
        Clock time = clock;
        target.set(path);
        later.execute(() -> emptyAbandoned(target, time));
    }

    /** Runs tasks that wait for disks and the warehouse. */
    public Executor threads() {
        return threads;
    }

    /** The warehouse as it is to be read: through the cache, or as it is. */
    ObjectStore over(ObjectStore warehouse) {
        if (!DataCache.isWanted(config, warehouse.isRemote())) {
            return warehouse;
        }
        if (cache == null) {
            openDefault();
        }
        DataCache open = cache;
        return open == null ? warehouse : open.over(warehouse, warming);
    }

    /** Registers the present name of a table, under which its reads are counted. */
    public void reading(TableSchema table) {
        DataCache open = cache;
        if (open != null) {
            String name = table.schemaName() + "." + table.tableName();
            open.name(table.id().toString(), name);
            mbeans.export(name, open);
        }
    }

    /** Its counters for each table; none if there is no cache. */
    public List<DataCacheTable> tables() {
        DataCache open = cache;
        return open == null ? List.of() : open.tables();
    }

    /** Its contents; empty if there is no cache. */
    public Optional<DataCacheSpace> space() {
        return Optional.ofNullable(cache).map(DataCache::space);
    }

    /** Waits for fetches to end and writes the index. */
    @PreDestroy
    public synchronized void close() {
        closed = true;
        sweep.set(null);
        mbeans.unexport();
        DataCache open = cache;
        if (open != null) {
            open.close();
        }
        threads.shutdown();
    }
}
