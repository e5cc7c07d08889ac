package io.stele.connector.metadata.pushdown;

import static com.google.common.collect.ImmutableMap.toImmutableMap;
import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static io.trino.plugin.base.projection.ApplyProjectionUtil.extractSupportedProjectedColumns;
import static io.trino.plugin.base.projection.ApplyProjectionUtil.replaceWithNewVariables;
import static java.util.Objects.requireNonNull;
import static java.util.function.Function.identity;

import io.stele.connector.config.SteleSessionProperties;
import io.stele.connector.handle.SteleColumnHandle;
import io.stele.connector.handle.SteleTableHandle;
import io.stele.protocol.schema.IdentifiedType;
import io.stele.protocol.schema.TableSchema;
import io.trino.plugin.base.projection.ApplyProjectionUtil;
import io.trino.plugin.base.projection.ApplyProjectionUtil.ProjectedColumnRepresentation;
import io.trino.spi.connector.Assignment;
import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorTableHandle;
import io.trino.spi.connector.ProjectionApplicationResult;
import io.trino.spi.expression.ConnectorExpression;
import io.trino.spi.expression.Variable;
import io.trino.spi.type.Type;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The pushdown of field accesses into a scan, at planning: fields of row columns that a query names
 * become columns of the scan. Stateless.
 */
public final class DereferencePushdown {
    /** The separator between the names of a column and its field in EXPLAIN. */
    private static final String SEPARATOR = "#";

    private DereferencePushdown() {}

    /** The same scan with a column for each field; empty if no field is named. */
    public static Optional<ProjectionApplicationResult<ConnectorTableHandle>> apply(
            ConnectorSession session,
            SteleTableHandle table,
            List<ConnectorExpression> projections,
            Map<String, ColumnHandle> assignments) {
        if (!SteleSessionProperties.isProjectionPushdownEnabled(session)
                || table.aggregation().isPresent()) {
            return Optional.empty();
        }
        Set<ConnectorExpression> wanted =
                projections.stream()
                        .flatMap(
                                projection -> extractSupportedProjectedColumns(projection).stream())
                        .collect(toImmutableSet());
        Map<ConnectorExpression, ProjectedColumnRepresentation> columns =
                wanted.stream()
                        .collect(
                                toImmutableMap(
                                        identity(),
                                        ApplyProjectionUtil::createProjectedColumnRepresentation));
        if (columns.values().stream().allMatch(ProjectedColumnRepresentation::isVariable)) {
            return Optional.empty();
        }
        Map<String, Assignment> scanned = new LinkedHashMap<>();
        Map<ConnectorExpression, Variable> variables = new HashMap<>();
        columns.forEach(
                (expression, column) -> {
                    SteleColumnHandle base =
                            (SteleColumnHandle)
                                    requireNonNull(
                                            assignments.get(column.getVariable().getName()),
                                            "column is not assigned");
                    SteleColumnHandle handle =
                            column.isVariable()
                                    ? base
                                    : field(
                                            table.table(),
                                            base,
                                            column.getDereferenceIndices(),
                                            expression.getType());
                    String name = freeName(scanned, handle);
                    scanned.put(name, new Assignment(name, handle, expression.getType()));
                    variables.put(expression, new Variable(name, expression.getType()));
                });
        List<ConnectorExpression> replaced =
                projections.stream()
                        .map(projection -> replaceWithNewVariables(projection, variables))
                        .toList();
        return Optional.of(
                new ProjectionApplicationResult<>(
                        table, replaced, new ArrayList<>(scanned.values()), false));
    }

    /** A column may have the name that a field of another one gets. */
    private static String freeName(Map<String, Assignment> taken, SteleColumnHandle column) {
        String name = column.name();
        while (taken.containsKey(name) && !taken.get(name).getColumn().equals(column)) {
            name += SEPARATOR;
        }
        return name;
    }

    private static SteleColumnHandle field(
            TableSchema table, SteleColumnHandle base, List<Integer> positions, Type type) {
        List<Integer> path = new ArrayList<>(base.path());
        StringBuilder name = new StringBuilder(base.name());
        IdentifiedType row =
                IdentifiedType.of(table.column(base.id())).at(base.path()).orElseThrow();
        for (int position : positions) {
            IdentifiedType.Child field = row.children().get(position);
            path.add(field.id());
            name.append(SEPARATOR).append(field.name().orElse("field" + position));
            row = field.type();
        }
        return new SteleColumnHandle(base.id(), name.toString(), type, path);
    }
}
