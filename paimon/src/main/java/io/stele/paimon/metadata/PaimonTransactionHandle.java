package io.stele.paimon.metadata;

import static java.util.Objects.requireNonNull;

import io.trino.spi.connector.ConnectorTransactionHandle;
import java.util.UUID;

/**
 * The id of one Trino transaction in this catalog, by which {@link PaimonTransactions} finds its
 * metadata.
 */
public record PaimonTransactionHandle(UUID id) implements ConnectorTransactionHandle {
    public PaimonTransactionHandle {
        requireNonNull(id, "id is null");
    }
}
