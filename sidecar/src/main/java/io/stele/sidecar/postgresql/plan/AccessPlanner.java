package io.stele.sidecar.postgresql.plan;

import io.stele.engine.read.KeyDirection;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.IndexSchema;
import io.stele.protocol.schema.TableSchema;
import io.stele.sidecar.postgresql.plan.Access.Bound;
import io.stele.sidecar.postgresql.plan.Access.Candidates;
import io.stele.sidecar.postgresql.plan.Access.ScanKind;
import io.stele.sidecar.postgresql.sql.Expression;
import io.stele.sidecar.postgresql.sql.Expression.Operator;
import io.stele.sidecar.postgresql.sql.NoFixedPlanException;
import io.stele.sidecar.postgresql.type.ColumnValues;
import io.stele.sidecar.postgresql.type.PostgresType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/**
 * The planner of access paths to the rows of a condition, by primary key, index, LIMIT or small
 * table; it refuses other conditions. Confined to one thread.
 */
final class AccessPlanner {
    /**
     * The most rows of a small table, which is scanned in a few milliseconds, as long as a lookup
     * on a remote store.
     */
    static final int SMALL_TABLE_ROWS = 10_000;

    private final TableSchema table;
    private final Compiler compiler;
    private final LongSupplier rowCount;

    /**
     * @param rowCount returns the approximate number of rows of the table; called only where it
     *     matters
     */
    AccessPlanner(Compiler compiler, LongSupplier rowCount) {
        this.table = compiler.table();
        this.compiler = compiler;
        this.rowCount = rowCount;
    }

    /**
     * The access path to all rows of a condition, in any order.
     *
     * @throws NoFixedPlanException if only an optimizer would find one
     */
    Access.Filtered plan(Optional<Expression> where) {
        return plan(where, false, KeyOrder.NONE);
    }

    /**
     * The access path to the rows.
     *
     * @param isLimited whether only the first rows are wanted
     * @param order of the rows, which the path has, or by which they are sorted later
     * @throws NoFixedPlanException if only an optimizer would find one
     */
    Access.Filtered plan(Optional<Expression> where, boolean isLimited, KeyOrder order) {
        List<Expression> parts = where.map(Conjuncts::of).orElse(List.of());
        Optional<Access.Filtered> byKey = byKeyList(parts);
        if (byKey.isEmpty()) {
            byKey = byKey(parts);
        }
        if (byKey.isPresent()) {
            return byKey.get();
        }
        List<Bound> bounds = new ArrayList<>();
        parts.forEach(part -> addBounds(part, bounds));
        Optional<Computation> residual = where.map(compiler::condition);
        Optional<KeyDirection> direction = order.servedBy(table, bounds);
        if (isBounded(table.primaryKey(), bounds, false)) {
            return new Access.Filtered(
                    new Access.ByRange(bounds, ScanKind.KEY, direction), residual);
        }
        for (IndexSchema index : table.options().indexes()) {
            if (isBounded(index.columns(), bounds, true)) {
                return scan(bounds, ScanKind.INDEX, residual);
            }
        }
        if (parts.isEmpty() && isLimited && order.isAny()) {
            return scan(List.of(), ScanKind.FIRST_ROWS, Optional.empty());
        }
        if (parts.isEmpty() && isLimited && direction.isPresent()) {
            return new Access.Filtered(
                    new Access.ByRange(List.of(), ScanKind.KEY, direction), Optional.empty());
        }
        if (rowCount.getAsLong() <= SMALL_TABLE_ROWS) {
            return scan(bounds, ScanKind.SMALL_TABLE, residual);
        }
        throw new NoFixedPlanException(
                "a condition on %s of %s, or a table of at most %s rows"
                        .formatted(wanted(), table.qualifiedName(), SMALL_TABLE_ROWS),
                where.isEmpty() ? "none" : "another");
    }

    private static Access.Filtered scan(
            List<Bound> bounds, ScanKind kind, Optional<Computation> residual) {
        return new Access.Filtered(new Access.ByRange(bounds, kind, Optional.empty()), residual);
    }

    private String wanted() {
        List<String> keys = new ArrayList<>();
        if (table.hasPrimaryKey()) {
            keys.add("primary key (%s)".formatted(names(table.primaryKey())));
        }
        for (IndexSchema index : table.options().indexes()) {
            keys.add("index (%s)".formatted(names(index.columns())));
        }
        return keys.isEmpty()
                ? "a primary key or an index, which the table does not have,"
                : "the first columns of " + String.join(" or ", keys);
    }

    private String names(List<Integer> columnIds) {
        return table.columns(columnIds).stream()
                .map(ColumnSchema::name)
                .collect(Collectors.joining(", "));
    }

    /** Every column of the primary key is equal to something. */
    private Optional<Access.Filtered> byKey(List<Expression> parts) {
        if (!table.hasPrimaryKey()) {
            return Optional.empty();
        }
        Map<Integer, Candidates> byColumn = new HashMap<>();
        List<Expression> rest = new ArrayList<>();
        for (Expression part : parts) {
            Optional<Bound> equality = equality(part);
            boolean isUsed =
                    equality.isPresent()
                            && table.primaryKey()
                                    .contains(table.columns().get(equality.get().column()).id())
                            && byColumn.putIfAbsent(
                                            equality.get().column(), equality.get().candidates())
                                    == null;
            if (!isUsed) {
                rest.add(part);
            }
        }
        if (byColumn.size() < table.primaryKey().size()) {
            return Optional.empty();
        }
        List<Candidates> columns = new ArrayList<>();
        for (int columnId : table.primaryKey()) {
            columns.add(byColumn.get(table.indexOf(columnId)));
        }
        return Optional.of(new Access.Filtered(new Access.ByKey(columns), residual(rest)));
    }

    /** {@code (a, b) IN ((1, 2), (3, 4))} of the columns of the primary key. */
    private Optional<Access.Filtered> byKeyList(List<Expression> parts) {
        for (Expression part : parts) {
            if (part instanceof Expression.In in
                    && in.value() instanceof Expression.Tuple columns) {
                Optional<List<List<Computation>>> keys = keys(columns, in.list());
                if (keys.isPresent()) {
                    List<Expression> rest = new ArrayList<>(parts);
                    rest.remove(part);
                    return Optional.of(
                            new Access.Filtered(new Access.ByKeyList(keys.get()), residual(rest)));
                }
            }
        }
        return Optional.empty();
    }

    private Optional<List<List<Computation>>> keys(
            Expression.Tuple columns, List<Expression> tuples) {
        List<Integer> places = new ArrayList<>(); // of the key's columns in a tuple
        List<Integer> named = new ArrayList<>();
        for (Expression column : columns.values()) {
            Optional<Integer> index = compiler.column(column);
            if (index.isEmpty()) {
                return Optional.empty();
            }
            named.add(table.columns().get(index.get()).id());
        }
        for (int columnId : table.primaryKey()) {
            places.add(named.indexOf(columnId));
        }
        if (named.size() != table.primaryKey().size() || places.contains(-1)) {
            return Optional.empty();
        }
        List<List<Computation>> keys = new ArrayList<>();
        for (Expression tuple : tuples) {
            if (!(tuple instanceof Expression.Tuple values)
                    || values.values().size() != named.size()) {
                return Optional.empty();
            }
            List<Computation> key = new ArrayList<>();
            for (int i = 0; i < places.size(); i++) {
                Computation value =
                        compiler.compile(
                                values.values().get(places.get(i)),
                                typeOf(table.indexOf(table.primaryKey().get(i))));
                int keyColumn = table.indexOf(table.primaryKey().get(i));
                if (!value.isConstant() || !areComparable(keyColumn, List.of(value))) {
                    return Optional.empty();
                }
                key.add(value);
            }
            keys.add(key);
        }
        return Optional.of(keys);
    }

    private Optional<Computation> residual(List<Expression> parts) {
        return parts.isEmpty()
                ? Optional.empty()
                : Optional.of(compiler.condition(new Expression.And(parts)));
    }

    private boolean areComparable(int column, List<Computation> values) {
        DataType type = table.columns().get(column).type();
        return values.stream().allMatch(value -> ColumnValues.isComparableAs(type, value.type()));
    }

    private PostgresType typeOf(int column) {
        return PostgresType.of(table.columns().get(column).type());
    }

    /** A column that is equal to one of some values that need no row. */
    private Optional<Bound> equality(Expression part) {
        return switch (part) {
            case Expression.Comparison comparison when comparison.operator() == Operator.EQUAL ->
                    bound(comparison);
            case Expression.In in -> {
                Optional<Integer> column = compiler.column(in.value());
                if (column.isEmpty()) {
                    yield Optional.empty();
                }
                List<Computation> values = new ArrayList<>();
                for (Expression element : in.list()) {
                    values.add(compiler.compile(element, typeOf(column.get())));
                }
                yield Computation.areConstant(values) && areComparable(column.get(), values)
                        ? Optional.of(
                                new Bound(column.get(), Operator.EQUAL, new Access.OneOf(values)))
                        : Optional.empty();
            }
            case Expression.EqualsAny any -> {
                Optional<Integer> column = compiler.column(any.value());
                if (column.isEmpty()) {
                    yield Optional.empty();
                }
                Computation array = compiler.array(any.array(), typeOf(column.get()));
                if (!areComparable(column.get(), List.of(array))) {
                    yield Optional.empty();
                }
                yield Optional.of(
                        new Bound(column.get(), Operator.EQUAL, new Access.Elements(array)));
            }
            default -> Optional.empty();
        };
    }

    private Optional<Bound> bound(Expression.Comparison comparison) {
        Optional<Integer> left = compiler.column(comparison.left());
        Expression other = left.isPresent() ? comparison.right() : comparison.left();
        Optional<Integer> column = left.isPresent() ? left : compiler.column(comparison.right());
        if (column.isEmpty()) {
            return Optional.empty();
        }
        Computation value = compiler.compile(other, typeOf(column.get()));
        Operator operator =
                left.isPresent() ? comparison.operator() : comparison.operator().mirrored();
        return value.isConstant() && areComparable(column.get(), List.of(value))
                ? Optional.of(new Bound(column.get(), operator, new Access.OneOf(List.of(value))))
                : Optional.empty();
    }

    private void addBounds(Expression part, List<Bound> bounds) {
        Optional<Bound> found = equality(part);
        if (found.isEmpty()
                && part instanceof Expression.Comparison comparison
                && comparison.operator() != Operator.NOT_EQUAL) {
            found = bound(comparison);
        }
        found.filter(bound -> table.columns().get(bound.column()).type().isOrderable())
                .ifPresent(bounds::add);
    }

    /** Whether the first column of a key is bounded; by an equality if one is required. */
    private boolean isBounded(List<Integer> key, List<Bound> bounds, boolean requiresEquality) {
        if (key.isEmpty()) {
            return false;
        }
        int first = table.indexOf(key.getFirst());
        return bounds.stream()
                .anyMatch(
                        bound ->
                                bound.column() == first
                                        && (!requiresEquality
                                                || bound.operator() == Operator.EQUAL));
    }
}
