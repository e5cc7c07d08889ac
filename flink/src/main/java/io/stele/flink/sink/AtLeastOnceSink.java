package io.stele.flink.sink;

import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.table.data.RowData;

/**
 * A sink whose rows become visible within milliseconds; a checkpoint waits until all are durable.
 * Rows may be written again after a failure. Immutable, and serialized into the job.
 */
public final class AtLeastOnceSink extends SteleSink {
    private static final long serialVersionUID = 1;

    public AtLeastOnceSink(SinkTarget target) {
        super(target);
    }

    @Override
    public SinkWriter<RowData> createWriter(WriterInitContext context) {
        return new AtLeastOnceWriter(target(), context.metricGroup());
    }
}
