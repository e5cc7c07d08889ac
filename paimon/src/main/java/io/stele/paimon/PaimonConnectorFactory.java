package io.stele.paimon;

import static io.trino.plugin.base.Versions.checkStrictSpiVersionMatch;
import static java.util.Objects.requireNonNull;

import com.google.inject.Injector;
import io.airlift.bootstrap.Bootstrap;
import io.airlift.json.JsonModule;
import io.stele.objectstore.cached.CatalogCacheFolder;
import io.stele.objectstore.cached.DefaultCache;
import io.trino.plugin.base.ConnectorContextModule;
import io.trino.plugin.base.jmx.ConnectorObjectNameGeneratorModule;
import io.trino.plugin.base.jmx.MBeanServerModule;
import io.trino.spi.classloader.ThreadContextClassLoader;
import io.trino.spi.connector.Connector;
import io.trino.spi.connector.ConnectorContext;
import io.trino.spi.connector.ConnectorFactory;
import java.util.Map;
import org.apache.paimon.fileindex.FileIndexerFactoryUtils;
import org.apache.paimon.globalindex.GlobalIndexerFactoryUtils;
import org.weakref.jmx.guice.MBeanModule;

/**
 * A factory of connectors, which wires one for each catalog at its start from the properties of the
 * catalog file.
 */
public final class PaimonConnectorFactory implements ConnectorFactory {
    private static final String NAME = "stele_paimon";

    @Override
    public String getName() {
        return NAME;
    }

    @Override
    public Connector create(
            String catalogName, Map<String, String> config, ConnectorContext context) {
        requireNonNull(catalogName, "catalogName is null");
        requireNonNull(config, "config is null");
        checkStrictSpiVersionMatch(context, this);
        try (ThreadContextClassLoader _ =
                new ThreadContextClassLoader(PaimonConnectorFactory.class.getClassLoader())) {
            loadIndexes();
            Injector injector =
                    new Bootstrap(
                                    "io.stele.bootstrap.catalog." + catalogName,
                                    new JsonModule(),
                                    new ConnectorContextModule(catalogName, context),
                                    new MBeanModule(),
                                    new MBeanServerModule(),
                                    new ConnectorObjectNameGeneratorModule(
                                            "io.stele.objectstore.cached", "stele"),
                                    new PaimonModule(
                                            CatalogCacheFolder.of(
                                                    catalogName,
                                                    System.getProperty(
                                                            DefaultCache.DATA_DIRECTORY, ""))))
                            .doNotInitializeLogging()
                            .disableSystemProperties()
                            .setRequiredConfigurationProperties(config)
                            .initialize();
            return injector.getInstance(PaimonConnector.class);
        }
    }

    /**
     * Loads Paimon's lists of index types now. Paimon fills each list once per process, with the
     * context class loader of the first thread that needs it.
     */
    private static void loadIndexes() {
        try {
            Class.forName(FileIndexerFactoryUtils.class.getName());
            Class.forName(GlobalIndexerFactoryUtils.class.getName());
        } catch (ClassNotFoundException e) {
            throw new LinkageError(e.getMessage(), e);
        }
    }
}
