package io.stele.sidecar.engine;

import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.DataCacheSpace;
import io.stele.protocol.api.DataCacheTable;
import io.stele.storage.catalog.Catalog;
import io.stele.storage.catalog.TableEntry;
import io.stele.storage.objectstore.ObjectStore;
import io.stele.storage.objectstore.cached.DataCache;
import io.stele.storage.objectstore.cached.DataCacheConfig;
import io.stele.storage.objectstore.cached.DataCacheMBeans;
import io.stele.storage.objectstore.cached.DataCacheMetrics;
import io.stele.storage.objectstore.cached.Warming;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import org.weakref.jmx.MBeanExporter;

/**
 * The data page cache of this sidecar, if it is configured; opened and closed with the engine.
 * Thread safe.
 */
public final class SidecarDataCache {
    private final DataCacheConfig config;
    private final Warming warming;
    private final DataCacheMBeans mbeans;
    private @Nullable ExecutorService threads; // guarded by this
    private volatile @Nullable DataCache cache; // written under this object's lock

    @Inject
    public SidecarDataCache(DataCacheConfig config, StorageConfig storage, MBeanExporter exporter) {
        this.mbeans = new DataCacheMBeans(exporter, SidecarDataCache::objectName);
        this.config = requireNonNull(config, "config is null");
        if (!storage.isWarmOnFlush()) {
            this.warming = Warming.NOTHING;
        } else {
            this.warming =
                    storage.isWarmOnCompaction() ? Warming.NEW_AND_HOT_FILES : Warming.NEW_FILES;
        }
    }

    private static String objectName(Map<String, String> properties) {
        return "stele:name=data_cache"
                + (properties.isEmpty() ? "" : ",table=" + properties.get("table"));
    }

    /**
     * The warehouse as the engine is to see it: through the cache, or as it is.
     *
     * @throws SteleException STORE_FAILED, if a directory cannot be used
     */
    synchronized ObjectStore over(ObjectStore warehouse) {
        if (!DataCache.isConfigured(config) || !config.getEnabled().orElse(warehouse.isRemote())) {
            return warehouse;
        }
        // Virtual: they wait for disks and the store, and the cache limits how many do
        ExecutorService started =
                Executors.newThreadPerTaskExecutor(
                        Thread.ofVirtual().name("data-cache-", 0).factory());
        try {
            DataCache opened =
                    DataCache.open(config, System::nanoTime, new SecureRandom(), started);
            threads = started;
            cache = opened;
            mbeans.export(new DataCacheMetrics(this::space));
            return opened.over(warehouse, warming);
        } catch (IOException e) {
            started.shutdown();
            throw new SteleException(ErrorCode.STORE_FAILED, String.valueOf(e.getMessage()), e);
        }
    }

    /** Tells the cache how the tables are called. */
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

    /** What it did for each table; none where there is no cache. */
    public List<DataCacheTable> tables() {
        DataCache open = cache;
        return open == null ? List.of() : open.tables();
    }

    /** What it holds; empty where there is no cache. */
    public Optional<DataCacheSpace> space() {
        DataCache open = cache;
        return open == null ? Optional.empty() : Optional.of(open.space());
    }

    /** Writes the index down; nothing is read or written through the cache after this. */
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
