package io.stele.protocol.api.catalog;

import static java.util.Objects.requireNonNull;

/**
 * The request of the actions that need only a view, by its name, and a part of other view requests.
 *
 * @param materialized the kind of view that the caller expects; TABLE_NOT_FOUND if it is the other
 *     kind
 */
public record ViewRequest(TableName name, boolean materialized) {
    public ViewRequest {
        requireNonNull(name, "name is null");
    }
}
