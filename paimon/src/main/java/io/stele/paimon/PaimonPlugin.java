package io.stele.paimon;

import io.trino.spi.Plugin;
import io.trino.spi.connector.ConnectorFactory;
import java.util.List;

/** The Trino plugin: contributes the connector {@code stele_paimon}. */
public final class PaimonPlugin implements Plugin {
    @Override
    public Iterable<ConnectorFactory> getConnectorFactories() {
        return List.of(new PaimonConnectorFactory());
    }
}
