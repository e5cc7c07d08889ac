package io.stele.paimon;

import static io.airlift.configuration.ConfigBinder.configBinder;
import static java.util.Objects.requireNonNull;

import com.google.inject.Binder;
import com.google.inject.Module;
import com.google.inject.Provides;
import com.google.inject.Scopes;
import com.google.inject.Singleton;
import io.stele.objectstore.cached.DataCacheConfig;
import io.stele.objectstore.hadoop.HadoopConfig;
import io.stele.objectstore.retrieval.RetrievalConfig;
import io.stele.objectstore.s3.S3Config;
import io.stele.paimon.config.PaimonConfig;
import io.stele.paimon.config.PaimonSessionProperties;
import io.stele.paimon.metadata.PaimonTransactions;
import io.stele.paimon.metadata.SnapshotSource;
import io.stele.paimon.metadata.TableStatisticsReader;
import io.stele.paimon.plan.ForPlanning;
import io.stele.paimon.plan.PaimonSplitManager;
import io.stele.paimon.plan.ScanFiles;
import io.stele.paimon.plan.SplitPlanner;
import io.stele.paimon.read.PaimonPageSources;
import io.stele.paimon.read.RawFilePageSources;
import io.stele.paimon.store.CacheFolder;
import io.stele.paimon.store.Lake;
import io.stele.paimon.store.LakeDataCache;
import io.stele.paimon.store.PaimonLake;
import io.stele.paimon.table.LakeTables;
import java.util.Optional;
import java.util.concurrent.Executor;

/** The parts of one catalog. */
final class PaimonModule implements Module {
    private final CacheFolder cacheFolder;

    PaimonModule(CacheFolder cacheFolder) {
        this.cacheFolder = requireNonNull(cacheFolder, "cacheFolder is null");
    }

    @Override
    public void configure(Binder binder) {
        configBinder(binder).bindConfig(PaimonConfig.class);
        configBinder(binder).bindConfig(S3Config.class);
        configBinder(binder).bindConfig(HadoopConfig.class);
        configBinder(binder).bindConfig(RetrievalConfig.class);
        configBinder(binder).bindConfig(DataCacheConfig.class);
        binder.bind(CacheFolder.class).toInstance(cacheFolder);
        binder.bind(LakeDataCache.class).in(Scopes.SINGLETON);
        binder.bind(PaimonSessionProperties.class).in(Scopes.SINGLETON);
        binder.bind(Lake.class).to(PaimonLake.class).in(Scopes.SINGLETON);
        binder.bind(LakeTables.class).in(Scopes.SINGLETON);
        binder.bind(TableStatisticsReader.class).in(Scopes.SINGLETON);
        binder.bind(PaimonTransactions.class).in(Scopes.SINGLETON);
        binder.bind(ScanFiles.class).in(Scopes.SINGLETON);
        binder.bind(SplitPlanner.class).in(Scopes.SINGLETON);
        binder.bind(PaimonSplitManager.class).in(Scopes.SINGLETON);
        binder.bind(RawFilePageSources.class).in(Scopes.SINGLETON);
        binder.bind(PaimonPageSources.class).in(Scopes.SINGLETON);
        binder.bind(PaimonConnector.class).in(Scopes.SINGLETON);
    }

    @Provides
    @Singleton
    static SnapshotSource snapshots() {
        return (table, maxStaleness) ->
                Optional.ofNullable(table.snapshotManager().latestSnapshot());
    }

    /** Virtual: planning waits for the store. */
    @Provides
    @Singleton
    @ForPlanning
    static Executor planningExecutor() {
        return task -> Thread.ofVirtual().name("stele-paimon-plan").start(task);
    }
}
