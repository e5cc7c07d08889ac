package io.stele.connector.metadata;

import io.trino.spi.connector.ConnectorTransactionHandle;
import java.util.UUID;

/** The identity of one Trino transaction of this catalog, which Trino passes with its calls. */
public record SteleTransactionHandle(UUID uuid) implements ConnectorTransactionHandle {}
