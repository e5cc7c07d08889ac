package io.stele.flink.sink;

import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.streaming.api.connector.sink2.SupportsPreWriteTopology;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.table.data.RowData;

/** A sink of rows to a table of Stele. */
public abstract sealed class SteleSink implements Sink<RowData>, SupportsPreWriteTopology<RowData>
        permits AtLeastOnceSink, ExactlyOnceSink {
    private static final long serialVersionUID = 1;

    private final SinkTarget target;

    SteleSink(SinkTarget target) {
        this.target = target;
    }

    SinkTarget target() {
        return target;
    }

    @Override
    public DataStream<RowData> addPreWriteTopology(DataStream<RowData> rows) {
        boolean shuffles =
                target.options().shuffleByShard() && target.table().schema().hasPrimaryKey();
        return shuffles ? new ShardPartitioner(target.table()).partition(rows) : rows;
    }
}
