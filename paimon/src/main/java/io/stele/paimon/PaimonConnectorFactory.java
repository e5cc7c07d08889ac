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

/** A factory of connectors, one a catalog, from the properties of its catalog file. */
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
     * Loads Paimon's lists of kinds of indexes, which it makes once, by the context loader of the
     * thread that happens to be the first.
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
