package io.stele.protocol.api.catalog;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.schema.ViewSchema;
import java.util.Optional;

/**
 * A reply with the relation (table or view) of a name. Both are empty if no relation has the name.
 * In a reply that opens a table, both are also empty if the caller has the present description.
 */
public record RelationReply(Optional<TableDescription> table, Optional<ViewSchema> view) {
    public RelationReply {
        requireNonNull(table, "table is null");
        requireNonNull(view, "view is null");
    }
}
