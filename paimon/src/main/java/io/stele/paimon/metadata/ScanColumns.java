package io.stele.paimon.metadata;

import static io.trino.plugin.base.projection.ApplyProjectionUtil.createProjectedColumnRepresentation;
import static io.trino.plugin.base.projection.ApplyProjectionUtil.extractSupportedProjectedColumns;
import static io.trino.plugin.base.projection.ApplyProjectionUtil.replaceWithNewVariables;
import static java.util.Objects.requireNonNull;

import io.stele.paimon.handle.PaimonColumnHandle;
import io.stele.paimon.type.NestedFields;
import io.trino.plugin.base.projection.ApplyProjectionUtil.ProjectedColumnRepresentation;
import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.expression.ConnectorExpression;
import io.trino.spi.expression.Variable;
import io.trino.spi.type.Type;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.paimon.CoreOptions.MergeEngine;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.RowType;

/**
 * The columns and nested fields that expressions over a scan read. Immutable.
 *
 * @param projections the expressions, over variables of the assignments
 * @param assignments what a scan reads for each variable
 */
record ScanColumns(
        List<ConnectorExpression> projections, Map<String, PaimonColumnHandle> assignments) {
    ScanColumns {
        projections = List.copyOf(requireNonNull(projections, "projections is null"));
        requireNonNull(assignments, "assignments is null");
    }

    /**
     * @param present the columns of the variables in the expressions
     */
    static ScanColumns of(
            FileStoreTable table,
            List<ConnectorExpression> projections,
            Map<String, ColumnHandle> present) {
        Set<String> whole = new LinkedHashSet<>();
        Map<ConnectorExpression, ProjectedColumnRepresentation> nested = new LinkedHashMap<>();
        for (ConnectorExpression projection : projections) {
            for (ConnectorExpression part : extractSupportedProjectedColumns(projection)) {
                ProjectedColumnRepresentation column = createProjectedColumnRepresentation(part);
                if (column.isVariable()) {
                    whole.add(column.getVariable().getName());
                } else {
                    nested.put(part, column);
                }
            }
        }
        Map<String, PaimonColumnHandle> assignments = new LinkedHashMap<>();
        Map<ConnectorExpression, Variable> replaced = new HashMap<>();
        boolean isPossible = mayReadFields(table, present);
        nested.forEach(
                (part, column) -> {
                    String variable = column.getVariable().getName();
                    if (!isPossible || whole.contains(variable)) {
                        whole.add(variable);
                        return;
                    }
                    PaimonColumnHandle field =
                            field(table, column(present, variable), column.getDereferenceIndices());
                    String name = field.name() + "#" + field.id() + field.path();
                    assignments.put(name, field);
                    replaced.put(part, new Variable(name, field.type()));
                });
        whole.forEach(variable -> assignments.put(variable, column(present, variable)));
        return new ScanColumns(
                projections.stream()
                        .map(projection -> replaceWithNewVariables(projection, replaced))
                        .toList(),
                assignments);
    }

    /**
     * Whether a field can be read without its row. If rows of a key are merged by column, a field
     * that is null does not say whether its row is.
     */
    private static boolean mayReadFields(FileStoreTable table, Map<String, ColumnHandle> present) {
        boolean isMergedByRow =
                table.primaryKeys().isEmpty()
                        || table.coreOptions().mergeEngine() == MergeEngine.DEDUPLICATE
                        || table.coreOptions().mergeEngine() == MergeEngine.FIRST_ROW;
        boolean isOfTable =
                present.values().stream()
                        .allMatch(column -> ((PaimonColumnHandle) column).id() >= 0);
        return isMergedByRow && isOfTable;
    }

    private static PaimonColumnHandle field(
            FileStoreTable table, PaimonColumnHandle column, List<Integer> indexes) {
        DataField root =
                table.rowType().getFields().stream()
                        .filter(field -> field.id() == column.id())
                        .findFirst()
                        .orElseThrow();
        PaimonColumnHandle result = column;
        for (int index : indexes) {
            RowType row = (RowType) NestedFields.type(root.type(), result.path());
            Type type = result.type().getTypeParameters().get(index);
            result = result.field(row.getFields().get(index).id(), type);
        }
        return result;
    }

    private static PaimonColumnHandle column(Map<String, ColumnHandle> columns, String variable) {
        return (PaimonColumnHandle)
                requireNonNull(columns.get(variable), "a variable has no column");
    }
}
