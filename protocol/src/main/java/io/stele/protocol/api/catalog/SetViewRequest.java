package io.stele.protocol.api.catalog;

import static java.util.Objects.requireNonNull;

/**
 * A request to replace the definition of a view.
 *
 * @param revision the revision on which the new definition is based; STALE_TABLE if the present
 *     revision is another one
 */
public record SetViewRequest(ViewRequest view, long revision, String definition) {
    public SetViewRequest {
        requireNonNull(view, "view is null");
        requireNonNull(definition, "definition is null");
    }
}
