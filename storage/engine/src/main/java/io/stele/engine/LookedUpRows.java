package io.stele.engine;

import java.util.List;
import java.util.Optional;

/**
 * The result of a lookup by primary key: the rows found, and the schema version of their layout.
 *
 * @param schemaVersion the version whose layout the rows have
 * @param rows in the order of the keys; empty: absent; shared, must not be changed
 */
public record LookedUpRows(int schemaVersion, List<Optional<byte[]>> rows) {
    public LookedUpRows {
        rows = List.copyOf(rows);
    }
}
