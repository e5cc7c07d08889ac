package io.stele.flink.sink;

import io.stele.flink.option.SteleOptions;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.ApiJson;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import org.apache.flink.api.connector.sink2.CommittingSinkWriter;
import org.apache.flink.metrics.groups.SinkWriterMetricGroup;
import org.apache.flink.table.data.RowData;

/**
 * A writer of an {@link ExactlyOnceSink}, which buffers rows in memory until the next checkpoint.
 * It makes no request; too many bytes fail the task. Confined to the task's thread.
 */
final class ExactlyOnceWriter implements CommittingSinkWriter<RowData, Committable> {
    private final SinkTarget target;
    private final UUID writerId;
    private final SinkWriterMetricGroup metrics;
    private final byte[] schemaJson;
    private final PendingRows pending;
    private long sequence;
    private volatile long pendingBytes;

    ExactlyOnceWriter(SinkTarget target, UUID writerId, SinkWriterMetricGroup metrics) {
        this.target = target;
        this.writerId = writerId;
        this.metrics = metrics;
        this.schemaJson = ApiJson.write(target.table().schema());
        this.pending = new PendingRows(target);
        metrics.gauge("pendingBytes", () -> pendingBytes);
    }

    @Override
    public void write(RowData row, Context context) throws IOException {
        try {
            pending.add(row);
        } catch (SteleException wrong) {
            metrics.getNumRecordsSendErrorsCounter().inc();
            throw new IOException(
                    "Cannot write a row to table %s of Stele: %s"
                            .formatted(target.table(), wrong.getMessage()),
                    wrong);
        }
        metrics.getNumRecordsSendCounter().inc();
        pendingBytes = pending.sizeBytes();
        if (pendingBytes > target.options().checkpointBytes()) {
            throw new IOException(
                    "Expected at most %d bytes of rows for table %s between two checkpoints of a subtask, found more: raise '%s', take checkpoints more often, or use '%s' = 'at-least-once'"
                            .formatted(
                                    target.options().checkpointBytes(),
                                    target.table(),
                                    SteleOptions.SINK_CHECKPOINT_MAX_SIZE.key(),
                                    SteleOptions.SINK_DELIVERY_GUARANTEE.key()));
        }
    }

    /** Does nothing: rows are sent only after the checkpoint completes. */
    @Override
    public void flush(boolean endOfInput) {}

    @Override
    public Collection<Committable> prepareCommit() {
        List<Committable> committables = new ArrayList<>();
        for (List<RowGroup> groups : pending.take(target.options().transactionBytes())) {
            Committable committable = new Committable(writerId, ++sequence, schemaJson, groups);
            metrics.getNumBytesSendCounter().inc(committable.sizeBytes());
            committables.add(committable);
        }
        pendingBytes = 0;
        return committables;
    }

    @Override
    public void close() {}
}
