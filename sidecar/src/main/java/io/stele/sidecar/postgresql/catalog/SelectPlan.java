package io.stele.sidecar.postgresql.catalog;

import static java.util.Objects.requireNonNull;

import io.stele.sidecar.postgresql.catalog.relation.CatalogValues;
import io.stele.sidecar.postgresql.catalog.relation.Relation;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A compiled catalog query, which computes its rows in memory. Confined to one statement: rows that
 * do not depend on the queries around it are computed once.
 */
final class SelectPlan {
    private final List<Relation.Column> columns;
    private final boolean isVolatile;
    private final Source.Rows rows;
    private Optional<List<Object[]>> computed = Optional.empty();

    /**
     * @param isVolatile whether rows depend on queries around it
     * @param rows computes the rows for the frame of the query around it
     */
    SelectPlan(List<Relation.Column> columns, boolean isVolatile, Source.Rows rows) {
        this.columns = List.copyOf(columns);
        this.isVolatile = isVolatile;
        this.rows = requireNonNull(rows, "rows is null");
    }

    List<Relation.Column> columns() {
        return columns;
    }

    boolean isVolatile() {
        return isVolatile;
    }

    List<Object[]> rows(Frame outer) {
        if (isVolatile) {
            return rows.of(outer);
        }
        if (computed.isEmpty()) {
            computed = Optional.of(rows.of(outer));
        }
        return computed.get();
    }

    /** The first column of all rows. */
    CatalogValues.Elements first(Frame outer) {
        List<Object> values = new ArrayList<>();
        rows(outer).forEach(row -> values.add(row[0]));
        return new CatalogValues.Elements(values);
    }

    /** The only value; NULL if there is no row. */
    Object single(Frame outer) {
        List<Object[]> found = rows(outer);
        if (found.size() > 1) {
            throw CatalogValues.invalid(
                    "one row of a query that is a value", found.size() + " rows");
        }
        return found.isEmpty() ? CatalogValues.NULL : found.get(0)[0];
    }
}
