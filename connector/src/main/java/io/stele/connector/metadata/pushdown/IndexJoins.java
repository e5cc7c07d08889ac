package io.stele.connector.metadata.pushdown;

import io.stele.connector.config.SteleSessionProperties;
import io.stele.connector.handle.ReadEstimate;
import io.stele.connector.handle.SteleColumnHandle;
import io.stele.connector.handle.SteleIndexHandle;
import io.stele.connector.handle.SteleLookup;
import io.stele.connector.handle.SteleTableHandle;
import io.stele.connector.type.Lookups;
import io.stele.connector.type.ScanPredicates;
import io.stele.protocol.api.scan.LookupKeys;
import io.stele.protocol.schema.IndexSchema;
import io.stele.protocol.schema.TableSchema;
import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.connector.ConnectorResolvedIndex;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.TupleDomain;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.BiFunction;

/**
 * The decision, at planning, whether a join looks up its inner side by a primary key or unique
 * index. Trino accepts every offer without a cost check, so an offer is made only if the session
 * enables it. Stateless.
 */
public final class IndexJoins {
    private IndexJoins() {}

    /**
     * The index join by a primary key or unique index whose columns the join compares or the
     * constraint binds to one value; empty if there is no such key.
     *
     * @param joined the columns that the join compares
     * @param domain a further predicate of the rows
     * @param estimate the estimate of a lookup in a table, for EXPLAIN
     */
    public static Optional<ConnectorResolvedIndex> resolve(
            ConnectorSession session,
            SteleTableHandle handle,
            Set<ColumnHandle> joined,
            TupleDomain<ColumnHandle> domain,
            BiFunction<SteleTableHandle, SteleLookup, Optional<ReadEstimate>> estimate) {
        if (!SteleSessionProperties.isIndexJoinEnabled(session)
                || !handle.selection().isAll()
                || handle.lookup().isPresent()
                || handle.aggregation().isPresent()
                || !isExactByKey(handle)) {
            return Optional.empty();
        }
        TableSchema table = handle.table();
        TupleDomain<SteleColumnHandle> constraint =
                handle.constraint()
                        .intersect(
                                domain.transformKeys(SteleColumnHandle.class::cast)
                                        .filter(
                                                (column, values) ->
                                                        ScanPredicates.isPushable(
                                                                table, column, values)));
        if (constraint.isNone()) {
            return Optional.empty();
        }
        Set<Integer> columns = new HashSet<>();
        joined.forEach(column -> columns.add(((SteleColumnHandle) column).id()));
        SteleTableHandle inner =
                handle.withConstraint(
                        constraint, Optional.empty(), Optional.empty(), handle.enforced());
        return key(table, columns, fixedColumns(constraint))
                .map(
                        key ->
                                new SteleIndexHandle(
                                        inner,
                                        key.indexId,
                                        key.columns,
                                        estimate.apply(
                                                inner,
                                                new SteleLookup("join", LookupKeys.MAX_KEYS))))
                .map(
                        index ->
                                new ConnectorResolvedIndex(
                                        index,
                                        domain.filter(
                                                (column, _) ->
                                                        !Lookups.isEnforced(
                                                                table,
                                                                constraint,
                                                                (SteleColumnHandle) column))));
    }

    /**
     * Whether rows that are found by key satisfy the constraint exactly, if no operator checks them
     * again.
     */
    private static boolean isExactByKey(SteleTableHandle handle) {
        return !handle.enforced()
                || handle.constraint().isNone()
                || handle.constraint().getDomains().orElseThrow().entrySet().stream()
                        .allMatch(
                                entry ->
                                        ScanPredicates.isExactInSidecar(
                                                handle.table().column(entry.getKey().id()).type(),
                                                entry.getValue()));
    }

    private static Optional<Key> key(TableSchema table, Set<Integer> joined, Set<Integer> fixed) {
        List<Key> keys = new ArrayList<>();
        if (table.hasPrimaryKey()) {
            keys.add(new Key(OptionalInt.empty(), table.primaryKey()));
        }
        for (IndexSchema index : table.options().indexes()) {
            if (index.unique() && index.ready()) {
                keys.add(new Key(OptionalInt.of(index.id()), index.columns()));
            }
        }
        // Further columns of the join would have to be compared here: Trino does not check them
        // again
        return keys.stream()
                .filter(
                        key ->
                                key.columns.containsAll(joined)
                                        && key.columns.stream()
                                                .allMatch(
                                                        id ->
                                                                joined.contains(id)
                                                                        || fixed.contains(id)))
                .findFirst();
    }

    private static Set<Integer> fixedColumns(TupleDomain<SteleColumnHandle> constraint) {
        Set<Integer> fixed = new HashSet<>();
        for (Map.Entry<SteleColumnHandle, Domain> entry :
                constraint.getDomains().orElseThrow().entrySet()) {
            if (entry.getValue().isSingleValue()) {
                fixed.add(entry.getKey().id());
            }
        }
        return fixed;
    }

    private record Key(OptionalInt indexId, List<Integer> columns) {}
}
