package io.stele.paimon.store;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.google.inject.Inject;
import io.airlift.log.Logger;
import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.cached.DataCache;
import io.stele.objectstore.cached.DataCacheConfig;
import io.stele.objectstore.cached.DataCacheMBeans;
import io.stele.objectstore.cached.DataCacheMetrics;
import io.stele.objectstore.cached.DefaultCache;
import io.stele.objectstore.cached.WarmingPolicy;
import jakarta.annotation.PreDestroy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import org.weakref.jmx.MBeanExporter;
import org.weakref.jmx.ObjectNameGenerator;

/**
 * The data page cache of one catalog in this node: in directories that its configuration names, or
 * in a folder below the node's data directory where the lake is over a network. Its tables are
 * folders of the lake. Thread-safe.
 */
public final class LakeDataCache {
    private static final Logger log = Logger.get(LakeDataCache.class);

    /** Tables that have metrics of their own, and reserved shares. */
    private static final int MAX_TABLES = 10_000;

    private final ExecutorService threads;
    private final DataCacheConfig config;
    private final CacheFolder folder;
    private final DataCacheMBeans mbeans;
    private final Set<String> tables = ConcurrentHashMap.newKeySet();
    private volatile @Nullable DataCache cache; // written under this object's lock

    @GuardedBy("this")
    private boolean closed;

    /** Opens configured directories; the catalog fails to start if one cannot be used. */
    @Inject
    public LakeDataCache(
            DataCacheConfig config,
            CacheFolder folder,
            MBeanExporter exporter,
            ObjectNameGenerator names) {
        this.config = requireNonNull(config, "config is null");
        this.folder = requireNonNull(folder, "folder is null");
        // Virtual: they wait for disks and the store, and the cache limits how many do
        this.threads =
                Executors.newThreadPerTaskExecutor(
                        Thread.ofVirtual().name("stele-paimon-data-cache-", 0).factory());
        this.mbeans = new DataCacheMBeans(exporter, more -> objectName(names, more));
        if (DataCache.hasDirectories(config)) {
            cache = open();
        }
    }

    private static String objectName(ObjectNameGenerator names, Map<String, String> more) {
        Map<String, String> properties = new LinkedHashMap<>();
        properties.put("type", "data_cache");
        properties.putAll(more);
        return names.generatedNameOf(DataCacheMetrics.class, properties);
    }

    private DataCache open() {
        try {
            return opened(DataCache.open(config, System::nanoTime, new SecureRandom(), threads));
        } catch (IOException e) {
            threads.shutdown();
            throw new UncheckedIOException(e.getMessage(), e);
        }
    }

    private DataCache opened(DataCache opened) {
        log.info("Data cache: %s", opened.describe());
        mbeans.export(new DataCacheMetrics(() -> Optional.of(opened.space())));
        return opened;
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
            cache =
                    opened(
                            DataCache.openDefault(
                                    path, config, System::nanoTime, new SecureRandom(), threads));
        } catch (IOException | RuntimeException e) {
            log.warn("No data cache in %s: %s", path, e);
        }
    }

    /**
     * A store as it is to be read: through the cache, or as it is.
     *
     * @param root where its paths begin
     */
    ObjectStore over(ObjectStore store, String root) {
        if (!DataCache.isWanted(config, store.isRemote())) {
            return store;
        }
        if (cache == null) {
            openDefault();
        }
        DataCache open = cache;
        return open == null
                ? store
                : open.over(store, WarmingPolicy.NOTHING, path -> table(open, root, path));
    }

    private Optional<String> table(DataCache open, String root, String path) {
        Optional<String> table = LakeFileNames.tableFolder(path);
        if (table.isEmpty()) {
            return table;
        }
        String id = root + "/" + table.get();
        if (tables.size() < MAX_TABLES && tables.add(id)) {
            LakeFileNames.tableName(table.get())
                    .ifPresent(
                            name -> {
                                open.name(id, name);
                                mbeans.export(name, open);
                            });
        }
        return Optional.of(id);
    }

    /** Runs tasks that wait for disks and the lake. */
    public Executor threads() {
        return threads;
    }

    /** The cache, if one is open. */
    public Optional<DataCache> cache() {
        return Optional.ofNullable(cache);
    }

    /** Waits for fetches to end and writes the index. */
    @PreDestroy
    public synchronized void close() {
        closed = true;
        mbeans.unexport();
        DataCache open = cache;
        if (open != null) {
            open.close();
        }
        threads.shutdown();
    }
}
