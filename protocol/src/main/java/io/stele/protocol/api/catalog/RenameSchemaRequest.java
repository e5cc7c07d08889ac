package io.stele.protocol.api.catalog;

import static java.util.Objects.requireNonNull;

/** A request to rename a schema, and with it all tables and views in it. */
public record RenameSchemaRequest(String schemaName, String newName) {
    public RenameSchemaRequest {
        requireNonNull(schemaName, "schemaName is null");
        requireNonNull(newName, "newName is null");
    }
}
