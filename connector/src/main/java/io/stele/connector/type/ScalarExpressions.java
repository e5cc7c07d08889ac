package io.stele.connector.type;

import io.stele.connector.handle.SteleColumnHandle;
import io.stele.connector.handle.SteleTableHandle;
import io.stele.protocol.aggregate.AggregateCall;
import io.stele.protocol.aggregate.ScalarExpression;
import io.stele.protocol.aggregate.ScalarExpression.Kind;
import io.stele.protocol.schema.DataType;
import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.expression.Call;
import io.trino.spi.expression.ConnectorExpression;
import io.trino.spi.expression.Constant;
import io.trino.spi.expression.FunctionName;
import io.trino.spi.expression.StandardFunctions;
import io.trino.spi.expression.Variable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A translator of Trino's expressions into Stele's, for pushdown, if both yield the same values.
 * Stateless.
 */
public final class ScalarExpressions {
    private ScalarExpressions() {}

    /**
     * The expression, if every part of it can be computed exactly.
     *
     * @param assignments the columns that its variables name
     */
    public static Optional<ScalarExpression> of(
            TrinoTypes types,
            SteleTableHandle table,
            ConnectorExpression expression,
            Map<String, ColumnHandle> assignments) {
        Optional<ScalarExpression> found =
                switch (expression) {
                    case Variable variable -> column(table, variable, assignments);
                    case Constant constant -> constant(types, constant);
                    case Call call -> call(types, table, call, assignments);
                    default -> Optional.empty();
                };
        // A type of Stele's may be another one in SQL
        return found.filter(made -> types.toTrino(made.type()).equals(expression.getType()));
    }

    private static Optional<ScalarExpression> column(
            SteleTableHandle table, Variable variable, Map<String, ColumnHandle> assignments) {
        if (!(assignments.get(variable.getName()) instanceof SteleColumnHandle column)) {
            return Optional.empty();
        }
        Optional<ScalarExpression> made = table.outputs().expression(column.id());
        if (made.isPresent() || column.id() <= 0 || column.isField()) {
            return made;
        }
        DataType stored = table.table().column(column.id()).type();
        return AggregateCall.isRead(stored)
                ? Optional.of(ScalarExpression.column(column.id(), stored))
                : Optional.empty();
    }

    private static Optional<ScalarExpression> constant(TrinoTypes types, Constant constant) {
        if (constant.getValue() == null) {
            return Optional.empty();
        }
        return types.find(constant.getType())
                .filter(AggregateCall::isRead)
                .map(
                        type ->
                                ScalarExpression.constant(
                                        type,
                                        NativeValues.encode(
                                                type, constant.getType(), constant.getValue())));
    }

    private static Optional<ScalarExpression> call(
            TrinoTypes types,
            SteleTableHandle table,
            Call call,
            Map<String, ColumnHandle> assignments) {
        Optional<Kind> kind = kind(call.getFunctionName());
        Optional<DataType> type = types.find(call.getType());
        if (kind.isEmpty() || type.isEmpty()) {
            return Optional.empty();
        }
        List<ScalarExpression> arguments = new ArrayList<>();
        int parts = 1;
        for (ConnectorExpression argument : call.getArguments()) {
            Optional<ScalarExpression> made = of(types, table, argument, assignments);
            if (made.isEmpty()) {
                return Optional.empty();
            }
            arguments.add(made.get());
            parts += made.get().nodeCount();
        }
        boolean isComputed =
                parts <= ScalarExpression.MAX_NODES
                        && ScalarExpression.isComputed(
                                kind.get(),
                                type.get(),
                                arguments.stream().map(ScalarExpression::type).toList());
        return isComputed
                ? Optional.of(
                        ScalarExpression.of(
                                kind.get(), type.get(), arguments.toArray(ScalarExpression[]::new)))
                : Optional.empty();
    }

    private static Optional<Kind> kind(FunctionName function) {
        if (function.equals(StandardFunctions.ADD_FUNCTION_NAME)) {
            return Optional.of(Kind.ADD);
        }
        if (function.equals(StandardFunctions.SUBTRACT_FUNCTION_NAME)) {
            return Optional.of(Kind.SUBTRACT);
        }
        if (function.equals(StandardFunctions.MULTIPLY_FUNCTION_NAME)) {
            return Optional.of(Kind.MULTIPLY);
        }
        return function.equals(StandardFunctions.CAST_FUNCTION_NAME)
                ? Optional.of(Kind.WIDEN)
                : Optional.empty();
    }
}
