package io.stele.connector.handle;

import java.util.List;

/**
 * The mark, in a table handle, that a query reads the table as of a named past moment, with the
 * columns that were dropped since.
 *
 * @param goneColumns ids of columns that the table had at this moment and that were dropped later,
 *     so that their values are no longer readable
 */
public record SteleTableVersion(List<Integer> goneColumns) {
    public SteleTableVersion {
        goneColumns = List.copyOf(goneColumns);
    }
}
