package io.stele.connector;

import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.stele.connector.metadata.SteleMetadata;
import io.stele.connector.metadata.SteleMetadataFactory;
import io.trino.spi.connector.ConnectorTransactionHandle;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** The open Trino transactions of this catalog. Thread-safe. */
public final class SteleTransactions {
    private final SteleMetadataFactory factory;
    private final ConcurrentMap<ConnectorTransactionHandle, SteleMetadata> open =
            new ConcurrentHashMap<>();

    @Inject
    public SteleTransactions(SteleMetadataFactory factory) {
        this.factory = requireNonNull(factory, "factory is null");
    }

    ConnectorTransactionHandle begin() {
        SteleTransactionHandle handle = new SteleTransactionHandle(UUID.randomUUID());
        open.put(handle, factory.create());
        return handle;
    }

    SteleMetadata metadata(ConnectorTransactionHandle handle) {
        SteleMetadata metadata = open.get(handle);
        if (metadata == null) {
            throw new IllegalArgumentException("Expected an open transaction, found " + handle);
        }
        return metadata;
    }

    void end(ConnectorTransactionHandle handle) {
        SteleMetadata metadata = open.remove(handle);
        if (metadata != null) {
            metadata.close();
        }
    }
}
