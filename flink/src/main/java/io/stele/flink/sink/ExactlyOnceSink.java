package io.stele.flink.sink;

import java.util.UUID;
import org.apache.flink.api.connector.sink2.Committer;
import org.apache.flink.api.connector.sink2.CommitterInitContext;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.SupportsCommitter;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.table.data.RowData;

/**
 * A sink whose rows take effect exactly once: the checkpoint contains them, and they are committed
 * after it completes. Immutable, and serialized into the job.
 *
 * <p>The rows of a subtask since the last checkpoint become part of the next one, as {@link
 * Committable}s. After the checkpoint, each committable is staged in a transaction of the sidecar
 * and committed with a record of the commit. So the sidecar holds no rows that wait for a
 * checkpoint. A restart of the sidecar or of the job, however long, loses and repeats nothing.
 */
public final class ExactlyOnceSink extends SteleSink implements SupportsCommitter<Committable> {
    private static final long serialVersionUID = 1;

    public ExactlyOnceSink(SinkTarget target) {
        super(target);
    }

    @Override
    public SinkWriter<RowData> createWriter(WriterInitContext context) {
        return new ExactlyOnceWriter(target(), UUID.randomUUID(), context.metricGroup());
    }

    @Override
    public Committer<Committable> createCommitter(CommitterInitContext context) {
        return new TransactionCommitter(target(), context.metricGroup());
    }

    @Override
    public SimpleVersionedSerializer<Committable> getCommittableSerializer() {
        return new CommittableSerializer();
    }
}
