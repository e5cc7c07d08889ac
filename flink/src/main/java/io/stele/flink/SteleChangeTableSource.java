package io.stele.flink;

import static java.util.Objects.requireNonNull;

import io.stele.flink.changes.ChangeTarget;
import io.stele.flink.changes.SteleChangeSource;
import io.stele.flink.option.FeedOptions;
import io.stele.flink.option.SteleOptions;
import io.stele.flink.table.BoundTable;
import io.stele.flink.table.ChangeMetadata;
import java.util.List;
import java.util.Optional;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.configuration.ExecutionOptions;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.streaming.api.datastream.DataStreamSource;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.ProviderContext;
import org.apache.flink.table.connector.source.DataStreamScanProvider;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.connector.source.abilities.SupportsWatermarkPushDown;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.factories.FactoryUtil;
import org.apache.flink.types.RowKind;

/**
 * The unbounded source of a table in a statement: its changes, or lookups by key. It makes no
 * request: the job runs the {@link SteleChangeSource} that it describes.
 *
 * <p>Filters and limits are not pushed down. For a row that no longer meets a filter, the
 * retraction would be missing.
 */
final class SteleChangeTableSource extends ColumnSource implements SupportsWatermarkPushDown {
    /** A part of the operator's id in savepoints. It never changes. */
    private static final String OPERATOR = "stele-changes";

    private final FeedOptions options;
    private final ReadableConfig session;
    private WatermarkStrategy<RowData> watermarks = WatermarkStrategy.noWatermarks();

    /**
     * A source of the changes of a table.
     *
     * @param config the options of the table
     * @param session the options of the session, which say whether it is in batch mode
     */
    SteleChangeTableSource(
            BoundTable table,
            List<ChangeMetadata> metadata,
            FeedOptions options,
            ReadableConfig config,
            ReadableConfig session) {
        super(table, metadata, config);
        this.options = requireNonNull(options, "options is null");
        this.session = requireNonNull(session, "session is null");
    }

    /**
     * The kinds of changes in the stream. Without a primary key, an update is a deletion and an
     * insertion.
     */
    @Override
    public ChangelogMode getChangelogMode() {
        if (options.insertOnly()) {
            return ChangelogMode.insertOnly();
        }
        if (!table().schema().hasPrimaryKey()) {
            return ChangelogMode.newBuilder()
                    .addContainedKind(RowKind.INSERT)
                    .addContainedKind(RowKind.DELETE)
                    .build();
        }
        ChangelogMode.Builder kinds =
                ChangelogMode.newBuilder()
                        .addContainedKind(RowKind.INSERT)
                        .addContainedKind(RowKind.UPDATE_AFTER)
                        .addContainedKind(RowKind.DELETE);
        if (options.beforeImages()) {
            kinds.addContainedKind(RowKind.UPDATE_BEFORE);
        }
        return kinds.build();
    }

    @Override
    public ScanRuntimeProvider getScanRuntimeProvider(ScanContext context) {
        if (session.get(ExecutionOptions.RUNTIME_MODE) == RuntimeExecutionMode.BATCH) {
            throw new ValidationException(
                    "Expected table %s without '%s' in batch mode, found '%s': its changes have no end"
                            .formatted(
                                    table(), SteleOptions.SCAN_STARTUP_MODE.key(), options.mode()));
        }
        return new Provider(
                new ChangeTarget(table(), metadata(), options),
                watermarks,
                "Changes of " + table(),
                config().getOptional(FactoryUtil.SOURCE_PARALLELISM));
    }

    /** A provider of the stream; each shard has its own watermarks. */
    private record Provider(
            ChangeTarget target,
            WatermarkStrategy<RowData> watermarks,
            String name,
            Optional<Integer> parallelism)
            implements DataStreamScanProvider {
        @Override
        public DataStreamSource<RowData> produceDataStream(
                ProviderContext context, StreamExecutionEnvironment environment) {
            boolean hasCheckpoints = environment.getCheckpointConfig().isCheckpointingEnabled();
            SteleChangeSource source = new SteleChangeSource(target, hasCheckpoints);
            DataStreamSource<RowData> stream = environment.fromSource(source, watermarks, name);
            context.generateUid(OPERATOR).ifPresent(stream::uid);
            return stream;
        }

        @Override
        public boolean isBounded() {
            return false;
        }

        @Override
        public Optional<Integer> getParallelism() {
            return parallelism;
        }
    }

    @Override
    public void applyWatermark(WatermarkStrategy<RowData> strategy) {
        watermarks = requireNonNull(strategy, "strategy is null");
    }

    @Override
    public DynamicTableSource copy() {
        SteleChangeTableSource copy =
                new SteleChangeTableSource(table(), metadata(), options, config(), session);
        copy.watermarks = watermarks;
        return copy;
    }

    @Override
    public String asSummaryString() {
        return "Changes of Stele table " + table();
    }
}
