package io.stele.connector.metadata;

import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.stele.connector.config.SteleSessionProperties;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorTransactionHandle;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * The registry of this catalog's open Trino transactions, with the metadata of each. Thread-safe.
 */
public final class SteleTransactions {
    private final SteleMetadataFactory factory;
    // Empty until the first request for metadata, which names the user
    private final ConcurrentMap<ConnectorTransactionHandle, Optional<SteleMetadata>> open =
            new ConcurrentHashMap<>();

    @Inject
    public SteleTransactions(SteleMetadataFactory factory) {
        this.factory = requireNonNull(factory, "factory is null");
    }

    public ConnectorTransactionHandle begin() {
        SteleTransactionHandle handle = new SteleTransactionHandle(UUID.randomUUID());
        open.put(handle, Optional.empty());
        return handle;
    }

    /** The catalog as a transaction sees it. */
    public SteleMetadata metadata(ConnectorTransactionHandle handle, ConnectorSession session) {
        Optional<SteleMetadata> metadata =
                open.computeIfPresent(
                        handle,
                        (_, begun) ->
                                begun.or(
                                        () ->
                                                Optional.of(
                                                        factory.create(
                                                                SteleSessionProperties
                                                                        .queryIdentity(session),
                                                                SteleSessionProperties
                                                                        .isMetadataCacheEnabled(
                                                                                session)))));
        if (metadata == null) {
            throw new IllegalArgumentException("Expected an open transaction, found " + handle);
        }
        return metadata.orElseThrow();
    }

    public void end(ConnectorTransactionHandle handle) {
        Optional<SteleMetadata> metadata = open.remove(handle);
        if (metadata != null) {
            metadata.ifPresent(SteleMetadata::close);
        }
    }
}
