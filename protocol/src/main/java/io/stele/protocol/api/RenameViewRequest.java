package io.stele.protocol.api;

import static java.util.Objects.requireNonNull;

/** Gives a view another name, possibly in another schema. */
public record RenameViewRequest(ViewRequest view, TableName newName) {
    public RenameViewRequest {
        requireNonNull(view, "view is null");
        requireNonNull(newName, "newName is null");
    }
}
