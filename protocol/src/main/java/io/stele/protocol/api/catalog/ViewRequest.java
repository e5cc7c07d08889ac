package io.stele.protocol.api.catalog;

import static java.util.Objects.requireNonNull;

/**
 * Something to do with a view named so.
 *
 * @param materialized which kind of view the caller has in mind; TABLE_NOT_FOUND if it is another
 */
public record ViewRequest(TableName name, boolean materialized) {
    public ViewRequest {
        requireNonNull(name, "name is null");
    }
}
