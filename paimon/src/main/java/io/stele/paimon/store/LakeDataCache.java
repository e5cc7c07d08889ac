package io.stele.paimon.store;

import com.google.inject.Inject;
import io.airlift.log.Logger;
import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.cached.CatalogCacheFolder;
import io.stele.objectstore.cached.CatalogDataCache;
import io.stele.objectstore.cached.DataCache;
import io.stele.objectstore.cached.DataCacheConfig;
import io.stele.objectstore.cached.DataCacheMBeans;
import io.stele.objectstore.cached.WarmingPolicy;
import jakarta.annotation.PreDestroy;
import java.security.SecureRandom;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import org.weakref.jmx.MBeanExporter;
import org.weakref.jmx.ObjectNameGenerator;

/**
 * The owner of one catalog's data page cache on this node, which opens the cache and wraps stores
 * of the lake with it. The cache is in directories that its configuration names, or in a folder
 * below the node's data directory where the lake is over a network. The tables of its statistics
 * are folders of the lake. Thread-safe.
 */
public final class LakeDataCache {
    private static final Logger log = Logger.get(LakeDataCache.class);

    /** Tables that have metrics of their own, and reserved shares. */
    private static final int MAX_TABLES = 10_000;

    private final Set<String> tables = ConcurrentHashMap.newKeySet();
    private final CatalogDataCache cache;

    /** Opens configured directories; the catalog fails to start if one cannot be used. */
    @Inject
    public LakeDataCache(
            DataCacheConfig config,
            CatalogCacheFolder folder,
            MBeanExporter exporter,
            ObjectNameGenerator names) {
        cache =
                new CatalogDataCache(
                        config,
                        folder,
                        DataCacheMBeans.ofCatalog(exporter, names),
                        // Virtual: they wait for disks and the store, and the cache limits how many
                        Executors.newThreadPerTaskExecutor(
                                Thread.ofVirtual().name("stele-paimon-data-cache-", 0).factory()),
                        System::nanoTime,
                        new SecureRandom(),
                        new NodeLog());
    }

    private static final class NodeLog implements CatalogDataCache.Log {
        @Override
        public void info(String message) {
            log.info("%s", message);
        }

        @Override
        public void warn(String message) {
            log.warn("%s", message);
        }
    }

    /**
     * The store with reads through the cache; the store itself if the catalog does not use the
     * cache.
     *
     * @param root where its paths begin
     */
    ObjectStore over(ObjectStore store, String root) {
        return cache.over(
                store,
                open -> open.over(store, WarmingPolicy.NOTHING, path -> tableId(root, path)));
    }

    private Optional<String> tableId(String root, String path) {
        Optional<String> table = LakeFileNames.tableFolder(path);
        if (table.isEmpty()) {
            return table;
        }
        String id = root + "/" + table.get();
        if (tables.size() < MAX_TABLES && tables.add(id)) {
            LakeFileNames.tableName(table.get()).ifPresent(name -> cache.name(id, name));
        }
        return Optional.of(id);
    }

    /** The cache, if one is open. */
    Optional<DataCache> find() {
        return cache.find();
    }

    /** Waits for fetches to end and writes the index. */
    @PreDestroy
    public void close() {
        cache.close();
    }
}
