package io.stele.connector.sidecar;

import com.google.inject.Inject;
import io.stele.connector.SteleConfig;
import io.stele.protocol.api.DataCacheSpace;
import io.stele.protocol.api.DataCacheTable;
import io.stele.protocol.schema.TableSchema;
import io.stele.storage.objectstore.ObjectStore;
import io.stele.storage.objectstore.cached.DataCache;
import io.stele.storage.objectstore.cached.DataCacheConfig;
import io.stele.storage.objectstore.cached.DataCacheMBeans;
import io.stele.storage.objectstore.cached.DataCacheMetrics;
import io.stele.storage.objectstore.cached.Warming;
import jakarta.annotation.PreDestroy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.SecureRandom;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.weakref.jmx.MBeanExporter;
import org.weakref.jmx.ObjectNameGenerator;

/**
 * The data page cache of one catalog in this node, if it is configured; its directories are this
 * catalog's alone. Thread-safe.
 */
public final class WorkerDataCache {
    private final ExecutorService threads;
    private final Optional<Boolean> enabled;
    private final Warming warming;
    private final DataCacheMBeans mbeans;
    private final Optional<DataCache> cache;

    /** Opens the directories; the catalog fails to start if one cannot be used. */
    @Inject
    public WorkerDataCache(
            DataCacheConfig config,
            SteleConfig steleConfig,
            MBeanExporter exporter,
            ObjectNameGenerator names) {
        this.warming = steleConfig.isWarmOnWrite() ? Warming.NEW_FILES : Warming.NOTHING;
        this.enabled = config.getEnabled();
        // Virtual: they wait for disks and the store, and the cache limits how many do
        this.threads =
                Executors.newThreadPerTaskExecutor(
                        Thread.ofVirtual().name("stele-data-cache-", 0).factory());
        this.cache = DataCache.isConfigured(config) ? Optional.of(open(config)) : Optional.empty();
        this.mbeans = new DataCacheMBeans(exporter, more -> objectName(names, more));
        if (cache.isPresent()) {
            mbeans.export(new DataCacheMetrics(this::space));
        }
    }

    private static String objectName(ObjectNameGenerator names, Map<String, String> more) {
        Map<String, String> properties = new LinkedHashMap<>();
        properties.put("type", "data_cache");
        properties.putAll(more);
        return names.generatedNameOf(DataCacheMetrics.class, properties);
    }

    private DataCache open(DataCacheConfig config) {
        try {
            return DataCache.open(config, System::nanoTime, new SecureRandom(), threads);
        } catch (IOException e) {
            threads.shutdown();
            throw new UncheckedIOException(e.getMessage(), e);
        }
    }

    /** Runs tasks that wait for disks and the warehouse. */
    public Executor threads() {
        return threads;
    }

    /** The warehouse as it is to be read: through the cache, or as it is. */
    ObjectStore over(ObjectStore warehouse) {
        return cache.isPresent() && enabled.orElse(warehouse.isRemote())
                ? cache.get().over(warehouse, warming)
                : warehouse;
    }

    /** Says that files of a table are going to be read: it is known by name from then on. */
    public void reading(TableSchema table) {
        if (cache.isPresent()) {
            String name = table.schemaName() + "." + table.tableName();
            cache.get().name(table.id().toString(), name);
            mbeans.export(name, cache.get());
        }
    }

    /** What it did for each table; none where there is no cache. */
    public List<DataCacheTable> tables() {
        return cache.map(DataCache::tables).orElse(List.of());
    }

    /** What it holds; empty where there is no cache. */
    public Optional<DataCacheSpace> space() {
        return cache.map(DataCache::space);
    }

    /** Lets fetches end and writes the index down. */
    @PreDestroy
    public void close() {
        mbeans.unexport();
        cache.ifPresent(DataCache::close);
        threads.shutdown();
    }
}
