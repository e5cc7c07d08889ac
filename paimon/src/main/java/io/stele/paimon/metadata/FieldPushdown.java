package io.stele.paimon.metadata;

import static com.google.common.collect.ImmutableMap.toImmutableMap;
import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static io.trino.plugin.base.projection.ApplyProjectionUtil.extractSupportedProjectedColumns;
import static io.trino.plugin.base.projection.ApplyProjectionUtil.replaceWithNewVariables;
import static java.util.Objects.requireNonNull;
import static java.util.function.Function.identity;

import io.stele.paimon.handle.PaimonColumnHandle;
import io.stele.paimon.handle.PaimonTableHandle;
import io.trino.plugin.base.projection.ApplyProjectionUtil;
import io.trino.plugin.base.projection.ApplyProjectionUtil.ProjectedColumnRepresentation;
import io.trino.spi.connector.Assignment;
import io.trino.spi.connector.ColumnHandle;
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
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.RowType;

/**
 * The pushdown of field accesses into a scan of a lake, at planning: fields of row columns that a
 * query names become columns of the scan. Stateless.
 */
final class FieldPushdown {
    /** The separator between the names of a column and its field in EXPLAIN. */
    private static final String SEPARATOR = "#";

    private FieldPushdown() {}

    /**
     * The same scan with a column for each field; empty if the query names none.
     *
     * @param rows the type of the table's rows in the schema of the scan
     */
    static Optional<ProjectionApplicationResult<ConnectorTableHandle>> apply(
            PaimonTableHandle table,
            RowType rows,
            List<ConnectorExpression> projections,
            Map<String, ColumnHandle> assignments) {
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
        boolean hasFields = columns.values().stream().anyMatch(column -> !column.isVariable());
        // Scans of a MERGE read an id for each row, and need whole columns
        boolean hasRowId =
                assignments.values().stream()
                        .anyMatch(
                                column -> !rows.containsField(((PaimonColumnHandle) column).id()));
        if (!hasFields || hasRowId) {
            return Optional.empty();
        }
        Map<String, Assignment> scanned = new LinkedHashMap<>();
        Map<ConnectorExpression, Variable> variables = new HashMap<>();
        columns.forEach(
                (expression, column) -> {
                    PaimonColumnHandle base =
                            (PaimonColumnHandle)
                                    requireNonNull(
                                            assignments.get(column.getVariable().getName()),
                                            "column is not assigned");
                    PaimonColumnHandle handle =
                            column.isVariable()
                                    ? base
                                    : field(
                                            rows,
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
    private static String freeName(Map<String, Assignment> taken, PaimonColumnHandle column) {
        String name = column.name();
        while (taken.containsKey(name) && !taken.get(name).getColumn().equals(column)) {
            name += SEPARATOR;
        }
        return name;
    }

    private static PaimonColumnHandle field(
            RowType rows, PaimonColumnHandle base, List<Integer> positions, Type type) {
        List<Integer> path = new ArrayList<>(base.path());
        StringBuilder name = new StringBuilder(base.name());
        RowType row = (RowType) rows.getField(base.id()).type();
        for (int id : base.path()) {
            row = (RowType) row.getField(id).type();
        }
        for (int i = 0; i < positions.size(); i++) {
            DataField field = row.getFields().get(positions.get(i));
            path.add(field.id());
            name.append(SEPARATOR).append(field.name());
            if (i + 1 < positions.size()) {
                row = (RowType) field.type();
            }
        }
        return new PaimonColumnHandle(base.id(), name.toString(), type, path);
    }
}
