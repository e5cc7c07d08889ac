package io.stele.protocol.api.catalog;

import static java.util.Objects.requireNonNull;

/** A request to drop a schema; SCHEMA_NOT_EMPTY if it has tables and {@code cascade} is false. */
public record DropSchemaRequest(String schemaName, boolean cascade) {
    public DropSchemaRequest {
        requireNonNull(schemaName, "schemaName is null");
    }
}
