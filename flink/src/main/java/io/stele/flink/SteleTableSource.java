package io.stele.flink;

import io.stele.flink.lookup.LookupTarget;
import io.stele.flink.lookup.SteleAsyncLookupFunction;
import io.stele.flink.lookup.SteleLookupFunction;
import io.stele.flink.option.SteleOptions;
import io.stele.flink.source.ScanFilters;
import io.stele.flink.source.ScanTarget;
import io.stele.flink.source.SteleSource;
import io.stele.flink.table.BoundTable;
import io.stele.protocol.predicate.ScanPredicate;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.connector.source.LookupTableSource;
import org.apache.flink.table.connector.source.ScanTableSource;
import org.apache.flink.table.connector.source.SourceProvider;
import org.apache.flink.table.connector.source.abilities.SupportsFilterPushDown;
import org.apache.flink.table.connector.source.abilities.SupportsLimitPushDown;
import org.apache.flink.table.connector.source.abilities.SupportsProjectionPushDown;
import org.apache.flink.table.connector.source.abilities.SupportsStatisticReport;
import org.apache.flink.table.connector.source.lookup.AsyncLookupFunctionProvider;
import org.apache.flink.table.connector.source.lookup.LookupFunctionProvider;
import org.apache.flink.table.connector.source.lookup.LookupOptions;
import org.apache.flink.table.connector.source.lookup.PartialCachingAsyncLookupProvider;
import org.apache.flink.table.connector.source.lookup.PartialCachingLookupProvider;
import org.apache.flink.table.connector.source.lookup.cache.DefaultLookupCache;
import org.apache.flink.table.expressions.ResolvedExpression;
import org.apache.flink.table.factories.FactoryUtil;
import org.apache.flink.table.plan.stats.TableStats;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.logical.RowType;

/** A table of Stele as the source of a statement: scanned at a snapshot, or looked up by key. */
final class SteleTableSource
        implements ScanTableSource,
                LookupTableSource,
                SupportsProjectionPushDown,
                SupportsFilterPushDown,
                SupportsLimitPushDown,
                SupportsStatisticReport {
    private final ReadableConfig config;
    private BoundTable table;
    private ScanPredicate predicate = ScanPredicate.ALL;
    private OptionalLong limit = OptionalLong.empty();

    SteleTableSource(BoundTable table, ReadableConfig config) {
        this.table = table;
        this.config = config;
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
                                table,
                                predicate,
                                limit,
                                config.get(SteleOptions.SCAN_SNAPSHOT_TTL)));
        return config.getOptional(FactoryUtil.SOURCE_PARALLELISM)
                .map(count -> SourceProvider.of(source, count))
                .orElseGet(() -> SourceProvider.of(source));
    }

    @Override
    public LookupRuntimeProvider getLookupRuntimeProvider(LookupContext context) {
        LookupTarget target =
                LookupTarget.of(table, context.getKeys(), config.get(LookupOptions.MAX_RETRIES));
        boolean caches =
                config.get(LookupOptions.CACHE_TYPE) == LookupOptions.LookupCacheType.PARTIAL;
        if (config.get(SteleOptions.LOOKUP_ASYNC)) {
            SteleAsyncLookupFunction function = new SteleAsyncLookupFunction(target);
            return caches
                    ? PartialCachingAsyncLookupProvider.of(
                            function, DefaultLookupCache.fromConfig(config))
                    : AsyncLookupFunctionProvider.of(function);
        }
        SteleLookupFunction function = new SteleLookupFunction(target);
        return caches
                ? PartialCachingLookupProvider.of(function, DefaultLookupCache.fromConfig(config))
                : LookupFunctionProvider.of(function);
    }

    @Override
    public boolean supportsNestedProjection() {
        return false;
    }

    @Override
    public void applyProjection(int[][] projectedFields, DataType producedDataType) {
        int[] fields = Arrays.stream(projectedFields).mapToInt(path -> path[0]).toArray();
        table = table.project((RowType) producedDataType.getLogicalType(), fields);
    }

    /** Rows that cannot match are left out; Flink still checks the others. */
    @Override
    public Result applyFilters(List<ResolvedExpression> filters) {
        ScanFilters taken = ScanFilters.of(table, filters);
        predicate = taken.predicate();
        return Result.of(taken.used(), filters);
    }

    /** Of each shard at most so many rows are read; Flink still counts them. */
    @Override
    public void applyLimit(long newLimit) {
        limit = OptionalLong.of(newLimit);
    }

    @Override
    public TableStats reportStatistics() {
        return new TableStats(table.rowCount());
    }

    @Override
    public DynamicTableSource copy() {
        SteleTableSource copy = new SteleTableSource(table, config);
        copy.predicate = predicate;
        copy.limit = limit;
        return copy;
    }

    @Override
    public String asSummaryString() {
        return "Stele table " + table;
    }
}
