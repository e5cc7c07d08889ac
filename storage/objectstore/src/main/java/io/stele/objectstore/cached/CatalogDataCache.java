package io.stele.objectstore.cached;

import static java.util.Objects.requireNonNull;

import io.stele.objectstore.ObjectStore;
import io.stele.protocol.api.status.DataCacheSpace;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The owner of one Trino catalog's data page cache in a node: in configured directories, or by
 * default in a folder of the node. The default folder is used only if the catalog reads a store
 * over a network. It is opened at the first use. Catalogs do not share directories. Thread-safe.
 */
public final class CatalogDataCache {
    private final DataCacheConfig config;
    private final CatalogCacheFolder folder;
    private final DataCacheMBeans mbeans;
    private final ExecutorService threads;
    private final LongSupplier nanoTime;
    private final RandomGenerator random;
    private final Log log;
    private volatile @Nullable DataCache cache; // written under this object's lock
    private boolean closed; // guarded by this object's lock

    /** The log of the node. */
    public interface Log {
        /** Logs an event. */
        void info(String message);

        /** Logs a problem. */
        void warn(String message);

        /** Called when the cache is open in the default folder, under a lock: must not wait. */
        default void openedDefault(Path folder) {}
    }

    /**
     * Opens configured directories.
     *
     * @param threads runs tasks that wait for disks and the store; shut down when this is closed
     * @param nanoTime a clock of nanoseconds that never goes back
     * @throws UncheckedIOException if a configured directory cannot be used
     */
    public CatalogDataCache(
            DataCacheConfig config,
            CatalogCacheFolder folder,
            DataCacheMBeans mbeans,
            ExecutorService threads,
            LongSupplier nanoTime,
            RandomGenerator random,
            Log log) {
        this.config = requireNonNull(config, "config is null");
        this.folder = requireNonNull(folder, "folder is null");
        this.mbeans = requireNonNull(mbeans, "mbeans is null");
        this.threads = requireNonNull(threads, "threads is null");
        this.nanoTime = requireNonNull(nanoTime, "nanoTime is null");
        this.random = requireNonNull(random, "random is null");
        this.log = requireNonNull(log, "log is null");
        if (DataCache.hasDirectories(config)) {
            try {
                cache = opened(DataCache.open(config, nanoTime, random, threads));
            } catch (IOException e) {
                threads.shutdown();
                throw new UncheckedIOException(e.getMessage(), e);
            }
        }
    }

    private DataCache opened(DataCache opened) {
        log.info("Data cache: " + opened.describe());
        mbeans.export(new DataCacheMetrics(this::space));
        return opened;
    }

    /** Opens the cache in the default folder; on any failure, reads continue without a cache. */
    private synchronized void openDefault() {
        if (closed || cache != null) {
            return;
        }
        if (folder.path().isEmpty()) {
            log.warn(
                    "No data cache: stele.cache.directories names none, and the system property "
                            + DefaultCache.DATA_DIRECTORY
                            + ", which Trino's launcher takes from node.properties, names no data directory of this node");
            return;
        }
        Path path = folder.path().get();
        try {
            cache = opened(DataCache.openDefault(path, config, nanoTime, random, threads));
            log.openedDefault(path);
        } catch (IOException | RuntimeException e) {
            log.warn("No data cache in " + path + ": " + e);
        }
    }

    /**
     * The store that readers use: with the cache over it, or unchanged if there is no cache for it.
     *
     * @param through puts the cache over the store
     */
    public ObjectStore over(ObjectStore store, Function<DataCache, ObjectStore> through) {
        if (!DataCache.isWanted(config, store.isRemote())) {
            return store;
        }
        if (cache == null) {
            openDefault();
        }
        DataCache open = cache;
        return open == null ? store : through.apply(open);
    }

    /** Registers the name of a table, under which its reads are counted. */
    public void name(String tableId, String name) {
        DataCache open = cache;
        if (open != null) {
            open.name(tableId, name);
            mbeans.export(name, open);
        }
    }

    /** The cache, if one is open. */
    public Optional<DataCache> find() {
        return Optional.ofNullable(cache);
    }

    /** The space and contents of the cache; empty if there is no cache. */
    public Optional<DataCacheSpace> space() {
        return find().map(DataCache::space);
    }

    /** Waits for fetches to end and writes the index. */
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
