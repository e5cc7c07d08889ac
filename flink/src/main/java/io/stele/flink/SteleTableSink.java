package io.stele.flink;

import io.stele.flink.option.DeliveryGuarantee;
import io.stele.flink.option.SinkOptions;
import io.stele.flink.option.SteleOptions;
import io.stele.flink.sink.AtLeastOnceSink;
import io.stele.flink.sink.ExactlyOnceSink;
import io.stele.flink.sink.SinkTarget;
import io.stele.flink.sink.SteleSink;
import io.stele.flink.table.BoundTable;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.sink.DynamicTableSink;
import org.apache.flink.table.connector.sink.SinkV2Provider;
import org.apache.flink.table.connector.sink.abilities.SupportsPartitioning;
import org.apache.flink.table.connector.sink.abilities.SupportsTargetColumnWriting;
import org.apache.flink.types.RowKind;
import org.jspecify.annotations.Nullable;

/** A table of Stele as the target of a statement of Flink. */
final class SteleTableSink
        implements DynamicTableSink, SupportsPartitioning, SupportsTargetColumnWriting {
    private final BoundTable table;
    private final SinkOptions options;
    private final Optional<DeliveryGuarantee> wanted;
    private final boolean checkpoints;
    private final Optional<Integer> parallelism;
    private int @Nullable [] targetFields;

    SteleTableSink(
            BoundTable table,
            SinkOptions options,
            Optional<DeliveryGuarantee> wanted,
            boolean checkpoints,
            Optional<Integer> parallelism) {
        this.table = table;
        this.options = options;
        this.wanted = wanted;
        this.checkpoints = checkpoints;
        this.parallelism = parallelism;
    }

    /** Keyed tables need no row that was before an update; others take inserts only. */
    @Override
    public ChangelogMode getChangelogMode(ChangelogMode requested) {
        if (!table.schema().hasPrimaryKey()) {
            return ChangelogMode.insertOnly();
        }
        return ChangelogMode.newBuilder()
                .addContainedKind(RowKind.INSERT)
                .addContainedKind(RowKind.UPDATE_AFTER)
                .addContainedKind(RowKind.DELETE)
                .build();
    }

    /** Only columns as such, no fields of them, can be written by themselves. */
    @Override
    public boolean applyTargetColumns(int[][] targetColumns) {
        if (Arrays.stream(targetColumns).anyMatch(path -> path.length != 1)) {
            return false;
        }
        targetFields = Arrays.stream(targetColumns).mapToInt(path -> path[0]).toArray();
        return true;
    }

    /** The rows have the values of a partition that a statement names. */
    @Override
    public void applyStaticPartition(Map<String, String> partition) {}

    @Override
    public SinkRuntimeProvider getSinkRuntimeProvider(Context context) {
        int[] fields =
                targetFields == null
                        ? IntStream.range(0, table.declared().getFieldCount()).toArray()
                        : targetFields;
        SinkTarget target = SinkTarget.of(table, options, fields);
        SteleSink sink =
                guarantee(context.isBounded()) == DeliveryGuarantee.EXACTLY_ONCE
                        ? new ExactlyOnceSink(target)
                        : new AtLeastOnceSink(target);
        return parallelism
                .map(count -> SinkV2Provider.of(sink, count))
                .orElseGet(() -> SinkV2Provider.of(sink));
    }

    private DeliveryGuarantee guarantee(boolean isBounded) {
        if (wanted.filter(DeliveryGuarantee.EXACTLY_ONCE::equals).isPresent()
                && !checkpoints
                && !isBounded) {
            throw new ValidationException(
                    "Expected checkpoints ('execution.checkpointing.interval') for '%s' = 'exactly-once' in a streaming job, found none"
                            .formatted(SteleOptions.SINK_DELIVERY_GUARANTEE.key()));
        }
        return wanted.orElse(
                checkpoints && !isBounded
                        ? DeliveryGuarantee.EXACTLY_ONCE
                        : DeliveryGuarantee.AT_LEAST_ONCE);
    }

    @Override
    public DynamicTableSink copy() {
        SteleTableSink copy = new SteleTableSink(table, options, wanted, checkpoints, parallelism);
        copy.targetFields = targetFields;
        return copy;
    }

    @Override
    public String asSummaryString() {
        return "Stele table " + table;
    }
}
