package io.stele.engine.read;

import java.util.List;
import java.util.Optional;

/**
 * The result of a lookup by primary key: the rows found, and the schema version of their layout.
 *
 * @param schemaVersion the version whose layout the rows have
 * @param rows in the order of the keys, only of the first keys if there was no room for all; empty:
 *     absent. Shared, must not be changed
 * @param neededBytes the bytes of all rows, if there was no room for all and they are at most
 *     {@link RowRoom#countedBytes}
 */
public record LookedUpRows(int schemaVersion, List<Optional<byte[]>> rows, long neededBytes) {
    public LookedUpRows {
        rows = List.copyOf(rows);
    }

    /** The number of rows that were found. */
    public int foundCount() {
        int count = 0;
        for (int i = 0; i < rows.size(); i++) {
            if (rows.get(i).isPresent()) {
                count++;
            }
        }
        return count;
    }
}
