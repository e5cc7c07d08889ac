package io.stele.connector;

import static io.trino.plugin.base.Versions.checkStrictSpiVersionMatch;
import static java.util.Objects.requireNonNull;

import com.google.inject.Injector;
import io.airlift.bootstrap.Bootstrap;
import io.airlift.json.JsonModule;
import io.stele.connector.access.AccessControlModule;
import io.stele.objectstore.cached.CatalogCacheFolder;
import io.trino.plugin.base.ConnectorContextModule;
import io.trino.plugin.base.jmx.ConnectorObjectNameGeneratorModule;
import io.trino.plugin.base.jmx.MBeanServerModule;
import io.trino.spi.classloader.ThreadContextClassLoader;
import io.trino.spi.connector.Connector;
import io.trino.spi.connector.ConnectorContext;
import io.trino.spi.connector.ConnectorFactory;
import java.util.Map;
import org.weakref.jmx.guice.MBeanModule;

/** A factory of connectors, one a catalog, from the properties of its catalog file. */
public final class SteleConnectorFactory implements ConnectorFactory {
    private static final String NAME = "stele";

    private final String dataDirectory;

    /**
     * @param dataDirectory of the node; empty: none
     */
    SteleConnectorFactory(String dataDirectory) {
        this.dataDirectory = requireNonNull(dataDirectory, "dataDirectory is null");
    }

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
                new ThreadContextClassLoader(SteleConnectorFactory.class.getClassLoader())) {
            Injector injector =
                    new Bootstrap(
                                    "io.stele.bootstrap.catalog." + catalogName,
                                    new JsonModule(),
                                    new ConnectorContextModule(catalogName, context),
                                    new MBeanModule(),
                                    new MBeanServerModule(),
                                    new ConnectorObjectNameGeneratorModule(
                                            "io.stele.objectstore.cached", "stele"),
                                    new AccessControlModule(),
                                    new SteleModule(
                                            CatalogCacheFolder.of(catalogName, dataDirectory)))
                            .doNotInitializeLogging()
                            .disableSystemProperties()
                            .setRequiredConfigurationProperties(config)
                            .initialize();
            return injector.getInstance(SteleConnector.class);
        }
    }
}
