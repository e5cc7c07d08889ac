package io.stele.sidecar.flight.sql;

import io.stele.protocol.schema.ArrayType;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.TableSchema;
import io.stele.sidecar.postgresql.plan.FixedPlan;
import io.stele.sidecar.postgresql.plan.ParameterTypes;
import io.stele.sidecar.postgresql.sql.Expression;
import io.stele.sidecar.postgresql.sql.Statement;
import io.stele.sidecar.postgresql.type.PostgresType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A resolver of the exact types of parameters that a statement assigns to columns or compares with
 * them, for the client of a prepared statement. So the client receives decimal(12, 2) and not some
 * decimal. Confined to one thread.
 */
final class ParameterColumns {
    private final TableSchema table;
    private final Map<Integer, DataType> types = new HashMap<>();

    private ParameterColumns(TableSchema table) {
        this.table = table;
    }

    /** The type of each parameter of a plan, for its client. */
    static List<DataType> of(Statement statement, FixedPlan plan) {
        ParameterColumns columns = new ParameterColumns(plan.table());
        columns.visit(statement);
        List<DataType> types = new ArrayList<>();
        for (ParameterTypes.Type parameter : plan.parameters()) {
            DataType scalar =
                    Optional.ofNullable(columns.types.get(types.size() + 1))
                            .filter(type -> PostgresType.of(type) == parameter.type())
                            .orElseGet(() -> ArrowTypes.of(parameter.type()));
            types.add(parameter.array() ? new ArrayType(scalar) : scalar);
        }
        return types;
    }

    private void visit(Statement statement) {
        switch (statement) {
            case Statement.Select select -> select.where().ifPresent(this::visit);
            case Statement.Insert insert -> {
                for (List<Expression> row : insert.rows()) {
                    for (int i = 0; i < row.size(); i++) {
                        Optional<ColumnSchema> column =
                                insert.columns().isEmpty()
                                        ? at(i)
                                        : table.findColumn(insert.columns().get(i));
                        assign(column, row.get(i));
                    }
                }
                if (insert.onConflict() instanceof Statement.DoUpdate update) {
                    update.assignments().forEach(this::assign);
                    update.where().ifPresent(this::visit);
                }
            }
            case Statement.Update update -> {
                update.assignments().forEach(this::assign);
                update.where().ifPresent(this::visit);
            }
            case Statement.Delete delete -> delete.where().ifPresent(this::visit);
        }
    }

    private Optional<ColumnSchema> at(int index) {
        return index < table.columns().size()
                ? Optional.of(table.columns().get(index))
                : Optional.empty();
    }

    private void assign(Statement.Assignment assignment) {
        assign(table.findColumn(assignment.column()), assignment.value());
    }

    private void assign(Optional<ColumnSchema> column, Expression value) {
        if (value instanceof Expression.Parameter parameter) {
            column.ifPresent(found -> types.putIfAbsent(parameter.number(), found.type()));
        }
    }

    private void visit(Expression condition) {
        switch (condition) {
            case Expression.And and -> and.all().forEach(this::visit);
            case Expression.Or or -> or.any().forEach(this::visit);
            case Expression.Not not -> visit(not.value());
            case Expression.Comparison comparison -> {
                compare(comparison.left(), comparison.right());
                compare(comparison.right(), comparison.left());
            }
            case Expression.In in -> in.list().forEach(value -> compare(in.value(), value));
            case Expression.EqualsAny any -> compare(any.value(), any.array());
            default -> {}
        }
    }

    private void compare(Expression column, Expression value) {
        if (column instanceof Expression.Column named) {
            assign(table.findColumn(named.name()), value);
        } else if (column instanceof Expression.Tuple columns
                && value instanceof Expression.Tuple values
                && columns.values().size() == values.values().size()) {
            for (int i = 0; i < values.values().size(); i++) {
                compare(columns.values().get(i), values.values().get(i));
            }
        }
    }
}
