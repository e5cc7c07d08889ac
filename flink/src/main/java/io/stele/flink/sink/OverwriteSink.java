package io.stele.flink.sink;

import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.table.data.RowData;

/**
 * A sink whose rows take the place of all rows of the table, at once, when the last one is written.
 * It has one subtask; when that is repeated, it writes and replaces once more.
 */
public final class OverwriteSink extends SteleSink {
    private static final long serialVersionUID = 1;

    public OverwriteSink(SinkTarget target) {
        super(target);
    }

    /** One subtask needs no shuffle. */
    @Override
    public DataStream<RowData> addPreWriteTopology(DataStream<RowData> rows) {
        return rows;
    }

    @Override
    public SinkWriter<RowData> createWriter(WriterInitContext context) {
        return new OverwriteWriter(target(), context.metricGroup());
    }
}
