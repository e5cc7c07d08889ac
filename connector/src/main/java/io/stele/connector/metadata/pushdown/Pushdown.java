package io.stele.connector.metadata.pushdown;

import static java.util.Objects.requireNonNull;

import io.stele.connector.config.SteleSessionProperties;
import io.stele.connector.handle.ScanOutputs;
import io.stele.connector.handle.SteleColumnHandle;
import io.stele.connector.handle.SteleLookup;
import io.stele.connector.handle.SteleSample;
import io.stele.connector.handle.SteleTableHandle;
import io.stele.connector.handle.SteleTopN;
import io.stele.connector.metadata.catalog.PartitionConstraints;
import io.stele.connector.read.prune.TopNBound;
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
public final class Pushdown {
    private Pushdown() {}

    /** Advisory but for partitions and lookups: Trino checks every row again. */
    public static Optional<ConstraintApplicationResult<ConnectorTableHandle>> applyFilter(
            ConnectorSession session, SteleTableHandle table, Constraint constraint) {
        // A filter below a limit or a top-N would change the rows that it selects
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
        // The single split of a lookup belongs to no shard, and returns rows regardless of samples
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
                        // For a table that Trino filters itself, it estimates the remaining rows
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
     * Whether the scan itself must drop the rows that a constraint excludes, so that an aggregation
     * can be pushed into the sidecar; only if Trino would have no condition left to check.
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
     * Whether a scan reads no row, from files and sidecars, that a column's domain excludes; limits
     * count the rows that are read.
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

    public static Optional<LimitApplicationResult<ConnectorTableHandle>> applyLimit(
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
    public static Optional<TopNApplicationResult<ConnectorTableHandle>> applyTopN(
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

    /**
     * Pushes down SYSTEM samples, as samples of row groups of files and of single rows that the
     * sidecar sends.
     */
    public static Optional<SampleApplicationResult<ConnectorTableHandle>> applySample(
            ConnectorSession session, SteleTableHandle table, SampleType type, double ratio) {
        // A sample of aggregated groups is not a sample of their rows
        if (type != SampleType.SYSTEM
                || !table.selection().isAll()
                || table.lookup().isPresent()
                || table.aggregation().isPresent()) {
            return Optional.empty();
        }
        SteleSample sample = new SteleSample(ratio, session.getQueryId().hashCode());
        return Optional.of(new SampleApplicationResult<>(table.withSample(sample), true));
    }

    /** Whether a scan returns no row that the constraint excludes. */
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
