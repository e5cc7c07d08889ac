package io.stele.storage.engine;

import java.util.List;
import java.util.Optional;

/**
 * What a lookup by key found.
 *
 * @param schemaVersion the version whose layout the rows have
 * @param rows in the order of the keys; empty: absent; shared, not to be changed
 */
public record LookedUpRows(int schemaVersion, List<Optional<byte[]>> rows) {
    public LookedUpRows {
        rows = List.copyOf(rows);
    }
}
