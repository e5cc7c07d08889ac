package io.stele.connector.handle;

import java.util.List;

/**
 * A moment that a query named, as of which it reads a table.
 *
 * @param goneColumns ids of columns that the table had then and that were dropped since: their
 *     values are no longer readable
 */
public record SteleTableVersion(List<Integer> goneColumns) {
    public SteleTableVersion {
        goneColumns = List.copyOf(goneColumns);
    }
}
