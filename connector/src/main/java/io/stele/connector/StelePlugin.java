package io.stele.connector;

import static java.util.Objects.requireNonNull;

import io.stele.objectstore.cached.DefaultCache;
import io.trino.spi.Plugin;
import io.trino.spi.connector.ConnectorFactory;
import java.util.List;

/** The Trino plugin: contributes the connector {@code stele}. */
public final class StelePlugin implements Plugin {
    private final String dataDirectory;

    /** The plugin of a node that Trino's launcher has started. */
    public StelePlugin() {
        this(System.getProperty(DefaultCache.DATA_DIRECTORY, ""));
    }

    /**
     * The plugin of a node with this data directory.
     *
     * @param dataDirectory empty: none
     */
    public StelePlugin(String dataDirectory) {
        this.dataDirectory = requireNonNull(dataDirectory, "dataDirectory is null");
    }

    @Override
    public Iterable<ConnectorFactory> getConnectorFactories() {
        return List.of(new SteleConnectorFactory(dataDirectory));
    }
}
