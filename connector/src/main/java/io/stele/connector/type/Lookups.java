package io.stele.connector.type;

import static com.google.common.collect.ImmutableSet.toImmutableSet;

import io.stele.connector.config.SteleSessionProperties;
import io.stele.connector.handle.SteleColumnHandle;
import io.stele.connector.handle.SteleLookup;
import io.stele.protocol.predicate.IndexCondition;
import io.stele.protocol.predicate.PredicateKeys;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.schema.TableSchema;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.TupleDomain;
import java.util.Optional;
import java.util.Set;

/**
 * The decision, at planning, whether one key lookup by primary key or unique index finds all rows
 * of a constraint. Stateless.
 */
public final class Lookups {
    private Lookups() {}

    /**
     * The lookup of a constraint that gives all columns of the primary key, or else of a unique
     * index, single values, and not more combinations than the session allows.
     */
    public static Optional<SteleLookup> of(
            ConnectorSession session,
            TableSchema table,
            TupleDomain<SteleColumnHandle> constraint) {
        int maxKeys = SteleSessionProperties.lookupMaxKeys(session);
        if (maxKeys == 0
                || constraint.isNone()
                || constraint.isAll()
                || !bindsKey(table, constraint)) {
            return Optional.empty();
        }
        ScanPredicate predicate = ScanPredicates.of(table, constraint);
        return PredicateKeys.ofPrimaryKey(table, predicate)
                .map(keys -> new SteleLookup(SteleLookup.PRIMARY_KEY, keys.size()))
                .or(() -> byUniqueIndex(session, table, predicate))
                .filter(lookup -> lookup.keyCount() <= maxKeys);
    }

    /**
     * Whether a constraint can bind all columns of a key: a cheap check that excludes most scans.
     */
    static boolean bindsKey(TableSchema table, TupleDomain<SteleColumnHandle> constraint) {
        Set<Integer> columns =
                constraint.getDomains().orElseThrow().keySet().stream()
                        .filter(column -> !column.isField())
                        .map(SteleColumnHandle::id)
                        .collect(toImmutableSet());
        return (table.hasPrimaryKey() && columns.containsAll(table.primaryKey()))
                || table.options().indexes().stream()
                        .anyMatch(index -> index.unique() && columns.containsAll(index.columns()));
    }

    /**
     * Whether a lookup returns no row that a column's domain excludes: the sidecar compares its
     * rows with the whole predicate.
     */
    public static boolean isEnforced(
            TableSchema table,
            TupleDomain<SteleColumnHandle> constraint,
            SteleColumnHandle column) {
        Domain domain = constraint.getDomains().orElseThrow().get(column);
        return domain != null
                && column.id() > 0
                && ScanPredicates.isExactInSidecar(table.column(column.id()).type(), domain);
    }

    /**
     * Whether a scan returns the same rows as the lookup of a constraint, although it compares the
     * values of each column separately.
     */
    public static boolean canScan(TableSchema table, TupleDomain<SteleColumnHandle> constraint) {
        return constraint.getDomains().orElseThrow().entrySet().stream()
                .allMatch(
                        entry ->
                                !isEnforced(table, constraint, entry.getKey())
                                        || ScanPredicates.isEnforceable(
                                                table, entry.getKey(), entry.getValue()));
    }

    private static Optional<SteleLookup> byUniqueIndex(
            ConnectorSession session, TableSchema table, ScanPredicate predicate) {
        return SteleSessionProperties.isIndexLookupEnabled(session)
                ? IndexCondition.ofUnique(table, predicate)
                        .map(found -> new SteleLookup(found.index().name(), found.keys().size()))
                : Optional.empty();
    }
}
