package io.stele.connector.metadata;

import static java.util.Objects.requireNonNull;

import io.stele.connector.SteleSessionProperties;
import io.stele.connector.handle.ScanOutputs;
import io.stele.connector.handle.SteleColumnHandle;
import io.stele.connector.handle.SteleLookup;
import io.stele.connector.handle.SteleSample;
import io.stele.connector.handle.SteleTableHandle;
import io.stele.connector.handle.SteleTopN;
import io.stele.connector.read.TopNBound;
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
import io.trino.spi.connector.SampleApplicationResult;
import io.trino.spi.connector.SampleType;
import io.trino.spi.connector.SortItem;
import io.trino.spi.connector.TopNApplicationResult;
import io.trino.spi.expression.Constant;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.TupleDomain;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The pushdown of a query's filters, limits, top-N and samples into a table scan, at planning.
 * Filters are pushed down on columns that the storage can compare. Limits and top-N are pushed down
 * only if no other condition must be evaluated before them. Stateless.
 */
final class Pushdown {
    private Pushdown() {}

    /** Advisory but for partitions and lookups: Trino checks every row again. */
    static Optional<ConstraintApplicationResult<ConnectorTableHandle>> applyFilter(
            ConnectorSession session, SteleTableHandle table, Constraint constraint) {
        // Of the first rows, or of any few, others would be left
        if (table.selection().limit().isPresent()
                || table.selection().topN().isPresent()
                || table.aggregation().isPresent()) {
            return Optional.empty();
        }
        TupleDomain<ColumnHandle> summary = constraint.getSummary();
        TupleDomain<SteleColumnHandle> pushed =
                summary.transformKeys(SteleColumnHandle.class::cast)
                        .filter(
                                (column, domain) ->
                                        ScanPredicates.isPushable(table.table(), column, domain));
        TupleDomain<SteleColumnHandle> combined = table.constraint().intersect(pushed);
        // The one split of a lookup is of no shard, and has rows whether they are sampled or not
        Optional<SteleLookup> lookup =
                table.byShard() || table.selection().sample().isPresent()
                        ? Optional.empty()
                        : Lookups.of(session, table.table(), combined);
        boolean enforces =
                table.enforced()
                        || (lookup.isEmpty()
                                && !choosesPartitions(table.table(), combined)
                                && enforces(session, table.table(), constraint));
        if (combined.equals(table.constraint()) && enforces == table.enforced()) {
            return Optional.empty();
        }
        SteleTableHandle narrowed =
                table.withConstraint(
                        combined,
                        lookup.isPresent()
                                ? Optional.empty()
                                : index(session, table.table(), combined),
                        lookup,
                        enforces);
        return Optional.of(
                new ConstraintApplicationResult<>(
                        narrowed,
                        summary.filter((column, _) -> isLeft(narrowed, (SteleColumnHandle) column)),
                        constraint.getExpression(),
                        // For a table that the engine filters itself, it has an estimate of what
                        // the conditions leave
                        enforces));
    }

    /**
     * Whether a constraint only chooses partitions, so that every row of a matching file satisfies
     * it.
     */
    private static boolean choosesPartitions(
            TableSchema table, TupleDomain<SteleColumnHandle> constraint) {
        return !constraint.isNone()
                && constraint.getDomains().orElseThrow().keySet().stream()
                        .allMatch(
                                column ->
                                        PartitionConstraints.isEnforced(table, constraint, column));
    }

    /**
     * Whether a scan is to leave out what a constraint excludes by itself, so that an aggregation
     * can go to the sidecar: only where nothing of the constraint would be left to Trino.
     */
    private static boolean enforces(
            ConnectorSession session, TableSchema table, Constraint constraint) {
        return SteleSessionProperties.isAggregationPushdownEnabled(session)
                && constraint.getExpression().equals(Constant.TRUE)
                && !constraint.getSummary().isNone()
                && constraint.getSummary().getDomains().orElseThrow().entrySet().stream()
                        .allMatch(
                                entry ->
                                        isEnforceable(
                                                table,
                                                (SteleColumnHandle) entry.getKey(),
                                                entry.getValue()));
    }

    private static boolean isEnforceable(
            TableSchema table, SteleColumnHandle column, Domain domain) {
        return ScanPredicates.isPushable(table, column, domain)
                && ScanPredicates.isEnforceable(table, column, domain);
    }

    /** Whether Trino must check a column's domain. */
    private static boolean isLeft(SteleTableHandle table, SteleColumnHandle column) {
        return !isEnforced(table, column) && !(table.enforced() && isEnforcedByScan(table, column));
    }

    /**
     * Whether what a scan reads of files and sidecars has no row that a column's domain excludes:
     * limits count these rows.
     */
    private static boolean isEnforced(SteleTableHandle table, SteleColumnHandle column) {
        return PartitionConstraints.isEnforced(table.table(), table.constraint(), column)
                || (table.lookup().isPresent()
                        && Lookups.isEnforced(table.table(), table.constraint(), column));
    }

    private static boolean isEnforcedByScan(SteleTableHandle table, SteleColumnHandle column) {
        if (table.constraint().isNone()) {
            return true;
        }
        Domain domain = table.constraint().getDomains().orElseThrow().get(column);
        return domain != null && isEnforceable(table.table(), column, domain);
    }

    static Optional<LimitApplicationResult<ConnectorTableHandle>> applyLimit(
            SteleTableHandle table, long limit) {
        OptionalLong known = table.selection().limit();
        // Rows outside an advisory constraint would be counted
        if ((known.isPresent() && known.getAsLong() <= limit)
                || table.selection().topN().isPresent()
                || table.aggregation().isPresent()
                || !isWhollyEnforced(table)) {
            return Optional.empty();
        }
        // A lookup is one split, whose limit the sidecar applies
        return Optional.of(
                new LimitApplicationResult<>(
                        table.withLimit(limit), table.lookup().isPresent(), false));
    }

    /** Never guaranteed: the first rows of each split are put in order above. */
    static Optional<TopNApplicationResult<ConnectorTableHandle>> applyTopN(
            SteleTableHandle table,
            long count,
            List<SortItem> sortItems,
            Map<String, ColumnHandle> assignments) {
        if (!table.selection().isAll()
                || table.lookup().isPresent()
                || !table.outputs().equals(ScanOutputs.NONE)
                || !isWhollyEnforced(table)) {
            return Optional.empty();
        }
        List<SteleTopN.Item> items =
                sortItems.stream()
                        .map(
                                item ->
                                        new SteleTopN.Item(
                                                (SteleColumnHandle)
                                                        requireNonNull(
                                                                assignments.get(item.getName()),
                                                                "column is not assigned"),
                                                item.getSortOrder()))
                        .toList();
        SteleTopN topN = new SteleTopN(count, items);
        boolean isOrderOfFiles = topN.isOrderOf(SteleTopN.sortKey(table.table()));
        return isOrderOfFiles || TopNBound.isPossible(table.table(), topN)
                ? Optional.of(new TopNApplicationResult<>(table.withTopN(topN), false, false))
                : Optional.empty();
    }

    /** Of SYSTEM samples: row groups of files, and single rows of what the sidecar sends. */
    static Optional<SampleApplicationResult<ConnectorTableHandle>> applySample(
            ConnectorSession session, SteleTableHandle table, SampleType type, double ratio) {
        // A sample of groups is not one of the rows that they are made of
        if (type != SampleType.SYSTEM
                || !table.selection().isAll()
                || table.lookup().isPresent()
                || table.aggregation().isPresent()) {
            return Optional.empty();
        }
        SteleSample sample = new SteleSample(ratio, session.getQueryId().hashCode());
        return Optional.of(new SampleApplicationResult<>(table.withSample(sample), true));
    }

    /** Whether a scan gives no row that the constraint excludes. */
    private static boolean isWhollyEnforced(SteleTableHandle table) {
        return !table.constraint().isNone()
                && table.constraint().getDomains().orElseThrow().keySet().stream()
                        .allMatch(column -> isEnforced(table, column));
    }

    /** The index that finds the rows of a constraint, if the session allows it. */
    private static Optional<String> index(
            ConnectorSession session,
            TableSchema table,
            TupleDomain<SteleColumnHandle> constraint) {
        if (table.options().indexes().isEmpty()
                || constraint.isNone()
                || !SteleSessionProperties.isIndexLookupEnabled(session)) {
            return Optional.empty();
        }
        return IndexCondition.of(table, ScanPredicates.of(table, constraint))
                .map(condition -> condition.index().name());
    }
}
