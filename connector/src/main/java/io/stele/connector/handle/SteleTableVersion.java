package io.stele.connector.handle;

import java.util.List;

/**
 * That a table is read as of a moment that the query named.
 *
 * @param goneColumns ids of columns that the table had then and that were dropped since: their
 *     values are no longer readable
 */
public record SteleTableVersion(List<Integer> goneColumns) {
    public SteleTableVersion {
        goneColumns = List.copyOf(goneColumns);
    }
}
