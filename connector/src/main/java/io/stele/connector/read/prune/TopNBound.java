package io.stele.connector.read.prune;

import static java.util.Comparator.comparing;

import io.stele.connector.handle.SteleColumnHandle;
import io.stele.connector.handle.SteleTopN;
import io.stele.connector.type.NativeValues;
import io.stele.protocol.api.scan.FileScan;
import io.stele.protocol.api.scan.ScanPlan;
import io.stele.protocol.api.scan.ShardScan;
import io.stele.protocol.predicate.ColumnStats;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.TableSchema;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.Range;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.predicate.ValueSet;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A bound on the first rows of an order (ORDER BY with LIMIT), from the column ranges of files, for
 * scan planning. If some files together have enough rows with values of at most x, no row above x
 * is among the first. So x bounds the rows that any file, row group or MemTable has to return.
 * Stateless.
 */
public final class TopNBound {
    private TopNBound() {}

    /**
     * Whether the ranges of files can bound the result: not for text, and not where NaN is
     * possible.
     */
    public static boolean isPossible(TableSchema table, SteleTopN topN) {
        SteleColumnHandle first = topN.items().getFirst().column();
        return first.id() > 0
                && !first.isField()
                && table.orientation().hasColumns()
                && switch (table.column(first.id()).type().kind()) {
                    case BOOLEAN, TINYINT, SMALLINT, INTEGER, BIGINT, DATE, DECIMAL, TIMESTAMP ->
                            true;
                    case REAL,
                            DOUBLE,
                            VARCHAR,
                            CHAR,
                            VARBINARY,
                            TIME,
                            TIMESTAMP_WITH_TIME_ZONE,
                            UUID,
                            JSON,
                            ARRAY,
                            MAP,
                            ROW ->
                            false;
                };
    }

    /**
     * A bound that all of the first rows satisfy.
     *
     * @param plan of all rows to be sorted, with statistics of the first column
     */
    public static TupleDomain<SteleColumnHandle> of(
            TableSchema table, SteleTopN topN, ScanPlan plan) {
        if (!isPossible(table, topN)) {
            return TupleDomain.all();
        }
        SteleTopN.Item item = topN.items().getFirst();
        SteleColumnHandle column = item.column();
        boolean ascending = item.order().isAscending();
        Comparator<Object> inOrder = inOrder(ascending);
        List<FileRows> known = new ArrayList<>();
        for (ShardScan shard : plan.shards()) {
            for (FileScan file : shard.files()) {
                known(table, file, plan, column, ascending).ifPresent(known::add);
            }
        }
        known.sort(comparing(FileRows::last, inOrder));
        long rows = 0;
        for (FileRows file : known) {
            rows += file.count;
            if (rows >= topN.count()) {
                Range range =
                        ascending
                                ? Range.lessThanOrEqual(column.type(), file.last)
                                : Range.greaterThanOrEqual(column.type(), file.last);
                return TupleDomain.withColumnDomains(
                        Map.of(
                                column,
                                Domain.create(
                                        ValueSet.ofRanges(range), item.order().isNullsFirst())));
            }
        }
        return TupleDomain.all();
    }

    /** Rows of a file that are visible for certain, and have values. */
    private static Optional<FileRows> known(
            TableSchema table,
            FileScan file,
            ScanPlan plan,
            SteleColumnHandle column,
            boolean ascending) {
        ColumnStats stats = file.columns().getOrDefault(column.id(), ColumnStats.UNKNOWN);
        DataType stored = table.column(column.id()).type();
        Optional<Object> last =
                (ascending ? stats.max() : stats.min())
                        .flatMap(bound -> NativeValues.decode(stored, bound));
        if (last.isEmpty() || !stats.hasNullCount()) {
            return Optional.empty();
        }
        long count = VisibleCount.of(file, plan) - stats.nullCount();
        return count > 0 ? Optional.of(new FileRows(last.get(), count)) : Optional.empty();
    }

    /** Native values of the types that have ranges sort as their types do. */
    @SuppressWarnings("unchecked")
    private static Comparator<Object> inOrder(boolean ascending) {
        Comparator<Object> values = (left, right) -> ((Comparable<Object>) left).compareTo(right);
        return ascending ? values : values.reversed();
    }

    /**
     * Rows of a file.
     *
     * @param last none of them comes later in the order
     */
    private record FileRows(Object last, long count) {}
}
