package io.stele.engine.read;

import java.util.List;
import java.util.Optional;

/**
 * The result of a lookup by primary key: the rows found, and the schema version of their layout.
 *
 * @param schemaVersion the version whose layout the rows have
 * @param rows in the order of the keys, of the first ones where there was no room for all; empty:
 *     absent; shared, must not be changed
 * @param neededBytes of all rows, if there was no room for all and {@link RowRoom#countedBytes} are
 *     at least as many
 */
public record LookedUpRows(int schemaVersion, List<Optional<byte[]>> rows, long neededBytes) {
    public LookedUpRows {
        rows = List.copyOf(rows);
    }

    /** How many of the rows are there. */
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
