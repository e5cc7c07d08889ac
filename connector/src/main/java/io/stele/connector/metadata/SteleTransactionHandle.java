package io.stele.connector.metadata;

import io.trino.spi.connector.ConnectorTransactionHandle;
import java.util.UUID;

/** One Trino transaction in this catalog. */
public record SteleTransactionHandle(UUID uuid) implements ConnectorTransactionHandle {}
