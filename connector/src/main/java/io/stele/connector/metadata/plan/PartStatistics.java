package io.stele.connector.metadata.plan;

import io.stele.protocol.api.catalog.ColumnSize;
import io.stele.protocol.api.catalog.TableDescription;
import io.stele.protocol.api.catalog.TableStatistics;
import io.stele.protocol.api.scan.FileScan;
import io.stele.protocol.api.scan.ShardScan;
import io.stele.protocol.predicate.ColumnStats;
import io.stele.protocol.predicate.ScanPredicate;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * An estimator of the statistics of the table's files that may contain rows of a predicate, from a
 * cached scan plan, without a request. Rows, ranges and nulls are summed as in the sidecar. A plan
 * has no sketches of distinct values. So a column gets the table's number, at most the number of
 * rows, and 1 if its bounds are equal. Rows in memory count in full, as in the sidecar. Stateless.
 */
final class PartStatistics {
    private PartStatistics() {}

    static TableStatistics of(
            TableDescription table, List<ShardScan> plan, ScanPredicate predicate) {
        TableStatistics whole = table.statistics();
        double rows = 0;
        double rowsOfAll = 0;
        long bytes = whole.sizeBytes();
        Map<Integer, Column> columns = new HashMap<>();
        for (ShardScan shard : plan) {
            for (FileScan file : shard.files()) {
                long live = file.rowCount() - file.deletedCount();
                rowsOfAll += live;
                if (!predicate.mayMatch(file.columns(), file.rowCount())) {
                    bytes -= file.sizeBytes();
                    continue;
                }
                rows += live;
                double share = (double) live / file.rowCount();
                file.columns()
                        .forEach(
                                (id, known) ->
                                        columns.computeIfAbsent(id, _ -> new Column())
                                                .add(known, file.rowCount(), share));
            }
        }
        double inMemory = Math.max(0, whole.rowCount() - rowsOfAll);
        rows += inMemory;
        Map<Integer, ColumnStats> stats = new HashMap<>();
        Map<Integer, ColumnSize> sizes = new HashMap<>();
        double share = whole.rowCount() == 0 ? 0 : Math.min(1, rows / whole.rowCount());
        for (Map.Entry<Integer, ColumnStats> known : whole.columns().entrySet()) {
            int id = known.getKey();
            Column column = columns.computeIfAbsent(id, _ -> new Column());
            if (inMemory >= 1) {
                column.add(known.getValue(), whole.rowCount(), inMemory / whole.rowCount());
            }
            column.stats().ifPresent(sum -> stats.put(id, sum));
        }
        for (Map.Entry<Integer, ColumnSize> known : whole.sizes().entrySet()) {
            Optional<ColumnStats> found = Optional.ofNullable(stats.get(known.getKey()));
            sizes.put(known.getKey(), size(known.getValue(), found, rows, share));
        }
        return new TableStatistics(Math.round(rows), Math.max(0, bytes), stats, sizes);
    }

    private static ColumnSize size(
            ColumnSize whole, Optional<ColumnStats> stats, double rows, double share) {
        double values = rows - stats.map(ColumnStats::nullCount).filter(n -> n > 0).orElse(0L);
        double most = stats.filter(PartStatistics::isOneValue).isPresent() ? 1 : values;
        long distinct =
                whole.distinctCount() < 0
                        ? -1
                        : Math.round(Math.max(0, Math.min((double) whole.distinctCount(), most)));
        return new ColumnSize(
                distinct, whole.valueBytes() < 0 ? -1 : Math.round(whole.valueBytes() * share));
    }

    /** Bounds of truncated text differ, so equal bounds mean one value. */
    private static boolean isOneValue(ColumnStats stats) {
        return stats.min().isPresent()
                && stats.max().isPresent()
                && !stats.hasNaN()
                && Arrays.equals(stats.min().get(), stats.max().get());
    }

    /** One column's statistics, added up. */
    private static final class Column {
        private Optional<ColumnStats> sum = Optional.empty();
        private long rows;
        private double nulls;
        private boolean countsNulls = true;

        void add(ColumnStats found, long count, double share) {
            sum = Optional.of(sum.map(before -> before.merge(rows, found, count)).orElse(found));
            rows += count;
            countsNulls &= found.hasNullCount();
            nulls += Math.max(0, found.nullCount()) * share;
        }

        Optional<ColumnStats> stats() {
            return sum.map(
                    stats ->
                            new ColumnStats(
                                    stats.min(),
                                    stats.max(),
                                    countsNulls ? Math.round(nulls) : -1,
                                    stats.hasNaN()));
        }
    }
}
