package io.stele.protocol.api.catalog;

import static java.util.Objects.requireNonNull;

import java.util.Optional;

/** A request for the tables, or for the views, of one schema, or of all schemas if it is empty. */
public record ListTablesRequest(Optional<String> schemaName) {
    public ListTablesRequest {
        requireNonNull(schemaName, "schemaName is null");
    }
}
