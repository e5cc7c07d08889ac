package io.stele.sidecar;

import static com.google.common.base.Preconditions.checkArgument;
import static com.google.inject.Scopes.SINGLETON;
import static com.google.inject.multibindings.Multibinder.newSetBinder;
import static io.airlift.configuration.ConfigBinder.configBinder;
import static io.airlift.jaxrs.JaxrsBinder.jaxrsBinder;
import static org.weakref.jmx.guice.ExportBinder.newExporter;

import com.google.inject.Binder;
import com.google.inject.Module;
import com.google.inject.Provides;
import com.google.inject.Singleton;
import io.airlift.log.Logger;
import io.airlift.openmetrics.OpenMetricsCollector;
import io.stele.objectstore.cached.DataCacheConfig;
import io.stele.objectstore.encryption.EncryptionConfig;
import io.stele.objectstore.hadoop.HadoopConfig;
import io.stele.objectstore.retrieval.BalanceMetrics;
import io.stele.objectstore.retrieval.RetrievalConfig;
import io.stele.objectstore.s3.S3Config;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.sidecar.access.AccessControl;
import io.stele.sidecar.access.AccessControlConfig;
import io.stele.sidecar.action.ActionHandlers;
import io.stele.sidecar.auth.Authenticator;
import io.stele.sidecar.auth.PasswordFile;
import io.stele.sidecar.auth.SecurityConfig;
import io.stele.sidecar.engine.AggregateCacheConfig;
import io.stele.sidecar.engine.CacheFolder;
import io.stele.sidecar.engine.EngineMetrics;
import io.stele.sidecar.engine.EngineService;
import io.stele.sidecar.engine.ReplyBudget;
import io.stele.sidecar.engine.RetrievalMetrics;
import io.stele.sidecar.engine.SchedulerMetrics;
import io.stele.sidecar.engine.SchedulingGroupMBeans;
import io.stele.sidecar.engine.SidecarAggregateCache;
import io.stele.sidecar.engine.SidecarDataCache;
import io.stele.sidecar.engine.StorageConfig;
import io.stele.sidecar.flight.FlightConfig;
import io.stele.sidecar.flight.FlightServer;
import io.stele.sidecar.flight.FlightService;
import io.stele.sidecar.flight.sql.FlightSqlService;
import io.stele.sidecar.framed.FramedConfig;
import io.stele.sidecar.framed.FramedServer;
import io.stele.sidecar.http.AuthenticationFilter;
import io.stele.sidecar.http.DamagedResource;
import io.stele.sidecar.http.HttpLogins;
import io.stele.sidecar.http.InfoResource;
import io.stele.sidecar.http.JobsResource;
import io.stele.sidecar.http.MetricsResource;
import io.stele.sidecar.http.StatusResource;
import io.stele.sidecar.http.WarehouseResource;
import io.stele.sidecar.metrics.AccessMetrics;
import io.stele.sidecar.metrics.IngestMetrics;
import io.stele.sidecar.metrics.LabelledHistograms;
import io.stele.sidecar.metrics.LogMetrics;
import io.stele.sidecar.metrics.MetricsExposition;
import io.stele.sidecar.metrics.ReadMetrics;
import io.stele.sidecar.postgresql.PostgresConfig;
import io.stele.sidecar.postgresql.PostgresServer;
import io.stele.sidecar.postgresql.TrinoGateways;
import io.stele.sidecar.postgresql.catalog.CatalogQueries;
import io.stele.sidecar.postgresql.run.PlanExecutor;
import io.stele.sidecar.postgresql.session.StatementPreparer;
import io.stele.sidecar.postgresql.trino.TrinoGateway;
import io.stele.sidecar.process.ServingState;
import io.stele.sidecar.process.Version;
import io.stele.sidecar.scheduling.SchedulerConfig;
import io.stele.sidecar.statement.SlowStatementLog;
import io.stele.sidecar.statement.StatementStatistics;
import io.stele.sidecar.tls.TlsConfig;
import io.stele.sidecar.tls.TlsIdentity;
import jakarta.servlet.Filter;
import java.time.Clock;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;

/**
 * The Guice module of the sidecar: the bindings of its configurations, services, endpoints and
 * metrics.
 */
final class SidecarModule implements Module {
    private static final Logger log = Logger.get(SidecarModule.class);

    @Override
    public void configure(Binder binder) {
        configBinder(binder).bindConfig(SidecarConfig.class);
        configBinder(binder).bindConfig(SecurityConfig.class);
        configBinder(binder).bindConfig(AccessControlConfig.class);
        configBinder(binder).bindConfig(TlsConfig.class);
        configBinder(binder).bindConfig(FlightConfig.class);
        configBinder(binder).bindConfig(FramedConfig.class);
        configBinder(binder).bindConfig(PostgresConfig.class);
        configBinder(binder).bindConfig(StorageConfig.class);
        configBinder(binder).bindConfig(SchedulerConfig.class);
        configBinder(binder).bindConfig(AggregateCacheConfig.class);
        configBinder(binder).bindConfig(S3Config.class);
        configBinder(binder).bindConfig(RetrievalConfig.class);
        configBinder(binder).bindConfig(EncryptionConfig.class);
        configBinder(binder).bindConfig(DataCacheConfig.class);
        configBinder(binder).bindConfig(HadoopConfig.class);

        binder.bind(Clock.class).toInstance(SteppedClock.system());
        binder.bind(ServingState.class).in(SINGLETON);
        binder.bind(Authenticator.class).in(SINGLETON);
        binder.bind(EngineService.class).in(SINGLETON);
        binder.bind(CacheFolder.class).in(SINGLETON);
        binder.bind(SidecarDataCache.class).in(SINGLETON);
        binder.bind(SchedulingGroupMBeans.class).in(SINGLETON);
        binder.bind(ActionHandlers.class).in(SINGLETON);
        binder.bind(FlightService.class).in(SINGLETON);
        binder.bind(FlightServer.class).in(SINGLETON);
        binder.bind(FramedServer.class).in(SINGLETON);
        binder.bind(PostgresServer.class).in(SINGLETON);
        binder.bind(Sidecar.class).in(SINGLETON);

        binder.bind(HttpLogins.class).in(SINGLETON);
        newSetBinder(binder, Filter.class)
                .addBinding()
                .to(AuthenticationFilter.class)
                .in(SINGLETON);
        jaxrsBinder(binder).bind(InfoResource.class);
        binder.bind(OpenMetricsCollector.class).in(SINGLETON);
        binder.bind(MetricsExposition.class).in(SINGLETON);
        newSetBinder(binder, LabelledHistograms.class).addBinding().to(StatementStatistics.class);
        jaxrsBinder(binder).bind(MetricsResource.class);
        jaxrsBinder(binder).bind(StatusResource.class);
        jaxrsBinder(binder).bind(WarehouseResource.class);
        jaxrsBinder(binder).bind(DamagedResource.class);
        jaxrsBinder(binder).bind(JobsResource.class);

        exportMetrics(binder, AccessMetrics.class, "access");
        exportMetrics(binder, IngestMetrics.class, "ingest");
        exportMetrics(binder, LogMetrics.class, "log");
        exportMetrics(binder, ReadMetrics.class, "read");
        exportMetrics(binder, EngineMetrics.class, "engine");
        exportMetrics(binder, SchedulerMetrics.class, "scheduler");
        exportMetrics(binder, RetrievalMetrics.class, "retrieval");
        newExporter(binder).export(BalanceMetrics.class).as("stele:name=retrieval_balance");
        exportMetrics(binder, SidecarAggregateCache.class, "fragment_cache");
    }

    @Provides
    @Singleton
    static BalanceMetrics balanceMetrics(EngineService service) {
        return new BalanceMetrics(service::readingAhead);
    }

    @Provides
    @Singleton
    static ReplyBudget replyBudget(FramedConfig config) {
        return new ReplyBudget(config.getMaxPendingBytes().toBytes());
    }

    @Provides
    @Singleton
    static Optional<PasswordFile> passwordFile(PostgresConfig config) {
        return config.getUsersFile().map(file -> PasswordFile.read(file.toPath()));
    }

    @Provides
    @Singleton
    static AccessControl accessControl(
            AccessControlConfig config, PostgresConfig postgres, AccessMetrics metrics) {
        if (config.getRulesFile().isEmpty()) {
            return AccessControl.withoutRules(metrics);
        }
        checkArgument(
                postgres.getUsersFile().isPresent(),
                "Expected stele.postgresql.users-file beside stele.access-control.rules-file, found"
                        + " none: without it everyone logs in with the shared secret, to which no"
                        + " rules apply");
        if (postgres.getTrinoUri().isPresent()) {
            log.warn(
                    "The rules of stele.access-control.rules-file are not those of Trino, which runs"
                            + " what has no fixed plan (stele.postgresql.trino-uri): give its"
                            + " catalog the same file");
        }
        return AccessControl.ofRules(
                config.getRulesFile().get().toPath(),
                config.getRefreshPeriod().toJavaTime(),
                postgres.getTrinoCatalog(),
                metrics);
    }

    /** One for all ports: its locks keep writers of one row apart. */
    @Provides
    @Singleton
    static PlanExecutor planExecutor(
            EngineService engine,
            AccessControl access,
            ReplyBudget replies,
            ReadMetrics readMetrics,
            IngestMetrics ingestMetrics) {
        return new PlanExecutor(
                engine, access, replies, readMetrics, ingestMetrics, System::nanoTime);
    }

    @Provides
    @Singleton
    static Optional<TrinoGateway> trinoGateway(PostgresConfig config) {
        return TrinoGateways.of(config);
    }

    @Provides
    @Singleton
    static StatementPreparer statementPreparer(
            EngineService engine,
            AccessControl access,
            PostgresConfig config,
            StatementStatistics statistics,
            Optional<TrinoGateway> trino,
            Clock clock) {
        return new StatementPreparer(
                () -> engine.engine().catalog().current(),
                access,
                table ->
                        engine.engine()
                                .statistics(
                                        table.id(),
                                        OptionalInt.of(table.schemaVersion()),
                                        ScanPredicate.ALL)
                                .rowCount(),
                new CatalogQueries(
                        () -> engine.engine().catalog().current(),
                        access,
                        config.getDatabase(),
                        statistics::statements,
                        clock),
                trino.isPresent());
    }

    @Provides
    @Singleton
    static SlowStatementLog slowStatementLog(PostgresConfig config, EngineService engine) {
        return new SlowStatementLog(
                config.getSlowStatementThreshold().roundTo(TimeUnit.NANOSECONDS),
                System::nanoTime,
                id ->
                        engine.engine()
                                .catalog()
                                .current()
                                .findTable(id)
                                .map(table -> table.schema().qualifiedName().toString())
                                .orElse("table " + id));
    }

    @Provides
    @Singleton
    static StatementStatistics statementStatistics(PostgresConfig config, SlowStatementLog slow) {
        return new StatementStatistics(config.getMaxTrackedStatements(), slow);
    }

    @Provides
    @Singleton
    static FlightSqlService flightSqlService(
            EngineService engine,
            PlanExecutor executor,
            StatementPreparer preparer,
            Optional<TrinoGateway> trino,
            AccessControl access,
            PostgresConfig postgres,
            FlightConfig flight,
            StatementStatistics statistics,
            Clock clock) {
        return FlightSqlService.create(
                executor,
                preparer,
                trino,
                access,
                () -> engine.engine().catalog(),
                postgres.getDatabase(),
                Version.current(),
                statistics,
                clock,
                flight.getReadBatchSize().toBytes());
    }

    @Provides
    @Singleton
    static Optional<TlsIdentity> tlsIdentity(TlsConfig config) {
        return TlsIdentity.load(config);
    }

    // The object's name is in the names of its metrics: stele_ingest_rows.
    private static void exportMetrics(Binder binder, Class<?> metrics, String name) {
        binder.bind(metrics).in(SINGLETON);
        newExporter(binder).export(metrics).as("stele:name=" + name);
    }
}
