package io.stele.flink;

import io.stele.flink.option.SteleOptions;
import io.stele.flink.source.ScanFilters;
import io.stele.flink.source.ScanTarget;
import io.stele.flink.source.SteleSource;
import io.stele.flink.table.BoundTable;
import io.stele.flink.table.ChangeMetadata;
import io.stele.protocol.predicate.ScanPredicate;
import java.util.List;
import java.util.OptionalLong;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.connector.source.SourceProvider;
import org.apache.flink.table.connector.source.abilities.SupportsFilterPushDown;
import org.apache.flink.table.connector.source.abilities.SupportsLimitPushDown;
import org.apache.flink.table.connector.source.abilities.SupportsStatisticReport;
import org.apache.flink.table.expressions.ResolvedExpression;
import org.apache.flink.table.factories.FactoryUtil;
import org.apache.flink.table.plan.stats.TableStats;

/**
 * The bounded source of a table in a statement: a scan of one snapshot, or lookups by key. It makes
 * no request: the job runs the {@link SteleSource} that it describes.
 */
final class SteleTableSource extends ColumnSource
        implements SupportsFilterPushDown, SupportsLimitPushDown, SupportsStatisticReport {
    private ScanPredicate predicate = ScanPredicate.ALL;
    private OptionalLong limit = OptionalLong.empty();

    SteleTableSource(BoundTable table, List<ChangeMetadata> metadata, ReadableConfig config) {
        super(table, metadata, config);
    }

    @Override
    public ChangelogMode getChangelogMode() {
        return ChangelogMode.insertOnly();
    }

    @Override
    public ScanRuntimeProvider getScanRuntimeProvider(ScanContext context) {
        SteleSource source =
                new SteleSource(
                        ScanTarget.of(
                                table(),
                                metadata(),
                                predicate,
                                limit,
                                SteleOptions.snapshotTtl(config())));
        return config().getOptional(FactoryUtil.SOURCE_PARALLELISM)
                .map(count -> SourceProvider.of(source, count))
                .orElseGet(() -> SourceProvider.of(source));
    }

    /** Uses filters to skip rows that cannot match. Flink checks all filters again. */
    @Override
    public Result applyFilters(List<ResolvedExpression> filters) {
        ScanFilters taken = ScanFilters.of(table(), filters);
        predicate = taken.predicate();
        return Result.of(taken.used(), filters);
    }

    /** Limits the rows read from each shard. Flink applies the limit to the whole. */
    @Override
    public void applyLimit(long newLimit) {
        limit = OptionalLong.of(newLimit);
    }

    @Override
    public TableStats reportStatistics() {
        return new TableStats(table().rowCount());
    }

    @Override
    public DynamicTableSource copy() {
        SteleTableSource copy = new SteleTableSource(table(), metadata(), config());
        copy.predicate = predicate;
        copy.limit = limit;
        return copy;
    }
}
