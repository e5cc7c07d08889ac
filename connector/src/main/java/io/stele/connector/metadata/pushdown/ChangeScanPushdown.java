package io.stele.connector.metadata.pushdown;

import io.stele.connector.handle.SteleColumnHandle;
import io.stele.connector.handle.TableChangesHandle;
import io.stele.connector.type.ScanPredicates;
import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.connector.ConnectorTableHandle;
import io.trino.spi.connector.Constraint;
import io.trino.spi.connector.ConstraintApplicationResult;
import io.trino.spi.connector.TableFunctionApplicationResult;
import io.trino.spi.function.table.ConnectorTableFunctionHandle;
import io.trino.spi.predicate.TupleDomain;
import java.util.Optional;

/** The pushdown of a query's filters into a change scan, at planning. Stateless. */
public final class ChangeScanPushdown {
    private ChangeScanPushdown() {}

    /** Makes the function a scan, since conditions are pushed into scans only. */
    public static Optional<TableFunctionApplicationResult<ConnectorTableHandle>> toScan(
            ConnectorTableFunctionHandle function) {
        TableChangesHandle changes = (TableChangesHandle) function;
        return Optional.of(
                new TableFunctionApplicationResult<>(
                        changes,
                        changes.allColumns().stream().map(ColumnHandle.class::cast).toList()));
    }

    /** Advisory: Trino checks every change again. */
    public static Optional<ConstraintApplicationResult<ConnectorTableHandle>> applyFilter(
            TableChangesHandle changes, Constraint constraint) {
        TupleDomain<SteleColumnHandle> pushed =
                constraint
                        .getSummary()
                        .transformKeys(SteleColumnHandle.class::cast)
                        .filter(
                                (column, domain) ->
                                        column.equals(TableChangesHandle.VERSION)
                                                || column.equals(TableChangesHandle.TIMESTAMP)
                                                || ScanPredicates.isPushable(
                                                        changes.table().table(), column, domain));
        TupleDomain<SteleColumnHandle> combined = changes.constraint().intersect(pushed);
        return combined.equals(changes.constraint())
                ? Optional.empty()
                : Optional.of(
                        new ConstraintApplicationResult<>(
                                changes.withConstraint(combined),
                                constraint.getSummary(),
                                constraint.getExpression(),
                                false));
    }
}
