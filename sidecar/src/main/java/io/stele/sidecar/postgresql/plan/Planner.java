package io.stele.sidecar.postgresql.plan;

import io.stele.engine.catalog.Catalog;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.TableSchema;
import io.stele.sidecar.postgresql.plan.FixedPlan.AggregateCall;
import io.stele.sidecar.postgresql.plan.FixedPlan.ColumnValue;
import io.stele.sidecar.postgresql.plan.FixedPlan.ConflictAction;
import io.stele.sidecar.postgresql.plan.FixedPlan.ResultColumn;
import io.stele.sidecar.postgresql.plan.FixedPlan.SortItem;
import io.stele.sidecar.postgresql.sql.Expression;
import io.stele.sidecar.postgresql.sql.NoFixedPlanException;
import io.stele.sidecar.postgresql.sql.SqlParser;
import io.stele.sidecar.postgresql.sql.Statement;
import io.stele.sidecar.postgresql.sql.Statement.Assignment;
import io.stele.sidecar.postgresql.sql.Statement.Output;
import io.stele.sidecar.postgresql.sql.Statement.TableName;
import io.stele.sidecar.postgresql.type.PostgresType;
import io.stele.sidecar.postgresql.wire.PostgresException;
import io.stele.sidecar.postgresql.wire.SqlState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The planner of statements on one table into {@link FixedPlan}s; it refuses statements that need
 * an optimizer. Confined to one thread.
 */
public final class Planner {
    private static final PostgresType COUNT = PostgresType.INT8;

    private final TableSchema table;
    private final ParameterTypes parameters;
    private final Compiler compiler;
    private final AccessPlanner access;

    private Planner(
            TableSchema table,
            TableName name,
            ParameterTypes parameters,
            ToLongFunction<TableSchema> rowCounts) {
        this.table = table;
        this.parameters = parameters;
        this.compiler = new Compiler(table, name, parameters);
        this.access = new AccessPlanner(compiler, () -> rowCounts.applyAsLong(table));
    }

    /**
     * Plans a statement.
     *
     * @param parameterOids types that the client has declared, 0: none
     * @param searchPath schemas in which a table without a schema is looked up
     * @param rowCounts returns the approximate number of rows of a table
     * @throws NoFixedPlanException if it needs an optimizer
     * @throws PostgresException if it is wrong
     */
    public static FixedPlan plan(
            Statement statement,
            Catalog catalog,
            List<Integer> parameterOids,
            List<String> searchPath,
            ToLongFunction<TableSchema> rowCounts) {
        TableSchema table = findTable(statement.table(), catalog, searchPath);
        Planner planner =
                new Planner(table, statement.table(), new ParameterTypes(parameterOids), rowCounts);
        return switch (statement) {
            case Statement.Select select -> planner.select(select);
            case Statement.Insert insert -> planner.insert(insert);
            case Statement.Update update -> planner.update(update);
            case Statement.Delete delete -> planner.delete(delete);
        };
    }

    /**
     * The table of a name.
     *
     * @throws NoFixedPlanException if it is a view
     * @throws PostgresException UNDEFINED_TABLE
     */
    public static TableSchema findTable(TableName name, Catalog catalog, List<String> searchPath) {
        List<String> schemas = name.schema().map(List::of).orElse(searchPath);
        for (String schema : schemas) {
            Optional<TableSchema> found = catalog.findTable(schema, name.name());
            if (found.isPresent()) {
                return found.get();
            }
            if (catalog.findView(schema, name.name()).isPresent()) {
                throw new NoFixedPlanException("a table", "the view " + schema + "." + name.name());
            }
        }
        throw new PostgresException(
                SqlState.UNDEFINED_TABLE,
                "Expected a table, found none of the name %s in %s"
                        .formatted(name.name(), String.join(", ", schemas)));
    }

    private FixedPlan select(Statement.Select select) {
        List<AggregateCall> aggregates = new ArrayList<>();
        List<ResultColumn> results = new ArrayList<>();
        for (Output output : select.outputs()) {
            if (output instanceof Statement.Named named
                    && named.value() instanceof Expression.Aggregate aggregate) {
                addAggregate(aggregate, named.name(), aggregates, results);
            } else {
                addResult(output, results);
            }
        }
        if (!aggregates.isEmpty()
                && (aggregates.size() != results.size() || !select.orderBy().isEmpty())) {
            throw new NoFixedPlanException(
                    "only count, min and max, or none of them", "other values beside them");
        }
        Optional<KeyOrder.Item> extreme =
                aggregates.isEmpty() ? Optional.empty() : extremeOfOneColumn(select.outputs());
        boolean isLimited =
                extreme.isPresent() || (select.limit().isPresent() && aggregates.isEmpty());
        Access.Filtered rows =
                access.plan(
                        select.where(),
                        isLimited,
                        extreme.map(item -> new KeyOrder(List.of(item), false))
                                .orElseGet(() -> order(select, results)));
        List<SortItem> order = new ArrayList<>();
        for (Statement.OrderItem item : select.orderBy()) {
            order.add(new SortItem(sorted(item.value(), results), item.descending()));
        }
        boolean isInOrder =
                rows.access() instanceof Access.ByRange range && range.direction().isPresent();
        return new FixedPlan.SelectPlan(
                table,
                rows,
                results,
                aggregates,
                extreme.isPresent() && isInOrder,
                isInOrder ? List.of() : order,
                select.limit().map(this::count),
                select.offset().map(this::count),
                parameters.all(),
                RequiredPrivileges.of(select));
    }

    private KeyOrder order(Statement.Select select, List<ResultColumn> results) {
        List<KeyOrder.Item> items = new ArrayList<>();
        for (Statement.OrderItem item : select.orderBy()) {
            Optional<Integer> column = sortedColumn(item.value(), results);
            if (column.isEmpty()) {
                return KeyOrder.OTHER;
            }
            items.add(new KeyOrder.Item(column.get(), item.descending()));
        }
        return new KeyOrder(items, false);
    }

    /**
     * The order whose first row has what the outputs ask for: all are {@code min} of one column, or
     * all are its {@code max}.
     */
    private Optional<KeyOrder.Item> extremeOfOneColumn(List<Output> outputs) {
        List<Optional<KeyOrder.Item>> extremes =
                outputs.stream().map(this::extremeOf).distinct().toList();
        return extremes.size() == 1 ? extremes.getFirst() : Optional.empty();
    }

    private Optional<KeyOrder.Item> extremeOf(Output output) {
        if (!(output instanceof Statement.Named named)
                || !(named.value() instanceof Expression.Aggregate aggregate)) {
            return Optional.empty();
        }
        Optional<Integer> column = aggregate.argument().flatMap(compiler::column);
        return switch (aggregate.function()) {
            case "min" -> column.map(found -> new KeyOrder.Item(found, false));
            case "max" -> column.map(found -> new KeyOrder.Item(found, true));
            default -> Optional.empty();
        };
    }

    private Computation count(Expression expression) {
        Computation count = compiler.compile(expression, COUNT);
        if (!count.isConstant() || !count.type().isNumber()) {
            throw new NoFixedPlanException("LIMIT and OFFSET of numbers", "others");
        }
        return count;
    }

    /**
     * The value of a sort item: the place or the name of a value of the list, or any expression.
     */
    private Computation sorted(Expression expression, List<ResultColumn> results) {
        return listed(expression, results)
                .map(ResultColumn::value)
                .orElseGet(() -> compiler.compile(expression));
    }

    /** The column that a sort item is, by its position in the table. */
    private Optional<Integer> sortedColumn(Expression expression, List<ResultColumn> results) {
        Optional<ResultColumn> listed = listed(expression, results);
        return listed.isPresent() ? listed.get().column() : compiler.column(expression);
    }

    private static Optional<ResultColumn> listed(
            Expression expression, List<ResultColumn> results) {
        if (expression instanceof Expression.Literal literal
                && literal.value() instanceof Integer place) {
            if (place < 1 || place > results.size()) {
                throw new PostgresException(
                        SqlState.INVALID_COLUMN_REFERENCE,
                        "Expected ORDER BY a place from 1 to %s, found %s"
                                .formatted(results.size(), place));
            }
            return Optional.of(results.get(place - 1));
        }
        return expression instanceof Expression.Column column && column.qualifier().isEmpty()
                ? results.stream().filter(result -> result.name().equals(column.name())).findFirst()
                : Optional.empty();
    }

    private void addAggregate(
            Expression.Aggregate aggregate,
            Optional<String> name,
            List<AggregateCall> aggregates,
            List<ResultColumn> results) {
        Optional<Computation> argument = aggregate.argument().map(compiler::compile);
        aggregates.add(new AggregateCall(aggregate.function(), argument));
        PostgresType type =
                aggregate.function().equals("count")
                        ? COUNT
                        : argument.map(Computation::type).orElse(COUNT);
        results.add(
                new ResultColumn(
                        name.orElse(aggregate.function()),
                        type,
                        -1,
                        Optional.empty(),
                        Computation.constant(type, null)));
    }

    private List<ResultColumn> results(List<Output> outputs) {
        List<ResultColumn> results = new ArrayList<>();
        outputs.forEach(output -> addResult(output, results));
        return results;
    }

    private void addResult(Output output, List<ResultColumn> results) {
        if (!(output instanceof Statement.Named named)) {
            for (int index = 0; index < table.columns().size(); index++) {
                results.add(result(index, Optional.empty()));
            }
            return;
        }
        Optional<Integer> column = compiler.column(named.value());
        if (column.isPresent()) {
            results.add(result(column.get(), named.name()));
            return;
        }
        Computation value = compiler.compile(named.value());
        results.add(
                new ResultColumn(
                        named.name().orElse(implicitName(named.value())),
                        value.type() == PostgresType.UNKNOWN ? PostgresType.TEXT : value.type(),
                        -1,
                        Optional.empty(),
                        value));
    }

    private static String implicitName(Expression value) {
        return switch (value) {
            case Expression.Call call -> call.function();
            case Expression.Cast cast -> implicitName(cast.value());
            case Expression.Column column -> column.name();
            default -> "?column?";
        };
    }

    private ResultColumn result(int index, Optional<String> name) {
        ColumnSchema column = table.columns().get(index);
        return new ResultColumn(
                name.orElse(column.name()),
                PostgresType.of(column.type()),
                PostgresType.modifier(column.type()),
                Optional.of(index),
                compiler.compile(new Expression.Column(Optional.empty(), column.name())));
    }

    private FixedPlan insert(Statement.Insert insert) {
        List<Integer> given = new ArrayList<>();
        if (insert.columns().isEmpty()) {
            int most = insert.rows().stream().mapToInt(List::size).max().orElse(0);
            for (int index = 0; index < Math.min(most, table.columns().size()); index++) {
                given.add(index);
            }
        } else {
            insert.columns().forEach(column -> given.add(compiler.indexOf(column)));
        }
        if (new HashSet<>(given).size() < given.size()) {
            throw new PostgresException(
                    SqlState.DUPLICATE_COLUMN, "Expected each column once, found one twice");
        }
        List<List<Computation>> rows = new ArrayList<>();
        for (List<Expression> values : insert.rows()) {
            rows.add(row(given, values));
        }
        ConflictAction action = conflictAction(insert.onConflict(), given);
        List<ColumnValue> assignments = List.of();
        Optional<Computation> condition = Optional.empty();
        if (insert.onConflict() instanceof Statement.DoUpdate update) {
            assignments = assignments(besidesKey(update));
            condition = update.where().map(compiler::condition);
        }
        return new FixedPlan.InsertPlan(
                table,
                rows,
                new TreeSet<>(given).stream().toList(),
                action,
                assignments,
                condition,
                results(insert.returning()),
                parameters.all(),
                RequiredPrivileges.of(insert));
    }

    private List<Computation> row(List<Integer> given, List<Expression> values) {
        if (values.size() != given.size()) {
            throw new PostgresException(
                    SqlState.SYNTAX_ERROR,
                    "Expected %s values, one a column, found %s"
                            .formatted(given.size(), values.size()));
        }
        Computation[] row = new Computation[table.columns().size()];
        for (int i = 0; i < given.size(); i++) {
            row[given.get(i)] = assigned(given.get(i), values.get(i));
        }
        for (int index = 0; index < row.length; index++) {
            if (row[index] == null) {
                row[index] = defaultOf(index);
            }
        }
        return List.of(row);
    }

    private Computation assigned(int column, Expression value) {
        return value instanceof Expression.Default
                ? defaultOf(column)
                : compiler.compile(value, PostgresType.of(table.columns().get(column).type()));
    }

    private final Map<Integer, Computation> defaults = new HashMap<>();

    /** The default value, a literal in Trino's syntax; NULL where there is none. */
    private Computation defaultOf(int index) {
        @Nullable Computation known = defaults.get(index);
        if (known == null) {
            ColumnSchema column = table.columns().get(index);
            PostgresType type = PostgresType.of(column.type());
            known =
                    column.defaultValue()
                            .map(text -> compiler.compile(SqlParser.parseExpression(text), type))
                            .orElse(Computation.constant(type, null));
            defaults.put(index, known);
        }
        return known;
    }

    private List<ColumnValue> assignments(List<Assignment> assignments) {
        List<ColumnValue> values = new ArrayList<>();
        Set<Integer> seen = new HashSet<>();
        for (Assignment assignment : assignments) {
            int index = compiler.indexOf(assignment.column());
            if (!seen.add(index)) {
                throw new PostgresException(
                        SqlState.DUPLICATE_COLUMN,
                        "Expected each column once in SET, found '%s' twice"
                                .formatted(assignment.column()));
            }
            if (isKey(assignment)) {
                throw new NoFixedPlanException(
                        "SET of columns outside the primary key",
                        "'%s'".formatted(assignment.column()));
            }
            values.add(new ColumnValue(index, assigned(index, assignment.value())));
        }
        return values;
    }

    private ConflictAction conflictAction(Statement.OnConflict conflict, List<Integer> given) {
        return switch (conflict) {
            case Statement.Fail ignored -> ConflictAction.FAIL;
            case Statement.DoNothing nothing -> {
                if (!nothing.columns().isEmpty()) {
                    checkTarget(nothing.columns());
                }
                requireKey();
                yield ConflictAction.SKIP;
            }
            case Statement.DoUpdate update -> {
                requireKey();
                checkTarget(update.columns());
                yield isMerge(update, given)
                        ? given.size() == table.columns().size()
                                ? ConflictAction.REPLACE
                                : hasDefaultBesides(given)
                                        ? ConflictAction.UPDATE
                                        : ConflictAction.MERGE
                        : ConflictAction.UPDATE;
            }
        };
    }

    private boolean hasDefaultBesides(List<Integer> given) {
        for (int index = 0; index < table.columns().size(); index++) {
            if (!given.contains(index) && table.columns().get(index).defaultValue().isPresent()) {
                return true;
            }
        }
        return false;
    }

    private void requireKey() {
        if (!table.hasPrimaryKey()) {
            throw new PostgresException(
                    SqlState.INVALID_COLUMN_REFERENCE,
                    "Expected ON CONFLICT for a table with a primary key, found %s without one"
                            .formatted(table.qualifiedName()));
        }
    }

    private void checkTarget(List<String> columns) {
        Set<Integer> target = new HashSet<>();
        columns.forEach(column -> target.add(table.columns().get(compiler.indexOf(column)).id()));
        if (!target.equals(new HashSet<>(table.primaryKey()))) {
            throw new PostgresException(
                    SqlState.INVALID_COLUMN_REFERENCE,
                    "Expected ON CONFLICT of the columns of the primary key of %s, found (%s)"
                            .formatted(table.qualifiedName(), String.join(", ", columns)));
        }
    }

    /** Whether SET assigns to every inserted column, except the key, its inserted value. */
    private boolean isMerge(Statement.DoUpdate update, List<Integer> given) {
        Set<Integer> set = new HashSet<>();
        for (Assignment assignment : besidesKey(update)) {
            if (!isItsExcluded(assignment)) {
                return false;
            }
            set.add(compiler.indexOf(assignment.column()));
        }
        Set<Integer> expected = new HashSet<>(given);
        table.primaryKey().forEach(columnId -> expected.remove(table.indexOf(columnId)));
        return update.where().isEmpty() && set.equals(expected);
    }

    /** Without assignments of the inserted key, which the row has already: ORMs write them. */
    private List<Assignment> besidesKey(Statement.DoUpdate update) {
        return update.assignments().stream()
                .filter(assignment -> !isKey(assignment) || !isItsExcluded(assignment))
                .toList();
    }

    private boolean isKey(Assignment assignment) {
        int index = compiler.indexOf(assignment.column());
        return table.primaryKey().contains(table.columns().get(index).id());
    }

    /** Whether it is {@code column = EXCLUDED.column}. */
    private boolean isItsExcluded(Assignment assignment) {
        return assignment.value() instanceof Expression.Excluded excluded
                && compiler.indexOf(excluded.name()) == compiler.indexOf(assignment.column());
    }

    private FixedPlan update(Statement.Update update) {
        List<ColumnValue> assignments = assignments(update.assignments());
        return new FixedPlan.UpdatePlan(
                table,
                changed(update.where(), "UPDATE"),
                assignments,
                results(update.returning()),
                parameters.all(),
                RequiredPrivileges.of(update));
    }

    private FixedPlan delete(Statement.Delete delete) {
        return new FixedPlan.DeletePlan(
                table,
                changed(delete.where(), "DELETE"),
                results(delete.returning()),
                parameters.all(),
                RequiredPrivileges.of(delete));
    }

    private Access.Filtered changed(Optional<Expression> where, String statement) {
        if (!table.hasPrimaryKey()) {
            throw new NoFixedPlanException(
                    statement + " of a table with a primary key",
                    table.qualifiedName() + " without one");
        }
        return access.plan(where);
    }
}
