package io.stele.flink.sink;

import static java.util.Objects.requireNonNull;

import java.util.Optional;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.table.data.RowData;
import org.jspecify.annotations.Nullable;

/**
 * A sink whose rows replace all rows of the table, or those of their partitions. The replacement is
 * published after the last row. Its single subtask writes and replaces everything again if it is
 * restarted. Immutable, and serialized into the job.
 */
public final class OverwriteSink extends SteleSink {
    private static final long serialVersionUID = 1;

    private final boolean byPartition;
    private final @Nullable Partition named;

    private OverwriteSink(SinkTarget target, boolean byPartition, @Nullable Partition named) {
        super(target);
        this.byPartition = byPartition;
        this.named = named;
    }

    /** A sink whose rows replace all rows of the table. */
    public static OverwriteSink ofTable(SinkTarget target) {
        return new OverwriteSink(target, false, null);
    }

    /**
     * A sink whose rows replace all rows of the partitions to which they belong.
     *
     * @param named a partition that is replaced even if it gets no rows
     */
    public static OverwriteSink ofPartitions(SinkTarget target, Optional<Partition> named) {
        requireNonNull(named, "named is null");
        return new OverwriteSink(target, true, named.orElse(null));
    }

    /** Adds no shuffle, because there is one subtask. */
    @Override
    public DataStream<RowData> addPreWriteTopology(DataStream<RowData> rows) {
        return rows;
    }

    @Override
    public SinkWriter<RowData> createWriter(WriterInitContext context) {
        return new OverwriteWriter(
                target(),
                context.metricGroup(),
                context.getProcessingTimeService(),
                client ->
                        byPartition
                                ? PartitionReplacement.begin(
                                        target(), client, Optional.ofNullable(named))
                                : new TableReplacement(target(), client));
    }
}
