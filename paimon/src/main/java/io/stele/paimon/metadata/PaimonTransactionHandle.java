package io.stele.paimon.metadata;

import static java.util.Objects.requireNonNull;

import io.trino.spi.connector.ConnectorTransactionHandle;
import java.util.UUID;

/** One Trino transaction in this catalog. */
public record PaimonTransactionHandle(UUID id) implements ConnectorTransactionHandle {
    public PaimonTransactionHandle {
        requireNonNull(id, "id is null");
    }
}
