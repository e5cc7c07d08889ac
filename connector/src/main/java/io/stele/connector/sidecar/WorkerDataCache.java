package io.stele.connector.sidecar;

import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.airlift.log.Logger;
import io.stele.connector.config.SteleConfig;
import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.cached.CatalogCacheFolder;
import io.stele.objectstore.cached.CatalogDataCache;
import io.stele.objectstore.cached.DataCache;
import io.stele.objectstore.cached.DataCacheConfig;
import io.stele.objectstore.cached.DataCacheMBeans;
import io.stele.objectstore.cached.DefaultCache;
import io.stele.objectstore.cached.WarmingPolicy;
import io.stele.protocol.api.status.DataCacheSpace;
import io.stele.protocol.api.status.DataCacheTable;
import io.stele.protocol.schema.TableSchema;
import jakarta.annotation.PreDestroy;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.List;
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
 * The owner of a catalog's data page cache on one node: it opens the cache's directories, wraps the
 * warehouse's store with it, and reports its statistics. The directories are configured, or a
 * folder below the node's data directory if the warehouse is over a network. They belong to this
 * catalog alone. Thread-safe.
 */
public final class WorkerDataCache {
    private static final Logger log = Logger.get(WorkerDataCache.class);

    /**
     * By then all catalogs of the node, which Trino loads one after the other, have opened their
     * caches.
     */
    private static final long SWEEP_PAUSE_MINUTES = 10;

    private final Clock clock;
    private final Executor later;

    /** The folder to check for abandoned caches later; null when this is closed. */
    private final AtomicReference<@Nullable Path> sweep = new AtomicReference<>();

    private final ExecutorService threads;
    private final WarmingPolicy warming;
    private final CatalogDataCache cache;

    /** Opens configured directories; the catalog fails to start if one cannot be used. */
    @Inject
    public WorkerDataCache(
            DataCacheConfig config,
            SteleConfig steleConfig,
            CatalogCacheFolder folder,
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
     * Opens configured directories, with a given clock and executor of delayed tasks.
     *
     * @param later makes an executor that runs tasks some minutes later
     */
    WorkerDataCache(
            DataCacheConfig config,
            SteleConfig steleConfig,
            CatalogCacheFolder folder,
            MBeanExporter exporter,
            ObjectNameGenerator names,
            Clock clock,
            UnaryOperator<Executor> later) {
        this.clock = requireNonNull(clock, "clock is null");
        this.warming =
                steleConfig.isWarmOnWrite() ? WarmingPolicy.NEW_FILES : WarmingPolicy.NOTHING;
        // Virtual: they wait for disks and the store, and the cache limits how many do
        this.threads =
                Executors.newThreadPerTaskExecutor(
                        Thread.ofVirtual().name("stele-data-cache-", 0).factory());
        this.later = later.apply(threads);
        this.cache =
                new CatalogDataCache(
                        config,
                        folder,
                        DataCacheMBeans.ofCatalog(exporter, names),
                        threads,
                        System::nanoTime,
                        new SecureRandom(),
                        new NodeLog());
    }

    private final class NodeLog implements CatalogDataCache.Log {
        @Override
        public void info(String message) {
            log.info("%s", message);
        }

        @Override
        public void warn(String message) {
            log.warn("%s", message);
        }

        @Override
        public void openedDefault(Path path) {
            beginSweep(path);
        }
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
        for (Path pages :
                DefaultCache.emptyAbandoned(CatalogCacheFolder.all(folder), clock.instant())) {
            log.info(
                    "Deleted the data cache in %s, which nobody has used for %s days",
                    pages, DefaultCache.ABANDONED.toDays());
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

    /** The warehouse's store through the cache, or the store itself if there is no cache. */
    ObjectStore over(ObjectStore warehouse) {
        return cache.over(warehouse, open -> open.over(warehouse, warming));
    }

    /** Registers the present name of a table, under which its reads are counted. */
    public void reading(TableSchema table) {
        cache.name(table.id().toString(), table.schemaName() + "." + table.tableName());
    }

    /** Its counters for each table; none if there is no cache. */
    public List<DataCacheTable> tables() {
        return cache.find().map(DataCache::tables).orElse(List.of());
    }

    /** Its contents; empty if there is no cache. */
    public Optional<DataCacheSpace> space() {
        return cache.space();
    }

    /** Waits for fetches to end and writes the index. */
    @PreDestroy
    public void close() {
        cache.close(); // no sweep begins after this
        sweep.set(null);
    }
}
