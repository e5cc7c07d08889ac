package io.stele.protocol.api.catalog;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.TableId;

/**
 * A request to record, after a refresh of a materialized view, the sources from which its present
 * rows were computed.
 */
public record SetRefreshRequest(TableId storageTable, String refresh) {
    public SetRefreshRequest {
        requireNonNull(storageTable, "storageTable is null");
        requireNonNull(refresh, "refresh is null");
    }
}
