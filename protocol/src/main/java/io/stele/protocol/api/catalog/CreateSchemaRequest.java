package io.stele.protocol.api.catalog;

import static java.util.Objects.requireNonNull;

/**
 * A request to create a schema; SCHEMA_ALREADY_EXISTS if it exists and {@code ignoreExisting} is
 * false.
 */
public record CreateSchemaRequest(String schemaName, boolean ignoreExisting) {
    public CreateSchemaRequest {
        requireNonNull(schemaName, "schemaName is null");
    }
}
