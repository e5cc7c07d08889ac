package io.stele.protocol.api;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.schema.ViewSchema;
import java.util.Optional;

/** What has a name: a table, a view, or, if both are empty, nothing. */
public record RelationReply(Optional<TableDescription> table, Optional<ViewSchema> view) {
    public RelationReply {
        requireNonNull(table, "table is null");
        requireNonNull(view, "view is null");
    }
}
