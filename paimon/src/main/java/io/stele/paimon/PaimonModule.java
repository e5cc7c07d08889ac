package io.stele.paimon;

import static io.airlift.bootstrap.ClosingBinder.closingBinder;
import static io.airlift.configuration.ConfigBinder.configBinder;
import static java.util.Objects.requireNonNull;

import com.google.inject.Binder;
import com.google.inject.Key;
import com.google.inject.Module;
import com.google.inject.Provides;
import com.google.inject.Scopes;
import com.google.inject.Singleton;
import io.airlift.log.Logger;
import io.stele.objectstore.cached.CatalogCacheFolder;
import io.stele.objectstore.cached.DataCacheConfig;
import io.stele.objectstore.hadoop.HadoopConfig;
import io.stele.objectstore.retrieval.RetrievalConfig;
import io.stele.objectstore.s3.S3Config;
import io.stele.paimon.config.PaimonConfig;
import io.stele.paimon.config.PaimonSessionProperties;
import io.stele.paimon.image.ImageFolder;
import io.stele.paimon.image.ImageMetrics;
import io.stele.paimon.image.ImageOptions;
import io.stele.paimon.image.LatestSnapshots;
import io.stele.paimon.image.PinnedSnapshots;
import io.stele.paimon.image.TableImages;
import io.stele.paimon.image.TableSchemas;
import io.stele.paimon.lease.DelayedTasks;
import io.stele.paimon.lease.LeaseOptions;
import io.stele.paimon.metadata.ForChecks;
import io.stele.paimon.metadata.LeaseMetrics;
import io.stele.paimon.metadata.PaimonTransactions;
import io.stele.paimon.metadata.TableStatisticsReader;
import io.stele.paimon.plan.ForPlanning;
import io.stele.paimon.plan.PaimonSplitManager;
import io.stele.paimon.plan.ScanFiles;
import io.stele.paimon.plan.SplitPlanner;
import io.stele.paimon.procedure.PaimonProcedures;
import io.stele.paimon.read.DataFiles;
import io.stele.paimon.read.FileMetadataMetrics;
import io.stele.paimon.read.ForFileIndexes;
import io.stele.paimon.read.PaimonPageSources;
import io.stele.paimon.read.RawFilePageSources;
import io.stele.paimon.read.SortedFilePageSources;
import io.stele.paimon.store.Lake;
import io.stele.paimon.store.LakeDataCache;
import io.stele.paimon.store.PaimonLake;
import io.stele.paimon.table.LakeTables;
import io.stele.paimon.write.MergeRowPageSources;
import io.stele.paimon.write.PaimonPageSinks;
import io.stele.paimon.write.PaimonPartitioning;
import io.stele.paimon.write.SpillFolder;
import io.stele.paimon.write.TableCommits;
import io.stele.paimon.write.TableCompaction;
import io.trino.spi.classloader.ThreadContextClassLoader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The Guice bindings of one catalog's parts, with the limits and threads that they are made with at
 * its start.
 */
final class PaimonModule implements Module {
    private static final Logger log = Logger.get(PaimonModule.class);

    /** Heap, in bytes, for the earlier schemas of tables, with which old files were written. */
    private static final long SCHEMA_BYTES = 32 << 20;

    /**
     * Manifests read in parallel for one image. Each has some megabytes, so more would wait for
     * bandwidth.
     */
    private static final int MANIFESTS_AT_ONCE = 16;

    /**
     * Beyond this many snapshots, reading all manifests takes fewer requests than reading the
     * deltas.
     */
    private static final int MAX_DELTAS = 100;

    /** Some hours of a table with a commit every ten seconds. */
    private static final int DELTAS_TO_VERIFY = 1_000;

    private static final int DELTAS_TO_PERSIST = 100;

    /** So that after a restart the deltas of half a minute are read. */
    private static final Duration PERSIST_AFTER = Duration.ofSeconds(30);

    /** Snapshots cached for reads at a given id, of about a kilobyte each. */
    private static final int MAX_SNAPSHOTS = 10_000;

    private static final long MAX_IMAGE_FOLDER_BYTES = 4L << 30;

    private final CatalogCacheFolder cacheFolder;

    PaimonModule(CatalogCacheFolder cacheFolder) {
        this.cacheFolder = requireNonNull(cacheFolder, "cacheFolder is null");
    }

    @Override
    public void configure(Binder binder) {
        configBinder(binder).bindConfig(PaimonConfig.class);
        configBinder(binder).bindConfig(S3Config.class);
        configBinder(binder).bindConfig(HadoopConfig.class);
        configBinder(binder).bindConfig(RetrievalConfig.class);
        configBinder(binder).bindConfig(DataCacheConfig.class);
        closingBinder(binder)
                .registerExecutor(Key.get(ScheduledExecutorService.class, ForChecks.class));
        binder.bind(CatalogCacheFolder.class).toInstance(cacheFolder);
        binder.bind(LakeDataCache.class).in(Scopes.SINGLETON);
        binder.bind(PaimonSessionProperties.class).in(Scopes.SINGLETON);
        binder.bind(Lake.class).to(PaimonLake.class).in(Scopes.SINGLETON);
        binder.bind(PinnedSnapshots.class).in(Scopes.SINGLETON);
        binder.bind(LakeTables.class).in(Scopes.SINGLETON);
        binder.bind(TableStatisticsReader.class).in(Scopes.SINGLETON);
        binder.bind(PaimonTransactions.class).in(Scopes.SINGLETON);
        binder.bind(ScanFiles.class).in(Scopes.SINGLETON);
        binder.bind(SplitPlanner.class).in(Scopes.SINGLETON);
        binder.bind(PaimonSplitManager.class).in(Scopes.SINGLETON);
        binder.bind(DataFiles.class).in(Scopes.SINGLETON);
        binder.bind(RawFilePageSources.class).in(Scopes.SINGLETON);
        binder.bind(SortedFilePageSources.class).in(Scopes.SINGLETON);
        binder.bind(PaimonPageSources.class).in(Scopes.SINGLETON);
        binder.bind(ImageMetrics.class).in(Scopes.SINGLETON);
        binder.bind(LakeMBeans.class).asEagerSingleton();
        binder.bind(MergeRowPageSources.class).in(Scopes.SINGLETON);
        binder.bind(SpillFolder.class).in(Scopes.SINGLETON);
        binder.bind(PaimonPageSinks.class).in(Scopes.SINGLETON);
        binder.bind(PaimonPartitioning.class).in(Scopes.SINGLETON);
        binder.bind(TableCompaction.class).in(Scopes.SINGLETON);
        binder.bind(PaimonProcedures.class).in(Scopes.SINGLETON);
        binder.bind(FileMetadataMetrics.class).in(Scopes.SINGLETON);
        binder.bind(LeaseMetrics.class).in(Scopes.SINGLETON);
        binder.bind(PaimonConnector.class).in(Scopes.SINGLETON);
    }

    @Provides
    @Singleton
    static LeaseOptions leaseOptions(PaimonConfig config) {
        return new LeaseOptions(
                config.getSnapshotMaxStaleness().toJavaTime(),
                config.getSnapshotCheckInterval().toJavaTime());
    }

    @Provides
    @Singleton
    static LatestSnapshots latestSnapshots(
            LeaseOptions options, @ForChecks DelayedTasks timer, @ForChecks Executor executor) {
        return new LatestSnapshots(options, MAX_SNAPSHOTS, timer, executor, System::nanoTime);
    }

    @Provides
    @Singleton
    static TableCommits tableCommits() {
        return new TableCommits(
                System::nanoTime,
                millis -> LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis)));
    }

    @Provides
    @Singleton
    static TableSchemas tableSchemas() {
        return new TableSchemas(SCHEMA_BYTES);
    }

    @Provides
    @Singleton
    TableImages tableImages(
            PaimonConfig config, @ForChecks DelayedTasks timer, @ForChecks Executor executor) {
        return new TableImages(
                new ImageOptions(
                        config.getMetadataCacheSize().toBytes(),
                        MANIFESTS_AT_ONCE,
                        MAX_DELTAS,
                        DELTAS_TO_VERIFY,
                        DELTAS_TO_PERSIST,
                        PERSIST_AFTER),
                timer,
                executor,
                imageFolder());
    }

    /** Images survive a restart where the node has a data directory. */
    private Optional<ImageFolder> imageFolder() {
        if (cacheFolder.path().isEmpty()) {
            return Optional.empty();
        }
        Path pages = cacheFolder.path().get();
        // Beside the folder of data caches, in which each folder is a cache
        Path folder =
                requireNonNull(pages.getParent(), "the folder has no parent")
                        .resolveSibling("stele-paimon-images")
                        .resolve(pages.getFileName());
        try {
            return Optional.of(new ImageFolder(folder, MAX_IMAGE_FOLDER_BYTES));
        } catch (IOException e) {
            log.warn(e, "Metadata images are not persisted: cannot use %s", folder);
            return Optional.empty();
        }
    }

    /** Virtual threads, since planning waits for the store. */
    @Provides
    @Singleton
    @ForPlanning
    static Executor planningExecutor() {
        return inPlugin(Thread.ofVirtual().name("stele-paimon-plan"));
    }

    /** Virtual threads, since they wait for the store. */
    @Provides
    @Singleton
    @ForFileIndexes
    static Executor fileIndexExecutor() {
        return inPlugin(Thread.ofVirtual().name("stele-paimon-file-index"));
    }

    @Provides
    @Singleton
    @ForChecks
    static ScheduledExecutorService checkScheduler() {
        return Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().daemon().name("stele-paimon-check").factory());
    }

    /** Starts the checks, which the executor of checks runs. */
    @Provides
    @Singleton
    @ForChecks
    static DelayedTasks checkTimer(@ForChecks ScheduledExecutorService scheduler) {
        return (task, delayNanos) -> scheduler.schedule(task, delayNanos, TimeUnit.NANOSECONDS);
    }

    /** Virtual threads, since checks wait for the store. */
    @Provides
    @Singleton
    @ForChecks
    static Executor checkExecutor() {
        return inPlugin(Thread.ofVirtual().name("stele-paimon-check-task"));
    }

    /**
     * An executor that runs each task on a new thread with the plugin's context class loader, by
     * which Paimon finds its parts.
     */
    private static Executor inPlugin(Thread.Builder threads) {
        ClassLoader plugin = PaimonModule.class.getClassLoader();
        return task ->
                threads.start(
                        () -> {
                            try (ThreadContextClassLoader _ =
                                    new ThreadContextClassLoader(plugin)) {
                                task.run();
                            }
                        });
    }
}
