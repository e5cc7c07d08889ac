package io.stele.engine.aggregate;

import io.stele.protocol.predicate.ColumnDomain;
import io.stele.protocol.predicate.ColumnStats;
import io.stele.protocol.predicate.ValueRange;
import io.stele.protocol.row.ValueCodec;
import io.stele.protocol.schema.TableSchema;

/**
 * An estimate of the share of a file's rows that a scan reads, since row groups are skipped by
 * their statistics. Only a condition on the first column by which files are sorted counts, and its
 * values are assumed to be spread evenly. Stateless.
 */
final class ScannedShare {
    private ScannedShare() {}

    static double of(TableSchema table, FileScope scope) {
        int column =
                table.clusteringKey().stream()
                        .findFirst()
                        .or(() -> table.primaryKey().stream().findFirst())
                        .orElse(0);
        ColumnDomain domain = scope.residual().get(column);
        ColumnStats statistics = scope.statistics().get(column);
        if (domain == null
                || domain.nullAllowed()
                || statistics == null
                || statistics.min().isEmpty()
                || statistics.max().isEmpty()
                || !FileScope.isWhole(table.column(column).type())) {
            return 1;
        }
        ValueCodec codec = ValueCodec.of(table.column(column).type());
        double min = codec.decodeLong(statistics.min().get());
        double max = codec.decodeLong(statistics.max().get());
        double covered = 0;
        for (ValueRange range : domain.ranges()) {
            double low = Math.max(min, range.low().map(codec::decodeLong).orElse(Long.MIN_VALUE));
            double high = Math.min(max, range.high().map(codec::decodeLong).orElse(Long.MAX_VALUE));
            covered += Math.max(0, high - low + 1);
        }
        return Math.clamp(covered / (max - min + 1), 0.0, 1.0);
    }
}
