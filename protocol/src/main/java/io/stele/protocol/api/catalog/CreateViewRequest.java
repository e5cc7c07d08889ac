package io.stele.protocol.api.catalog;

import static java.util.Objects.requireNonNull;

import java.util.Optional;

/**
 * A request to create a view, or a materialized one with an empty table for its rows; the reply has
 * what was created.
 *
 * @param definition see {@link io.stele.protocol.schema.ViewSchema}
 * @param replace whether a view of the name and kind makes room
 * @param storage of a materialized view the table for its rows; its name is the sidecar's to choose
 */
public record CreateViewRequest(
        TableName name, String definition, boolean replace, Optional<CreateTableRequest> storage) {
    public CreateViewRequest {
        requireNonNull(name, "name is null");
        requireNonNull(definition, "definition is null");
        requireNonNull(storage, "storage is null");
    }
}
