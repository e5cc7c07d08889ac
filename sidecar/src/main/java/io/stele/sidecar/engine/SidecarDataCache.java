package io.stele.sidecar.engine;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.google.inject.Inject;
import io.airlift.log.Logger;
import io.stele.engine.catalog.Catalog;
import io.stele.engine.catalog.TableEntry;
import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.cached.DataCache;
import io.stele.objectstore.cached.DataCacheConfig;
import io.stele.objectstore.cached.DataCacheMBeans;
import io.stele.objectstore.cached.DataCacheMetrics;
import io.stele.objectstore.cached.DefaultCache;
import io.stele.objectstore.cached.WarmingPolicy;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.status.DataCacheSpace;
import io.stele.protocol.api.status.DataCacheTable;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import org.weakref.jmx.MBeanExporter;

/**
 * The owner of this sidecar's data page cache: it opens the cache's directories, wraps the
 * warehouse's store with it, and reports its statistics. The directories are configured, or {@link
 * CacheFolder} if the warehouse is over a network. Opened and closed with the engine. Thread safe.
 */
public final class SidecarDataCache {
    private static final Logger log = Logger.get(SidecarDataCache.class);

    private final DataCacheConfig config;
    private final CacheFolder folder;
    private final WarmingPolicy warming;
    private final DataCacheMBeans mbeans;

    @GuardedBy("this")
    private @Nullable ExecutorService threads;

    private volatile @Nullable DataCache cache; // written under this object's lock

    @Inject
    public SidecarDataCache(
            DataCacheConfig config,
            StorageConfig storage,
            CacheFolder folder,
            MBeanExporter exporter) {
        this.folder = requireNonNull(folder, "folder is null");
        this.mbeans = new DataCacheMBeans(exporter, SidecarDataCache::objectName);
        this.config = requireNonNull(config, "config is null");
        if (!storage.isWarmOnFlush()) {
            this.warming = WarmingPolicy.NOTHING;
        } else {
            this.warming =
                    storage.isWarmOnCompaction()
                            ? WarmingPolicy.NEW_AND_HOT_FILES
                            : WarmingPolicy.NEW_FILES;
        }
    }

    private static String objectName(Map<String, String> properties) {
        return "stele:name=data_cache"
                + (properties.isEmpty() ? "" : ",table=" + properties.get("table"));
    }

    /**
     * The warehouse as the engine reads it: through the cache, or directly.
     *
     * @throws SteleException STORE_FAILED, if a configured directory cannot be used. If the default
     *     folder fails, the sidecar runs without a cache
     */
    synchronized ObjectStore over(ObjectStore warehouse) {
        if (!DataCache.isWanted(config, warehouse.isRemote())) {
            return warehouse;
        }
        // Virtual: they wait for disks and the store, and the cache limits how many do
        ExecutorService started =
                Executors.newThreadPerTaskExecutor(
                        Thread.ofVirtual().name("data-cache-", 0).factory());
        Optional<DataCache> opened =
                DataCache.hasDirectories(config)
                        ? Optional.of(open(started))
                        : openDefault(started);
        if (opened.isEmpty()) {
            started.shutdown();
            return warehouse;
        }
        threads = started;
        cache = opened.get();
        mbeans.export(new DataCacheMetrics(this::space));
        return opened.get().over(warehouse, warming);
    }

    private DataCache open(ExecutorService started) {
        try {
            DataCache opened =
                    DataCache.open(config, System::nanoTime, new SecureRandom(), started);
            log.info("Data cache: %s", opened.describe());
            return opened;
        } catch (IOException e) {
            started.shutdown();
            throw new SteleException(ErrorCode.STORE_FAILED, String.valueOf(e.getMessage()), e);
        }
    }

    private Optional<DataCache> openDefault(ExecutorService started) {
        Optional<Path> path = folder.path();
        if (path.isEmpty()) {
            log.warn(
                    "No data cache: stele.cache.directories names none, the log is on no disk of this host, and the system property %s names no data directory",
                    DefaultCache.DATA_DIRECTORY);
            return Optional.empty();
        }
        try {
            DataCache opened =
                    DataCache.openDefault(
                            path.get(), config, System::nanoTime, new SecureRandom(), started);
            log.info("Data cache: %s", opened.describe());
            return Optional.of(opened);
        } catch (IOException | RuntimeException e) {
            log.warn("No data cache in %s: %s", path.get(), e);
            return Optional.empty();
        }
    }

    /** The default folder of caches, also if this sidecar has no cache. */
    public Optional<Path> defaultFolder() {
        return folder.path();
    }

    /** The folder for other caches of this sidecar; empty if it has no data cache. */
    public Optional<Path> folder() {
        return cache == null ? Optional.empty() : folder.path();
    }

    /** Passes the present names of tables to the cache. */
    void follow(Catalog catalog) {
        DataCache open = cache;
        if (open != null) {
            for (TableEntry entry : catalog.tables()) {
                String name = entry.schema().schemaName() + "." + entry.schema().tableName();
                open.name(entry.schema().id().toString(), name);
                mbeans.export(name, open);
            }
        }
    }

    /** Its counters for each table; none if there is no cache. */
    public List<DataCacheTable> tables() {
        DataCache open = cache;
        return open == null ? List.of() : open.tables();
    }

    /** Its contents; empty if there is no cache. */
    public Optional<DataCacheSpace> space() {
        DataCache open = cache;
        return open == null ? Optional.empty() : Optional.of(open.space());
    }

    /**
     * Writes the cache's index and closes the cache; nothing is read or written through the cache
     * after this.
     */
    synchronized void close() {
        DataCache open = cache;
        cache = null;
        if (open != null) {
            mbeans.unexport();
            open.close();
        }
        ExecutorService started = threads;
        threads = null;
        if (started != null) {
            started.shutdown();
        }
    }
}
