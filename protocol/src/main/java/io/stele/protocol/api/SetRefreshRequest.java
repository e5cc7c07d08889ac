package io.stele.protocol.api;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.TableId;

/** Says what the rows of a materialized view are made of now. */
public record SetRefreshRequest(TableId storageTable, String refresh) {
    public SetRefreshRequest {
        requireNonNull(storageTable, "storageTable is null");
        requireNonNull(refresh, "refresh is null");
    }
}
