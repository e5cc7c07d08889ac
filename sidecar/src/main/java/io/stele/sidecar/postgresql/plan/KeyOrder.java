package io.stele.sidecar.postgresql.plan;

import io.stele.engine.read.KeyDirection;
import io.stele.protocol.schema.CharType;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.TableSchema;
import io.stele.sidecar.postgresql.plan.Access.Bound;
import io.stele.sidecar.postgresql.sql.Expression.Operator;
import java.util.List;
import java.util.Optional;

/**
 * The order in which a statement wants its rows, for the check whether the order of the primary key
 * serves it. Immutable.
 *
 * @param columns first column first; empty: any order, unless {@code isOther}
 * @param isOther whether it is no order of columns
 */
record KeyOrder(List<Item> columns, boolean isOther) {
    /** Any order will do. */
    static final KeyOrder NONE = new KeyOrder(List.of(), false);

    /** An order for which rows must be sorted. */
    static final KeyOrder OTHER = new KeyOrder(List.of(), true);

    /** A column by its position in the table. */
    record Item(int column, boolean descending) {}

    KeyOrder {
        columns = List.copyOf(columns);
    }

    boolean isAny() {
        return columns.isEmpty() && !isOther;
    }

    /**
     * The direction of the primary key in which the rows within bounds have this order; empty if
     * there is none.
     *
     * @param bounds all of which the rows meet
     */
    Optional<KeyDirection> servedBy(TableSchema table, List<Bound> bounds) {
        if (columns.isEmpty() || !table.hasPrimaryKey() || !table.orientation().hasRows()) {
            return Optional.empty();
        }
        // Columns of one value have both directions, so the first other one decides
        boolean isDescending =
                columns.stream()
                        .filter(item -> !isFixed(item.column(), bounds))
                        .findFirst()
                        .map(Item::descending)
                        .orElse(false);
        return isServed(table, bounds, isDescending)
                ? Optional.of(isDescending ? KeyDirection.DESCENDING : KeyDirection.ASCENDING)
                : Optional.empty();
    }

    private boolean isServed(TableSchema table, List<Bound> bounds, boolean isDescending) {
        List<Integer> key = table.primaryKey().stream().map(table::indexOf).toList();
        int place = 0; // in the key
        for (Item item : columns) {
            if (isFixed(item.column(), bounds)) {
                continue;
            }
            while (place < key.size()
                    && key.get(place) != item.column()
                    && isFixed(key.get(place), bounds)) {
                place++;
            }
            if (place == key.size()) {
                return true; // no two rows are equal so far
            }
            if (key.get(place) != item.column()
                    || item.descending() != isDescending
                    || !isOrderedAsKey(table.columns().get(item.column()))) {
                return false;
            }
            place++;
        }
        return true;
    }

    /** Keys contain the blanks at the end of a char, which are not significant here. */
    private static boolean isOrderedAsKey(ColumnSchema column) {
        return !(column.type() instanceof CharType);
    }

    /** Whether a column has one value in all rows. */
    private static boolean isFixed(int column, List<Bound> bounds) {
        return bounds.stream()
                .anyMatch(
                        bound ->
                                bound.column() == column
                                        && bound.operator() == Operator.EQUAL
                                        && bound.candidates() instanceof Access.OneOf one
                                        && one.values().size() == 1);
    }
}
