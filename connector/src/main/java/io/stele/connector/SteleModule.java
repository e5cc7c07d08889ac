package io.stele.connector;

import static com.google.inject.multibindings.Multibinder.newSetBinder;
import static io.airlift.configuration.ConfigBinder.configBinder;
import static java.util.Objects.requireNonNull;

import com.google.inject.Binder;
import com.google.inject.Module;
import com.google.inject.Provides;
import com.google.inject.Scopes;
import com.google.inject.Singleton;
import com.google.inject.multibindings.ProvidesIntoSet;
import io.stele.connector.config.FilteredRowsCacheConfig;
import io.stele.connector.config.MetadataCacheConfig;
import io.stele.connector.config.SteleConfig;
import io.stele.connector.metadata.SteleMetadataFactory;
import io.stele.connector.metadata.SteleTransactions;
import io.stele.connector.metadata.TableChangesFunction;
import io.stele.connector.metadata.TableStatisticsReader;
import io.stele.connector.metadata.cache.MetadataCache;
import io.stele.connector.metadata.cache.MetadataWatch;
import io.stele.connector.metadata.catalog.CatalogRequests;
import io.stele.connector.metadata.catalog.TableDefinitions;
import io.stele.connector.metadata.plan.ReadCosts;
import io.stele.connector.metadata.plan.ScanPlanCache;
import io.stele.connector.metadata.procedure.CancelJobProcedure;
import io.stele.connector.metadata.procedure.CheckCommitProcedure;
import io.stele.connector.metadata.procedure.DropPartitionProcedure;
import io.stele.connector.metadata.procedure.FlushMetadataCacheProcedure;
import io.stele.connector.metadata.procedure.MaintenanceProcedure;
import io.stele.connector.metadata.system.CachesTable;
import io.stele.connector.metadata.system.DamagedTable;
import io.stele.connector.metadata.system.JobsTable;
import io.stele.connector.metadata.system.NodeShardsTable;
import io.stele.connector.metadata.system.QueriesTable;
import io.stele.connector.metadata.system.RetrievalTable;
import io.stele.connector.metadata.system.SchedulingGroupsTable;
import io.stele.connector.metadata.system.StatementsTable;
import io.stele.connector.read.affinity.PreferredWorkers;
import io.stele.connector.read.affinity.WorkerQueues;
import io.stele.connector.read.cache.DecodedColumnCache;
import io.stele.connector.read.cache.FilteredRowsCache;
import io.stele.connector.read.file.FileMetadataCache;
import io.stele.connector.read.live.LivePageSources;
import io.stele.connector.read.lookup.SteleIndexProvider;
import io.stele.connector.read.opening.FilePageSources;
import io.stele.connector.read.opening.FilePreopener;
import io.stele.connector.read.opening.StelePageSources;
import io.stele.connector.read.prune.FileBitmapIndexes;
import io.stele.connector.read.prune.ShardPruning;
import io.stele.connector.read.split.SteleSplitManager;
import io.stele.connector.sidecar.Leases;
import io.stele.connector.sidecar.QuerySnapshots;
import io.stele.connector.sidecar.SidecarFiles;
import io.stele.connector.sidecar.SteleSidecar;
import io.stele.connector.sidecar.Warehouse;
import io.stele.connector.sidecar.WorkerDataCache;
import io.stele.connector.type.TrinoTypes;
import io.stele.connector.write.StelePageSinks;
import io.stele.connector.write.StelePartitioning;
import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.cached.CatalogCacheFolder;
import io.stele.objectstore.cached.DataCacheConfig;
import io.stele.objectstore.encryption.EncryptionConfig;
import io.stele.objectstore.hadoop.HadoopConfig;
import io.stele.objectstore.retrieval.RetrievalConfig;
import io.stele.objectstore.retrieval.RetrievalReport;
import io.stele.objectstore.s3.S3Config;
import io.trino.spi.connector.SystemTable;
import io.trino.spi.function.table.ConnectorTableFunction;
import io.trino.spi.procedure.Procedure;

/**
 * The Guice module that binds the parts of one catalog on one node, each as a singleton of the
 * catalog.
 */
final class SteleModule implements Module {
    private final CatalogCacheFolder cacheFolder;

    SteleModule(CatalogCacheFolder cacheFolder) {
        this.cacheFolder = requireNonNull(cacheFolder, "cacheFolder is null");
    }

    @Override
    public void configure(Binder binder) {
        configBinder(binder).bindConfig(SteleConfig.class);
        configBinder(binder).bindConfig(S3Config.class);
        configBinder(binder).bindConfig(RetrievalConfig.class);
        configBinder(binder).bindConfig(EncryptionConfig.class);
        configBinder(binder).bindConfig(DataCacheConfig.class);
        binder.bind(CatalogCacheFolder.class).toInstance(cacheFolder);
        binder.bind(WorkerDataCache.class).in(Scopes.SINGLETON);
        configBinder(binder).bindConfig(HadoopConfig.class);
        configBinder(binder).bindConfig(MetadataCacheConfig.class);
        configBinder(binder).bindConfig(FilteredRowsCacheConfig.class);
        binder.bind(MetadataCache.class).in(Scopes.SINGLETON);
        binder.bind(ScanPlanCache.class).in(Scopes.SINGLETON);
        binder.bind(CatalogMBeans.class).asEagerSingleton();
        binder.bind(MetadataWatch.class).in(Scopes.SINGLETON);
        binder.bind(SteleSidecar.class).in(Scopes.SINGLETON);
        binder.bind(Leases.class).in(Scopes.SINGLETON);
        binder.bind(QuerySnapshots.class).in(Scopes.SINGLETON);
        binder.bind(Warehouse.class).in(Scopes.SINGLETON);
        binder.bind(ObjectStore.class).to(Warehouse.class);
        binder.bind(TrinoTypes.class).in(Scopes.SINGLETON);
        binder.bind(TableDefinitions.class).in(Scopes.SINGLETON);
        binder.bind(TableStatisticsReader.class).in(Scopes.SINGLETON);
        binder.bind(CatalogRequests.class).in(Scopes.SINGLETON);
        binder.bind(SteleMetadataFactory.class).in(Scopes.SINGLETON);
        binder.bind(SteleTransactions.class).in(Scopes.SINGLETON);
        binder.bind(ShardPruning.class).in(Scopes.SINGLETON);
        binder.bind(PreferredWorkers.class).in(Scopes.SINGLETON);
        binder.bind(FilePreopener.class).in(Scopes.SINGLETON);
        binder.bind(ReadCosts.class).in(Scopes.SINGLETON);
        binder.bind(SteleSplitManager.class).in(Scopes.SINGLETON);
        binder.bind(FileBitmapIndexes.class).in(Scopes.SINGLETON);
        binder.bind(LivePageSources.class).in(Scopes.SINGLETON);
        binder.bind(StelePageSources.class).in(Scopes.SINGLETON);
        binder.bind(SteleIndexProvider.class).in(Scopes.SINGLETON);
        binder.bind(StelePageSinks.class).in(Scopes.SINGLETON);
        binder.bind(StelePartitioning.class).in(Scopes.SINGLETON);
        newSetBinder(binder, Procedure.class)
                .addBinding()
                .toProvider(DropPartitionProcedure.class)
                .in(Scopes.SINGLETON);
        newSetBinder(binder, Procedure.class)
                .addBinding()
                .toProvider(CheckCommitProcedure.class)
                .in(Scopes.SINGLETON);
        newSetBinder(binder, Procedure.class)
                .addBinding()
                .toProvider(CancelJobProcedure.class)
                .in(Scopes.SINGLETON);
        newSetBinder(binder, Procedure.class)
                .addBinding()
                .toProvider(FlushMetadataCacheProcedure.class)
                .in(Scopes.SINGLETON);
        newSetBinder(binder, SystemTable.class)
                .addBinding()
                .to(SchedulingGroupsTable.class)
                .in(Scopes.SINGLETON);
        newSetBinder(binder, SystemTable.class)
                .addBinding()
                .to(StatementsTable.class)
                .in(Scopes.SINGLETON);
        newSetBinder(binder, SystemTable.class)
                .addBinding()
                .to(QueriesTable.class)
                .in(Scopes.SINGLETON);
        newSetBinder(binder, SystemTable.class)
                .addBinding()
                .to(NodeShardsTable.class)
                .in(Scopes.SINGLETON);
        newSetBinder(binder, SystemTable.class)
                .addBinding()
                .to(DamagedTable.class)
                .in(Scopes.SINGLETON);
        newSetBinder(binder, SystemTable.class)
                .addBinding()
                .to(JobsTable.class)
                .in(Scopes.SINGLETON);
        newSetBinder(binder, SystemTable.class)
                .addBinding()
                .to(CachesTable.class)
                .in(Scopes.SINGLETON);
        newSetBinder(binder, SystemTable.class)
                .addBinding()
                .to(RetrievalTable.class)
                .in(Scopes.SINGLETON);
        binder.bind(RetrievalReport.class).in(Scopes.SINGLETON);
        binder.bind(SteleConnector.class).in(Scopes.SINGLETON);
    }

    @ProvidesIntoSet
    static Procedure flushProcedure(SteleSidecar sidecar) {
        return MaintenanceProcedure.flush(sidecar);
    }

    @ProvidesIntoSet
    static Procedure compactProcedure(SteleSidecar sidecar) {
        return MaintenanceProcedure.compact(sidecar);
    }

    @ProvidesIntoSet
    static ConnectorTableFunction tableChanges(SteleTransactions transactions) {
        return new TableChangesFunction(transactions::metadata);
    }

    @Provides
    @Singleton
    static WorkerQueues workerQueues(QuerySnapshots querySnapshots, SteleConfig config) {
        return new WorkerQueues(querySnapshots::isOpen, config.getSpillThreshold().toBytes());
    }

    @Provides
    @Singleton
    static FileMetadataCache fileMetadataCache(
            Warehouse warehouse, SteleSidecar sidecar, SteleConfig config) {
        return new FileMetadataCache(
                warehouse::reading,
                new SidecarFiles(sidecar)::find,
                config.getTailCacheSize().toBytes());
    }

    @Provides
    @Singleton
    static FilePageSources filePageSources(
            FileMetadataCache fileMetadata,
            DecodedColumnCache decodedColumns,
            FileBitmapIndexes bitmapIndexes,
            TrinoTypes types,
            WorkerDataCache dataCache) {
        return new FilePageSources(
                fileMetadata, decodedColumns, bitmapIndexes, types, dataCache.threads());
    }

    @Provides
    @Singleton
    static FilteredRowsCache filteredRowsCache(FilteredRowsCacheConfig config) {
        return new FilteredRowsCache(config);
    }

    @Provides
    @Singleton
    static DecodedColumnCache decodedColumnCache(SteleConfig config) {
        return new DecodedColumnCache(config.getColumnCacheSize().toBytes());
    }
}
