package io.stele.connector.metadata.catalog;

import io.stele.connector.handle.SteleColumnHandle;
import io.stele.connector.handle.SteleTableHandle;
import io.stele.connector.type.ScanPredicates;
import io.stele.protocol.schema.TableSchema;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.TupleDomain;

/**
 * The test for constraints that select whole partitions, at planning. For such constraints, neither
 * files nor rows outside them come to Trino, and all rows inside can be deleted unread. Stateless.
 */
public final class PartitionConstraints {
    private PartitionConstraints() {}

    /** Only column files are separated by partition. */
    public static boolean hasPartitionFiles(TableSchema table) {
        return !table.partitionedBy().isEmpty() && table.orientation().hasColumns();
    }

    /** Whether a scan returns no row that a column's domain excludes. */
    public static boolean isEnforced(
            TableSchema table,
            TupleDomain<SteleColumnHandle> constraint,
            SteleColumnHandle column) {
        if (constraint.isNone()) {
            return true;
        }
        Domain domain = constraint.getDomains().orElseThrow().get(column);
        return table.partitionedBy().contains(column.id())
                && domain != null
                && ScanPredicates.isExact(table.column(column.id()).type(), domain);
    }

    /** The part of a scan's constraint that selects whole partitions. */
    public static TupleDomain<SteleColumnHandle> enforced(SteleTableHandle handle) {
        TupleDomain<SteleColumnHandle> constraint = handle.constraint();
        return constraint.filter((column, _) -> isEnforced(handle.table(), constraint, column));
    }

    /** Whether a scan reads all rows of some partitions, or all rows of the table. */
    public static boolean coverWholePartitions(SteleTableHandle handle) {
        TableSchema table = handle.table();
        if (!handle.selection().isAll()) {
            return false;
        }
        TupleDomain<SteleColumnHandle> constraint = handle.constraint();
        return constraint.isNone()
                || constraint.getDomains().orElseThrow().keySet().stream()
                        .allMatch(column -> isEnforced(table, constraint, column));
    }
}
