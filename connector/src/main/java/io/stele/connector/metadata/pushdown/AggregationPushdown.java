package io.stele.connector.metadata.pushdown;

import com.google.common.collect.ImmutableList;
import io.stele.connector.config.SteleSessionProperties;
import io.stele.connector.handle.AggregationChoice;
import io.stele.connector.handle.SteleAggregation;
import io.stele.connector.handle.SteleColumnHandle;
import io.stele.connector.handle.SteleTableHandle;
import io.stele.connector.handle.SteleTableVersion;
import io.stele.connector.metadata.catalog.PartitionConstraints;
import io.stele.connector.metadata.plan.AggregationChoices;
import io.stele.connector.type.ScalarExpressions;
import io.stele.connector.type.ScanPredicates;
import io.stele.connector.type.TrinoTypes;
import io.stele.protocol.aggregate.AggregateCall;
import io.stele.protocol.aggregate.Aggregation;
import io.stele.protocol.aggregate.ScalarExpression;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.TypeKind;
import io.trino.spi.connector.AggregateFunction;
import io.trino.spi.connector.AggregationApplicationResult;
import io.trino.spi.connector.Assignment;
import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorTableHandle;
import io.trino.spi.expression.ConnectorExpression;
import io.trino.spi.expression.Variable;
import io.trino.spi.predicate.Domain;
import io.trino.spi.statistics.ColumnStatistics;
import io.trino.spi.statistics.TableStatistics;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The pushdown of aggregations into the sidecar, at planning, if it returns exactly Trino's results
 * and is estimated to be cheap. No operator aggregates again above, so all conditions must be
 * applied below. Stateless.
 */
public final class AggregationPushdown {
    /** A margin of the group limit: estimates that were too low must not fail a query. */
    private static final int GROUPS_A_ESTIMATED_GROUP = 10;

    private AggregationPushdown() {}

    /**
     * @param assignments the columns that variables of the functions' arguments name
     * @param statistics of the table, requested after all checks that need no request
     * @param choices between sidecar and workers, requested last
     */
    public static Optional<AggregationApplicationResult<ConnectorTableHandle>> apply(
            ConnectorSession session,
            TrinoTypes types,
            SteleTableHandle table,
            List<AggregateFunction> functions,
            Map<String, ColumnHandle> assignments,
            List<List<ColumnHandle>> groupingSets,
            Supplier<TableStatistics> statistics,
            AggregationChoices choices) {
        if (!SteleSessionProperties.isAggregationPushdownEnabled(session)
                || groupingSets.size() != 1
                || !canAggregate(table)) {
            return Optional.empty();
        }
        List<SteleColumnHandle> groups =
                groupingSets.getFirst().stream().map(SteleColumnHandle.class::cast).toList();
        List<SteleColumnHandle> columns = new ArrayList<>(groups);
        List<AggregateCall> calls = new ArrayList<>();
        for (AggregateFunction function : functions) {
            Optional<AggregateCall> call = call(types, table, function, assignments);
            if (call.isEmpty()) {
                return Optional.empty();
            }
            columns.add(
                    new SteleColumnHandle(
                            SteleAggregation.FIRST_ID - calls.size(),
                            name(function, assignments),
                            function.getOutputType()));
            calls.add(call.get());
        }
        if (calls.size() > Aggregation.MAX_CALLS
                || groups.size() > Aggregation.MAX_GROUP_COLUMNS
                || !groups.stream().allMatch(column -> isGroupable(table, column))) {
            return Optional.empty();
        }
        TableStatistics known = statistics.get();
        if (!isSmall(session, table, groups, known)) {
            return Optional.empty();
        }
        int maxGroups =
                GROUPS_A_ESTIMATED_GROUP
                        * SteleSessionProperties.aggregationPushdownMaxGroups(session);
        Aggregation aggregation =
                new Aggregation(
                        groups.stream().map(SteleColumnHandle::id).toList(),
                        calls,
                        maxGroups,
                        SteleSessionProperties.isResultCacheEnabled(session));
        Optional<AggregationChoice> choice =
                choices.find(session, table, aggregation, known.getRowCount().getValue());
        if (choice.isPresent() && !choice.get().isSidecar()) {
            return Optional.empty();
        }
        return Optional.of(
                result(
                        table.aggregated(new SteleAggregation(aggregation, columns, choice)),
                        groups.size()));
    }

    private static AggregationApplicationResult<ConnectorTableHandle> result(
            SteleTableHandle handle, int groups) {
        ImmutableList.Builder<ConnectorExpression> projections = ImmutableList.builder();
        ImmutableList.Builder<Assignment> assignments = ImmutableList.builder();
        List<SteleColumnHandle> columns = handle.aggregation().orElseThrow().columns();
        for (SteleColumnHandle column : columns.subList(groups, columns.size())) {
            String variable = "stele_aggregate_" + (SteleAggregation.FIRST_ID - column.id());
            projections.add(new Variable(variable, column.type()));
            assignments.add(new Assignment(variable, column, column.type()));
        }
        // The sidecar returns few rows, and Trino estimates their number from the plan below
        return new AggregationApplicationResult<>(
                handle, projections.build(), assignments.build(), Map.of(), true);
    }

    /** Whether the handle alone describes the rows of a scan, so that the sidecar can find them. */
    private static boolean canAggregate(SteleTableHandle table) {
        boolean isPlain =
                table.selection().isAll()
                        && table.lookup().isEmpty()
                        && table.index().isEmpty()
                        && table.aggregation().isEmpty()
                        && !table.byShard()
                        && !table.constraint().isNone()
                        && table.version().map(SteleTableVersion::goneColumns).stream()
                                .allMatch(gone -> gone.isEmpty());
        return isPlain
                && table.constraint().getDomains().orElseThrow().entrySet().stream()
                        .allMatch(entry -> isApplied(table, entry.getKey(), entry.getValue()));
    }

    private static boolean isApplied(
            SteleTableHandle table, SteleColumnHandle column, Domain domain) {
        if (column.isField()) {
            return false;
        }
        DataType type = table.table().column(column.id()).type();
        return AggregateCall.isRead(type)
                && ScanPredicates.isEnforceable(type, domain)
                && (table.enforced()
                        || PartitionConstraints.isEnforced(
                                table.table(), table.constraint(), column));
    }

    private static Optional<AggregateCall> call(
            TrinoTypes types,
            SteleTableHandle table,
            AggregateFunction function,
            Map<String, ColumnHandle> assignments) {
        if (function.isDistinct()
                || function.getFilter().isPresent()
                || !function.getSortItems().isEmpty()
                || function.getArguments().size() > 1) {
            return Optional.empty();
        }
        Optional<io.stele.protocol.aggregate.AggregateFunction> known = known(function);
        Optional<ScalarExpression> argument =
                function.getArguments().stream()
                        .findFirst()
                        .flatMap(value -> ScalarExpressions.of(types, table, value, assignments));
        boolean isSupported =
                known.isPresent()
                        && argument.isPresent() == !function.getArguments().isEmpty()
                        && (argument.isPresent()
                                ? AggregateCall.isSupported(known.get(), argument.get().type())
                                : known.get()
                                        == io.stele.protocol.aggregate.AggregateFunction.COUNT);
        if (!isSupported) {
            return Optional.empty();
        }
        AggregateCall call = new AggregateCall(known.get(), argument);
        return types.toTrino(call.resultType()).equals(function.getOutputType())
                ? Optional.of(call)
                : Optional.empty();
    }

    private static Optional<io.stele.protocol.aggregate.AggregateFunction> known(
            AggregateFunction function) {
        return switch (function.getFunctionName()) {
            case "count" -> Optional.of(io.stele.protocol.aggregate.AggregateFunction.COUNT);
            case "sum" -> Optional.of(io.stele.protocol.aggregate.AggregateFunction.SUM);
            case "min" -> Optional.of(io.stele.protocol.aggregate.AggregateFunction.MIN);
            case "max" -> Optional.of(io.stele.protocol.aggregate.AggregateFunction.MAX);
            case "avg" -> Optional.of(io.stele.protocol.aggregate.AggregateFunction.AVG);
            default -> Optional.empty();
        };
    }

    private static String name(AggregateFunction function, Map<String, ColumnHandle> assignments) {
        String argument =
                function.getArguments().stream()
                        .findFirst()
                        .filter(Variable.class::isInstance)
                        .map(value -> assignments.get(((Variable) value).getName()))
                        .map(column -> ((SteleColumnHandle) column).name())
                        .orElse("*");
        return function.getFunctionName() + "(" + argument + ")";
    }

    private static boolean isGroupable(SteleTableHandle table, SteleColumnHandle column) {
        return column.id() > 0
                && !column.isField()
                && AggregateCall.isGroupable(table.table().column(column.id()).type());
    }

    /** Whether statistics estimate few groups, and few enough rows for one sidecar. */
    private static boolean isSmall(
            ConnectorSession session,
            SteleTableHandle table,
            List<SteleColumnHandle> groups,
            TableStatistics known) {
        double rows = known.getRowCount().getValue();
        if (rows > SteleSessionProperties.aggregationPushdownMaxRows(session)) {
            return false;
        }
        double estimate = 1;
        for (SteleColumnHandle column : groups) {
            estimate *= distinctValues(table, column, known);
        }
        // NaN without statistics
        return estimate <= SteleSessionProperties.aggregationPushdownMaxGroups(session);
    }

    private static double distinctValues(
            SteleTableHandle table, SteleColumnHandle column, TableStatistics known) {
        int nulls = 1;
        if (table.table().column(column.id()).type().kind() == TypeKind.BOOLEAN) {
            return 2 + nulls;
        }
        ColumnStatistics statistics =
                known.getColumnStatistics().getOrDefault(column, ColumnStatistics.empty());
        return statistics.getDistinctValuesCount().getValue() + nulls;
    }
}
