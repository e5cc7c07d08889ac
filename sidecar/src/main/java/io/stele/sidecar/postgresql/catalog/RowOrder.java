package io.stele.sidecar.postgresql.catalog;

import static java.util.Objects.requireNonNull;

import io.stele.sidecar.postgresql.catalog.relation.CatalogValues;
import io.stele.sidecar.postgresql.catalog.relation.Relation;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import net.sf.jsqlparser.expression.Expression;
import net.sf.jsqlparser.expression.LongValue;
import net.sf.jsqlparser.schema.Column;
import net.sf.jsqlparser.statement.select.OrderByElement;
import net.sf.jsqlparser.statement.select.Select;

/**
 * The compilation and execution of a catalog query's ORDER BY, LIMIT and OFFSET. Confined to the
 * compilation of one statement.
 */
final class RowOrder {
    private final QueryContext context;
    private final SelectCompiler selects;
    private final Optional<CatalogQueryScope> outer;

    RowOrder(QueryContext context, SelectCompiler selects, Optional<CatalogQueryScope> outer) {
        this.context = requireNonNull(context, "context is null");
        this.selects = requireNonNull(selects, "selects is null");
        this.outer = requireNonNull(outer, "outer is null");
    }

    static List<Object> key(Object[] row) {
        List<Object> key = new ArrayList<>(row.length);
        for (Object value : row) {
            key.add(CatalogValues.key(value));
        }
        return key;
    }

    static List<Object[]> distinct(List<Object[]> rows) {
        Set<List<Object>> seen = new HashSet<>();
        List<Object[]> distinct = new ArrayList<>(rows);
        distinct.removeIf(row -> !seen.add(key(row)));
        return distinct;
    }

    /** The column that an item of ORDER BY or GROUP BY names by position or by name; or -1. */
    static int position(Expression expression, List<Relation.Column> columns) {
        if (expression instanceof LongValue number) {
            long position = number.getValue();
            if (position < 1 || position > columns.size()) {
                throw CatalogValues.invalid("a position of 1 to " + columns.size(), position);
            }
            return (int) position - 1;
        }
        if (expression instanceof Column column
                && column.getTable() == null
                && column.getArrayConstructor() == null) {
            String name = Literals.name(column.getColumnName());
            for (int index = 0; index < columns.size(); index++) {
                if (columns.get(index).name().equals(name)) {
                    return index;
                }
            }
        }
        return -1;
    }

    /** Sorts and cuts the rows of a query that has no other use of its sources. */
    SelectPlan apply(Select select, SelectPlan plan) {
        CatalogQueryScope scope = new CatalogQueryScope(outer);
        scope.sources()
                .add(
                        new Source(
                                Optional.empty(),
                                "",
                                plan.columns(),
                                Optional.empty(),
                                false,
                                frame -> List.of()));
        ExpressionCompiler expressions = new ExpressionCompiler(context, scope, selects);
        List<Slots.SortKey> keys = new ArrayList<>();
        if (select.getOrderByElements() != null) {
            for (OrderByElement element : select.getOrderByElements()) {
                int position = position(element.getExpression(), plan.columns());
                keys.add(
                        FunctionCompiler.sortKey(
                                element,
                                position >= 0
                                        ? new Typed(
                                                plan.columns().get(position).type(),
                                                frame -> frame.tuple()[0][position])
                                        : expressions.compile(element.getExpression())));
            }
        }
        Bounds bounds = bounds(select, expressions);
        return new SelectPlan(
                plan.columns(),
                plan.isVolatile() || scope.usesOuter(),
                frame -> {
                    List<Sortable> rows = new ArrayList<>();
                    for (Object[] row : plan.rows(frame)) {
                        Frame inner = new Frame(frame, new Object[][] {row}, new Object[0]);
                        rows.add(sortable(row, keys, inner));
                    }
                    return sorted(rows, keys, bounds, frame);
                });
    }

    /** A row with the values that it is sorted by. */
    record Sortable(Object[] row, Object[] keys) {}

    static Sortable sortable(Object[] row, List<Slots.SortKey> keys, Frame frame) {
        Object[] values = new Object[keys.size()];
        for (int index = 0; index < values.length; index++) {
            values[index] = keys.get(index).expression().of(frame);
        }
        return new Sortable(row, values);
    }

    /** OFFSET and LIMIT. */
    record Bounds(Optional<Typed> offset, Optional<Typed> limit) {}

    Bounds bounds(Select select, ExpressionCompiler expressions) {
        Optional<Expression> limit =
                Optional.ofNullable(select.getLimit()).map(found -> found.getRowCount());
        if (select.getFetch() != null) {
            limit = Optional.ofNullable(select.getFetch().getExpression());
        }
        Optional<Expression> offset =
                Optional.ofNullable(select.getOffset())
                        .map(found -> found.getOffset())
                        .or(
                                () ->
                                        Optional.ofNullable(select.getLimit())
                                                .map(found -> found.getOffset()));
        return new Bounds(
                offset.map(expressions::compile),
                limit.filter(found -> !found.toString().equalsIgnoreCase("ALL"))
                        .map(expressions::compile));
    }

    List<Object[]> sorted(
            List<Sortable> rows, List<Slots.SortKey> keys, Bounds bounds, Frame frame) {
        if (!keys.isEmpty()) {
            rows.sort(
                    (left, right) -> {
                        context.step();
                        for (int index = 0; index < keys.size(); index++) {
                            int order =
                                    Aggregates.compare(
                                            keys.get(index),
                                            left.keys()[index],
                                            right.keys()[index]);
                            if (order != 0) {
                                return order;
                            }
                        }
                        return 0;
                    });
        }
        Frame inner = new Frame(frame, new Object[0][], new Object[0]);
        long offset = bound(bounds.offset(), inner, 0);
        long limit = bound(bounds.limit(), inner, Long.MAX_VALUE);
        return rows.stream().skip(offset).limit(limit).map(Sortable::row).toList();
    }

    private static long bound(Optional<Typed> expression, Frame frame, long absent) {
        Object value = expression.map(each -> each.of(frame)).orElse(CatalogValues.NULL);
        if (value == CatalogValues.NULL) {
            return absent;
        }
        long bound = CatalogValues.integer(value);
        if (bound < 0) {
            throw CatalogValues.invalid("LIMIT and OFFSET >= 0", bound);
        }
        return bound;
    }
}
