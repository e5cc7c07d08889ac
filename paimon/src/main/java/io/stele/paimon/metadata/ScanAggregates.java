package io.stele.paimon.metadata;

import static java.util.Objects.requireNonNull;

import io.stele.paimon.handle.PaimonColumnHandle;
import io.stele.paimon.handle.PaimonTableHandle;
import io.stele.paimon.plan.ExactAggregates.Call;
import io.stele.paimon.plan.ExactAggregates.Function;
import io.trino.spi.connector.AggregateFunction;
import io.trino.spi.connector.AggregationApplicationResult;
import io.trino.spi.connector.Assignment;
import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.connector.ConnectorTableHandle;
import io.trino.spi.expression.ConnectorExpression;
import io.trino.spi.expression.Variable;
import io.trino.spi.predicate.NullableValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The translation of Trino's aggregations to calls that metadata may answer, and back. Stateless.
 */
final class ScanAggregates {
    private ScanAggregates() {}

    /** The calls that metadata can answer; empty: it cannot answer one of them. */
    static Optional<List<Call>> calls(
            List<AggregateFunction> functions, Map<String, ColumnHandle> assignments) {
        List<Call> calls = new ArrayList<>();
        for (AggregateFunction function : functions) {
            Optional<Call> call = call(function, assignments);
            if (call.isEmpty()) {
                return Optional.empty();
            }
            calls.add(call.get());
        }
        return Optional.of(calls);
    }

    private static Optional<Call> call(
            AggregateFunction function, Map<String, ColumnHandle> assignments) {
        List<ConnectorExpression> arguments = function.getArguments();
        String name = function.getFunctionName();
        if (function.getFilter().isPresent() || !function.getSortItems().isEmpty()) {
            return Optional.empty();
        }
        if (name.equals("count") && arguments.isEmpty()) {
            return Optional.of(new Call(Function.COUNT, Optional.empty()));
        }
        if (arguments.size() != 1 || !(arguments.get(0) instanceof Variable variable)) {
            return Optional.empty();
        }
        PaimonColumnHandle column =
                (PaimonColumnHandle)
                        requireNonNull(
                                assignments.get(variable.getName()), "a variable has no column");
        if (column.id() < 0 || !column.isWhole()) {
            return Optional.empty();
        }
        return switch (name) {
            case "count" ->
                    function.isDistinct()
                            ? Optional.empty()
                            : Optional.of(new Call(Function.COUNT, Optional.of(column)));
            case "min" -> Optional.of(new Call(Function.MIN, Optional.of(column)));
            case "max" -> Optional.of(new Call(Function.MAX, Optional.of(column)));
            default -> Optional.empty();
        };
    }

    /** The scan of one row that has these values. */
    static AggregationApplicationResult<ConnectorTableHandle> result(
            PaimonTableHandle handle, List<NullableValue> values) {
        List<ConnectorExpression> projections = new ArrayList<>();
        List<Assignment> assignments = new ArrayList<>();
        for (int i = 0; i < values.size(); i++) {
            PaimonColumnHandle column = PaimonTableHandle.aggregate(i, values.get(i).getType());
            projections.add(new Variable(column.name(), column.type()));
            assignments.add(new Assignment(column.name(), column, column.type()));
        }
        return new AggregationApplicationResult<>(
                handle.withAggregates(values), projections, assignments, Map.of(), false);
    }
}
