package io.stele.protocol.api.catalog;

import static java.util.Objects.requireNonNull;

import java.util.Optional;

/**
 * A request to create a view, or a materialized view with an empty storage table; the reply
 * describes the created view.
 *
 * @param definition see {@link io.stele.protocol.schema.ViewSchema}
 * @param replace whether it replaces a view of the same name and kind
 * @param storage the storage table of a materialized view; the sidecar chooses its name
 */
public record CreateViewRequest(
        TableName name, String definition, boolean replace, Optional<CreateTableRequest> storage) {
    public CreateViewRequest {
        requireNonNull(name, "name is null");
        requireNonNull(definition, "definition is null");
        requireNonNull(storage, "storage is null");
    }
}
