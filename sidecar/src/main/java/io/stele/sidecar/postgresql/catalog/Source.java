package io.stele.sidecar.postgresql.catalog;

import io.stele.sidecar.postgresql.catalog.relation.CatalogValues;
import io.stele.sidecar.postgresql.catalog.relation.Relation;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * An item of a catalog query's FROM clause, with its rows: a system relation, a query or a
 * function.
 *
 * @param schema of a relation without an alias
 * @param relation whose indexes can find rows; empty for a query or a function
 * @param isLateral whether the rows depend on items before it
 */
record Source(
        Optional<String> schema,
        String name,
        List<Relation.Column> columns,
        Optional<Relation> relation,
        boolean isLateral,
        Rows rows) {
    Source {
        columns = List.copyOf(columns);
    }

    /** The rows of a source. */
    @FunctionalInterface
    interface Rows {
        /**
         * @param frame of the query that the source is in, with the rows of the items before it
         */
        List<Object[]> of(Frame frame);
    }

    int indexOf(String column) {
        for (int index = 0; index < columns.size(); index++) {
            if (columns.get(index).name().equals(column)) {
                return index;
            }
        }
        return -1;
    }

    Source named(String newName, List<Relation.Column> newColumns) {
        return new Source(Optional.empty(), newName, newColumns, relation, isLateral, rows);
    }

    Object[] emptyRow() {
        Object[] row = new Object[columns.size()];
        Arrays.fill(row, CatalogValues.NULL);
        return row;
    }
}
