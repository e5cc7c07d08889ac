package io.stele.connector.metadata.pushdown;

import static java.util.Objects.requireNonNull;

import io.stele.connector.config.SteleSessionProperties;
import io.stele.connector.handle.ScanOutputs;
import io.stele.connector.handle.SteleColumnHandle;
import io.stele.connector.handle.SteleTableHandle;
import io.stele.connector.type.ScalarExpressions;
import io.stele.connector.type.TrinoTypes;
import io.stele.protocol.aggregate.ScalarExpression;
import io.trino.spi.connector.Assignment;
import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorTableHandle;
import io.trino.spi.connector.ProjectionApplicationResult;
import io.trino.spi.expression.Call;
import io.trino.spi.expression.ConnectorExpression;
import io.trino.spi.expression.Variable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The pushdown of arithmetic into a scan, at planning, so that aggregations of its results can be
 * pushed into the sidecar. Stateless.
 */
public final class ExpressionPushdown {
    private ExpressionPushdown() {}

    /**
     * The same scan with a column for each expression that it can compute; empty if there is none.
     */
    public static Optional<ProjectionApplicationResult<ConnectorTableHandle>> apply(
            ConnectorSession session,
            TrinoTypes types,
            SteleTableHandle table,
            List<ConnectorExpression> projections,
            Map<String, ColumnHandle> assignments) {
        if (!SteleSessionProperties.isAggregationPushdownEnabled(session)
                || !isPlain(table)
                || projections.stream().noneMatch(Call.class::isInstance)) {
            return Optional.empty();
        }
        Optional<Map<ConnectorExpression, ScalarExpression>> arithmetic =
                arithmetic(types, table, projections, assignments);
        if (arithmetic.isEmpty()) {
            return Optional.empty();
        }
        Map<String, Assignment> scanned = new LinkedHashMap<>();
        List<ConnectorExpression> replaced = new ArrayList<>();
        List<ScalarExpression> computed = new ArrayList<>();
        for (ConnectorExpression projection : projections) {
            if (projection instanceof Call) {
                int id = table.outputs().nextId() - computed.size();
                String name = "stele_expression_" + (ScanOutputs.FIRST_EXPRESSION_ID - id);
                SteleColumnHandle column =
                        new SteleColumnHandle(id, text(projection), projection.getType());
                computed.add(
                        requireNonNull(
                                arithmetic.get().get(projection), "projection is not known"));
                scanned.put(name, new Assignment(name, column, projection.getType()));
                replaced.add(new Variable(name, projection.getType()));
            } else {
                Variable variable = (Variable) projection;
                scanned.put(
                        variable.getName(),
                        new Assignment(
                                variable.getName(),
                                assignments.get(variable.getName()),
                                variable.getType()));
                replaced.add(variable);
            }
        }
        return Optional.of(
                new ProjectionApplicationResult<>(
                        table.computing(computed), replaced, List.copyOf(scanned.values()), false));
    }

    /**
     * The expressions of the projections. Empty if one is neither arithmetic nor a column: then it
     * is unknown which columns an aggregation above would need.
     */
    private static Optional<Map<ConnectorExpression, ScalarExpression>> arithmetic(
            TrinoTypes types,
            SteleTableHandle table,
            List<ConnectorExpression> projections,
            Map<String, ColumnHandle> assignments) {
        Map<ConnectorExpression, ScalarExpression> found = new HashMap<>();
        for (ConnectorExpression projection : projections) {
            if (projection instanceof Variable) {
                continue;
            }
            Optional<ScalarExpression> made =
                    projection instanceof Call
                            ? ScalarExpressions.of(types, table, projection, assignments)
                            : Optional.empty();
            if (made.isEmpty()) {
                return Optional.empty();
            }
            found.put(projection, made.get());
        }
        return Optional.of(found);
    }

    private static boolean isPlain(SteleTableHandle table) {
        return table.selection().isAll()
                && table.lookup().isEmpty()
                && table.index().isEmpty()
                && table.aggregation().isEmpty()
                && !table.byShard()
                && table.version().isEmpty();
    }

    /** The text in EXPLAIN, cut to a readable length. */
    private static String text(ConnectorExpression expression) {
        String text = expression.toString();
        return text.length() <= 100 ? text : text.substring(0, 100) + "...";
    }
}
