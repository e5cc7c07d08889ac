package io.stele.flink.sink;

import static java.util.Objects.requireNonNull;

import io.stele.flink.option.DeliveryGuarantee;
import io.stele.flink.option.SinkOptions;
import io.stele.flink.table.BoundTable;
import io.stele.flink.table.TableBuilder;
import java.util.stream.IntStream;
import org.apache.flink.table.api.ValidationException;

/**
 * A builder of sinks for DataStream programs. It requires {@code endpoints}, {@code secret} and
 * {@code table}. Confined to one thread.
 */
public final class SteleSinkBuilder extends TableBuilder<SteleSinkBuilder> {
    private DeliveryGuarantee guarantee = DeliveryGuarantee.EXACTLY_ONCE;

    SteleSinkBuilder() {}

    /**
     * Sets the guarantee for rows that Flink sends again after a failure. The default is
     * exactly-once: rows become visible with the job's checkpoints. A job without checkpoints shows
     * none before its end.
     */
    public SteleSinkBuilder deliveryGuarantee(DeliveryGuarantee value) {
        guarantee = requireNonNull(value, "value is null");
        return this;
    }

    @Override
    protected SteleSinkBuilder self() {
        return this;
    }

    /**
     * Asks a sidecar for the table, and builds a sink for it; blocks. If only some columns of a
     * table with a primary key were named, the sink changes only those.
     *
     * @throws ValidationException a required option is missing or wrong; there is no such table or
     *     column; a column that requires a value gets none; or no sidecar answers
     */
    public SteleSink build() {
        BoundTable table = bind();
        int[] fields = IntStream.range(0, table.declared().getFieldCount()).toArray();
        SinkTarget target = SinkTarget.of(table, SinkOptions.of(config()), fields);
        return switch (guarantee) {
            case EXACTLY_ONCE -> new ExactlyOnceSink(target);
            case AT_LEAST_ONCE -> new AtLeastOnceSink(target);
        };
    }
}
