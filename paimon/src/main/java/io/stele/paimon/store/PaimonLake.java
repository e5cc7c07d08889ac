package io.stele.paimon.store;

import static io.trino.spi.StandardErrorCode.CONFIGURATION_INVALID;
import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.airlift.log.Logger;
import io.stele.objectstore.hadoop.HadoopConfig;
import io.stele.objectstore.retrieval.RetrievalConfig;
import io.stele.objectstore.retrieval.RetrievalThreads;
import io.stele.objectstore.s3.S3Config;
import io.stele.objectstore.warehouse.LakeRoot;
import io.stele.objectstore.warehouse.WarehouseAccess;
import io.stele.paimon.config.Metastore;
import io.stele.paimon.config.PaimonConfig;
import io.trino.spi.TrinoException;
import io.trino.spi.classloader.ThreadContextClassLoader;
import jakarta.annotation.PreDestroy;
import java.security.SecureRandom;
import java.sql.Driver;
import java.sql.SQLException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.paimon.catalog.Catalog;
import org.apache.paimon.catalog.CatalogContext;
import org.apache.paimon.catalog.CatalogFactory;
import org.apache.paimon.factories.FactoryUtil;
import org.apache.paimon.fs.FileIO;
import org.apache.paimon.fs.Path;
import org.apache.paimon.options.CatalogOptions;
import org.apache.paimon.options.Options;
import org.apache.paimon.privilege.PrivilegedCatalog;

/**
 * The lake that a catalog's configuration names, with its stores and its metastore, both opened at
 * their first use. All queries reach files and metastore under the identity of this configuration
 * (keys of S3, user of Hadoop, user or token of the metastore); access control is Trino's.
 *
 * <p>The metastore is not contacted before its first use, so that workers never do, and a node
 * starts while it is away. Paimon's own caches are off, since the caches above this class know when
 * to look again. Thread-safe.
 */
public final class PaimonLake implements Lake, AutoCloseable {
    private static final Logger logger = Logger.get(PaimonLake.class);

    private static final RetrievalThreads RETRIEVAL_THREADS =
            new RetrievalThreads(
                    Thread.ofPlatform().daemon().name("stele-paimon-retrieval-", 0).factory(),
                    Thread.ofVirtual().name("stele-paimon-retrieval-task").factory(),
                    System::nanoTime,
                    InstantSource.system(),
                    failure -> logger.error(failure, "A task of retrieval failed"));

    private final PaimonConfig config;
    private final LakeStores stores;
    private final SteleFileIO fileIO;
    private final LakeFiles files;
    private final LazyCatalog catalog;

    @Inject
    public PaimonLake(
            PaimonConfig config,
            S3Config s3Config,
            HadoopConfig hadoopConfig,
            RetrievalConfig retrievalConfig,
            LakeDataCache dataCache) {
        this.config = requireNonNull(config, "config is null");
        WarehouseAccess access =
                new WarehouseAccess(
                        s3Config,
                        hadoopConfig,
                        retrievalConfig,
                        new SecureRandom(),
                        PaimonLake::pause,
                        RETRIEVAL_THREADS);
        LakeRoot.Kind kind = kind(config);
        stores = new LakeStores(access, dataCache, kind == LakeRoot.Kind.FOLDER);
        fileIO = new SteleFileIO(stores, kind == LakeRoot.Kind.S3);
        files = new StoredLakeFiles(stores);
        catalog = new LazyCatalog(this::openCatalog, System::nanoTime);
    }

    /**
     * The kind of the lake's store; for a lake that a REST server names, a kind that excludes files
     * of this host.
     */
    private static LakeRoot.Kind kind(PaimonConfig config) {
        if (config.getMetastore() == Metastore.REST) {
            return LakeRoot.Kind.S3;
        }
        Path warehouse = warehouse(config);
        return LakeRoot.of(warehouse.toUri().getScheme(), warehouse.toUri().getAuthority()).kind();
    }

    private static Path warehouse(PaimonConfig config) {
        String text = requireNonNull(config.getWarehouse(), "warehouse is null");
        // As Paimon writes it: a path without a scheme stays one
        return new Path(
                text.matches("[A-Za-z][A-Za-z0-9+.-]*:.*")
                        ? text
                        : java.nio.file.Path.of(text).toAbsolutePath().normalize().toString());
    }

    private Catalog openCatalog() {
        ClassLoader ours = PaimonLake.class.getClassLoader();
        try (ThreadContextClassLoader _ = new ThreadContextClassLoader(ours)) {
            String metastore = config.getMetastore().name().toLowerCase(Locale.ROOT);
            CatalogFactory factory =
                    FactoryUtil.discoverFactory(ours, CatalogFactory.class, metastore);
            if (config.getMetastore() == Metastore.JDBC) {
                loadDriver(ours, config.getMetastoreUri().orElseThrow());
            }
            Options options = options();
            CatalogContext context =
                    CatalogContext.create(
                            options, new LakeFileIOLoader(fileIO), new LakeFileIOLoader(fileIO));
            Catalog opened =
                    switch (config.getMetastore()) {
                        case REST -> factory.create(context);
                        // Not by way of Paimon's, which would create the folder of the warehouse
                        case FILESYSTEM, JDBC ->
                                PrivilegedCatalog.tryToCreate(
                                        factory.create(fileIO, warehouse(config), context),
                                        options);
                        case HIVE -> throw new IllegalStateException("Refused as configuration");
                    };
            return opened;
        }
    }

    /**
     * Registers the driver of a database, which is in this plugin. The JDK registers those that the
     * first user of JDBC in the process can see, which may be another plugin.
     */
    private static void loadDriver(ClassLoader plugin, String uri) {
        List<String> found = new ArrayList<>();
        for (ServiceLoader.Provider<Driver> provider :
                ServiceLoader.load(Driver.class, plugin).stream().toList()) {
            found.add(provider.type().getName());
            try {
                if (provider.get().acceptsURL(uri)) {
                    return;
                }
            } catch (ServiceConfigurationError broken) {
                logger.warn(broken, "The JDBC driver %s cannot be used", provider.type());
            } catch (SQLException malformed) {
                throw new TrinoException(
                        CONFIGURATION_INVALID,
                        "Expected the URL of a database in stele.paimon.metastore.uri, found one that %s refuses"
                                .formatted(provider.type().getName()),
                        malformed);
            }
        }
        throw new TrinoException(
                CONFIGURATION_INVALID,
                "Expected a JDBC driver for stele.paimon.metastore.uri in the folder of the plugin, on every node; found "
                        + found);
    }

    private Options options() {
        Options options = new Options();
        options.set(
                CatalogOptions.METASTORE, config.getMetastore().name().toLowerCase(Locale.ROOT));
        options.set(CatalogOptions.CACHE_ENABLED, false);
        config.getMetastoreUri().ifPresent(uri -> options.set(CatalogOptions.URI, uri));
        switch (config.getMetastore()) {
            case FILESYSTEM -> setUser(options, "");
            case JDBC -> {
                setUser(options, "jdbc.");
                config.getMetastoreCatalogKey().ifPresent(key -> options.set("catalog-key", key));
            }
            case REST -> {
                options.set("token.provider", "bear");
                config.getMetastoreToken().ifPresent(token -> options.set("token", token));
            }
            case HIVE -> throw new IllegalStateException("Refused as configuration");
        }
        options.set(
                CatalogOptions.WAREHOUSE,
                config.getMetastore() == Metastore.REST
                        ? requireNonNull(config.getWarehouse(), "warehouse is null")
                        : warehouse(config).toString());
        return options;
    }

    private void setUser(Options options, String prefix) {
        config.getMetastoreUser().ifPresent(user -> options.set(prefix + "user", user));
        config.getMetastorePassword()
                .ifPresent(password -> options.set(prefix + "password", password));
    }

    @Override
    public Catalog catalog() {
        return catalog.get();
    }

    @Override
    public FileIO fileIO() {
        return fileIO;
    }

    @Override
    public LakeFiles files() {
        return files;
    }

    /** Closes the connections to metastore and stores. */
    @Override
    @PreDestroy
    public void close() throws Exception {
        try {
            catalog.close();
        } finally {
            stores.close();
        }
    }

    private static void pause(long millis) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
    }
}
