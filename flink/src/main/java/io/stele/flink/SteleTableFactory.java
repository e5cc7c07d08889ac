package io.stele.flink;

import io.stele.flink.lookup.LookupProviders;
import io.stele.flink.option.ConnectionOptions;
import io.stele.flink.option.CreationOptions;
import io.stele.flink.option.DeliveryGuarantee;
import io.stele.flink.option.FeedOptions;
import io.stele.flink.option.SinkOptions;
import io.stele.flink.option.SteleOptions;
import io.stele.flink.table.BoundTable;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.catalog.Column;
import org.apache.flink.table.connector.sink.DynamicTableSink;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.connector.source.lookup.LookupOptions;
import org.apache.flink.table.factories.DynamicTableSinkFactory;
import org.apache.flink.table.factories.DynamicTableSourceFactory;
import org.apache.flink.table.factories.FactoryUtil;
import org.apache.flink.table.types.logical.RowType;

/**
 * The factory of table sources and sinks, for {@code 'connector' = 'stele'} and for tables of
 * Stele's catalog. It validates the options and asks a sidecar for the table. Blocks the planner's
 * thread meanwhile.
 */
public final class SteleTableFactory implements DynamicTableSinkFactory, DynamicTableSourceFactory {
    public static final String IDENTIFIER = "stele";

    private final Optional<ConnectionOptions> catalogConnection;

    /** A factory for tables whose options name their sidecars. */
    public SteleTableFactory() {
        this(Optional.empty());
    }

    /** A factory for the tables of a catalog, which provides the connection. */
    public SteleTableFactory(ConnectionOptions connection) {
        this(Optional.of(connection));
    }

    private SteleTableFactory(Optional<ConnectionOptions> catalogConnection) {
        this.catalogConnection = catalogConnection;
    }

    @Override
    public String factoryIdentifier() {
        return IDENTIFIER;
    }

    @Override
    public Set<ConfigOption<?>> requiredOptions() {
        return catalogConnection.isPresent()
                ? Set.of()
                : Set.of(
                        SteleOptions.ENDPOINTS,
                        SteleOptions.SECRET,
                        SteleOptions.SCHEMA_NAME,
                        SteleOptions.TABLE_NAME);
    }

    @Override
    public Set<ConfigOption<?>> optionalOptions() {
        Set<ConfigOption<?>> options =
                new LinkedHashSet<>(
                        List.of(
                                SteleOptions.SINK_DELIVERY_GUARANTEE,
                                SteleOptions.SINK_BUFFER_FLUSH_MAX_ROWS,
                                SteleOptions.SINK_BUFFER_FLUSH_MAX_SIZE,
                                SteleOptions.SINK_BUFFER_FLUSH_INTERVAL,
                                SteleOptions.SINK_MAX_IN_FLIGHT_SIZE,
                                SteleOptions.SINK_TRANSACTION_MAX_SIZE,
                                SteleOptions.SINK_CHECKPOINT_MAX_SIZE,
                                SteleOptions.SINK_COMMIT_TIMEOUT,
                                SteleOptions.SINK_COMMIT_SCHEMA,
                                SteleOptions.SINK_SHUFFLE_BY_SHARD,
                                FactoryUtil.SINK_PARALLELISM,
                                SteleOptions.LOOKUP_ASYNC,
                                LookupOptions.CACHE_TYPE,
                                LookupOptions.MAX_RETRIES,
                                LookupOptions.PARTIAL_CACHE_EXPIRE_AFTER_ACCESS,
                                LookupOptions.PARTIAL_CACHE_EXPIRE_AFTER_WRITE,
                                LookupOptions.PARTIAL_CACHE_CACHE_MISSING_KEY,
                                LookupOptions.PARTIAL_CACHE_MAX_ROWS,
                                LookupOptions.FULL_CACHE_RELOAD_STRATEGY,
                                LookupOptions.FULL_CACHE_PERIODIC_RELOAD_INTERVAL,
                                LookupOptions.FULL_CACHE_PERIODIC_RELOAD_SCHEDULE_MODE,
                                LookupOptions.FULL_CACHE_TIMED_RELOAD_ISO_TIME,
                                LookupOptions.FULL_CACHE_TIMED_RELOAD_INTERVAL_IN_DAYS,
                                SteleOptions.SCAN_SNAPSHOT_TTL,
                                SteleOptions.SCAN_STARTUP_MODE,
                                SteleOptions.SCAN_STARTUP_TIMESTAMP_MILLIS,
                                SteleOptions.SCAN_STARTUP_LSN,
                                SteleOptions.SCAN_POLL_INTERVAL,
                                SteleOptions.SCAN_BEFORE_IMAGES,
                                SteleOptions.SCAN_INSERT_ONLY,
                                FactoryUtil.SOURCE_PARALLELISM));
        if (catalogConnection.isPresent()) {
            options.addAll(CreationOptions.ALL); // their values are stored with a table
        } else {
            options.addAll(
                    List.of(
                            SteleOptions.TLS_ENABLED,
                            SteleOptions.TLS_TRUSTED_CERTIFICATES,
                            SteleOptions.CONNECT_TIMEOUT,
                            SteleOptions.UNAVAILABLE_TIMEOUT,
                            SteleOptions.BUSY_TIMEOUT));
        }
        return options;
    }

    @Override
    public DynamicTableSink createDynamicTableSink(Context context) {
        ReadableConfig config = options(context);
        SinkOptions options = SinkOptions.of(config);
        BoundTable table = table(context, config);
        boolean checkpoints =
                context.getConfiguration()
                        .getOptional(CheckpointingOptions.CHECKPOINTING_INTERVAL)
                        .filter(interval -> interval.compareTo(Duration.ZERO) > 0)
                        .isPresent();
        Optional<DeliveryGuarantee> wanted =
                config.getOptional(SteleOptions.SINK_DELIVERY_GUARANTEE);
        return new SteleTableSink(
                table,
                context.getCatalogTable().getResolvedSchema().getColumns().stream()
                        .filter(Column::isPhysical)
                        .toList(),
                options,
                wanted,
                checkpoints,
                config.getOptional(FactoryUtil.SINK_PARALLELISM));
    }

    @Override
    public DynamicTableSource createDynamicTableSource(Context context) {
        ReadableConfig config = options(context);
        LookupProviders.check(config);
        SteleOptions.snapshotTtl(config);
        Optional<FeedOptions> changes = FeedOptions.of(config);
        BoundTable table = table(context, config);
        return changes.<DynamicTableSource>map(
                        options ->
                                new SteleChangeTableSource(
                                        table,
                                        List.of(),
                                        options,
                                        config,
                                        context.getConfiguration()))
                .orElseGet(() -> new SteleTableSource(table, List.of(), config));
    }

    private ReadableConfig options(Context context) {
        FactoryUtil.TableFactoryHelper helper = FactoryUtil.createTableFactoryHelper(this, context);
        helper.validate();
        return helper.getOptions();
    }

    private BoundTable table(Context context, ReadableConfig config) {
        RowType declared = (RowType) context.getPhysicalRowDataType().getLogicalType();
        List<String> names = declared.getFieldNames();
        List<String> primaryKey =
                java.util.Arrays.stream(context.getPrimaryKeyIndexes())
                        .mapToObj(names::get)
                        .toList();
        return catalogConnection
                .map(
                        connection ->
                                BoundTable.plan(
                                        connection,
                                        context.getObjectIdentifier().getDatabaseName(),
                                        context.getObjectIdentifier().getObjectName(),
                                        declared,
                                        primaryKey))
                .orElseGet(
                        () ->
                                BoundTable.plan(
                                        ConnectionOptions.of(config),
                                        config.get(SteleOptions.SCHEMA_NAME),
                                        config.get(SteleOptions.TABLE_NAME),
                                        declared,
                                        primaryKey));
    }
}
