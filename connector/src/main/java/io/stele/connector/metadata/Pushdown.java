package io.stele.connector.metadata;

import io.stele.connector.SteleSessionProperties;
import io.stele.connector.handle.SteleColumnHandle;
import io.stele.connector.handle.SteleLookup;
import io.stele.connector.handle.SteleTableHandle;
import io.stele.connector.type.Lookups;
import io.stele.connector.type.ScanPredicates;
import io.stele.protocol.predicate.IndexCondition;
import io.stele.protocol.schema.TableSchema;
import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorTableHandle;
import io.trino.spi.connector.Constraint;
import io.trino.spi.connector.ConstraintApplicationResult;
import io.trino.spi.connector.LimitApplicationResult;
import io.trino.spi.predicate.TupleDomain;
import java.util.Optional;

/**
 * What of a query the storage takes over: conditions on columns it can compare, limits that no
 * condition stands before.
 */
final class Pushdown {
    private Pushdown() {}

    /** Advisory but for partitions and lookups: Trino checks every row again. */
    static Optional<ConstraintApplicationResult<ConnectorTableHandle>> applyFilter(
            ConnectorSession session, SteleTableHandle table, Constraint constraint) {
        if (table.limit().isPresent()) {
            return Optional.empty();
        }
        TupleDomain<ColumnHandle> summary = constraint.getSummary();
        TupleDomain<SteleColumnHandle> pushed =
                summary.transformKeys(SteleColumnHandle.class::cast)
                        .filter(
                                (column, domain) ->
                                        ScanPredicates.isPushable(table.table(), column, domain));
        TupleDomain<SteleColumnHandle> combined = table.constraint().intersect(pushed);
        if (combined.equals(table.constraint())) {
            return Optional.empty();
        }
        // The one split of a lookup is of no shard
        Optional<SteleLookup> lookup =
                table.byShard() ? Optional.empty() : Lookups.of(session, table.table(), combined);
        SteleTableHandle narrowed =
                table.withConstraint(
                        combined,
                        lookup.isPresent()
                                ? Optional.empty()
                                : index(session, table.table(), combined),
                        lookup);
        return Optional.of(
                new ConstraintApplicationResult<>(
                        narrowed,
                        summary.filter(
                                (column, _) -> !isEnforced(narrowed, (SteleColumnHandle) column)),
                        constraint.getExpression(),
                        false));
    }

    /** Whether a scan of the table gives no row that a column's domain excludes. */
    private static boolean isEnforced(SteleTableHandle table, SteleColumnHandle column) {
        return PartitionConstraints.isEnforced(table.table(), table.constraint(), column)
                || (table.lookup().isPresent()
                        && Lookups.isEnforced(table.table(), table.constraint(), column));
    }

    static Optional<LimitApplicationResult<ConnectorTableHandle>> applyLimit(
            SteleTableHandle table, long limit) {
        // Rows outside an advisory constraint would be counted
        boolean known = table.limit().isPresent() && table.limit().getAsLong() <= limit;
        boolean isLookup = table.lookup().isPresent() && isWhollyEnforced(table);
        if (known || !(table.constraint().isAll() || isLookup)) {
            return Optional.empty();
        }
        // A lookup is one split, whose limit the sidecar keeps
        return Optional.of(new LimitApplicationResult<>(table.withLimit(limit), isLookup, false));
    }

    private static boolean isWhollyEnforced(SteleTableHandle table) {
        return !table.constraint().isNone()
                && table.constraint().getDomains().orElseThrow().keySet().stream()
                        .allMatch(column -> isEnforced(table, column));
    }

    /** The index that finds the rows of a constraint, if the session lets it. */
    private static Optional<String> index(
            ConnectorSession session,
            TableSchema table,
            TupleDomain<SteleColumnHandle> constraint) {
        if (constraint.isNone() || !SteleSessionProperties.isIndexLookupEnabled(session)) {
            return Optional.empty();
        }
        return IndexCondition.of(table, ScanPredicates.of(table, constraint))
                .map(condition -> condition.index().name());
    }
}
