package io.stele.protocol.api.catalog;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.TableId;

/** A request to rename a table, possibly into another schema. */
public record RenameTableRequest(TableId tableId, TableName newName) {
    public RenameTableRequest {
        requireNonNull(tableId, "tableId is null");
        requireNonNull(newName, "newName is null");
    }
}
