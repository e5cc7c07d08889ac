package io.stele.protocol.api.catalog;

import static java.util.Objects.requireNonNull;

/** A request to rename a view, possibly into another schema. */
public record RenameViewRequest(ViewRequest view, TableName newName) {
    public RenameViewRequest {
        requireNonNull(view, "view is null");
        requireNonNull(newName, "newName is null");
    }
}
