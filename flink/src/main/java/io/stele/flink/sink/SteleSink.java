package io.stele.flink.sink;

import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.streaming.api.connector.sink2.SupportsPreWriteTopology;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;

/**
 * A Flink sink of a table: inserts and updates replace the row of their primary key, or append
 * without one; deletions delete it. The row kind ({@link org.apache.flink.types.RowKind}) decides.
 * Immutable, and serialized into the job; its writers open clients of their own.
 */
public abstract sealed class SteleSink implements Sink<RowData>, SupportsPreWriteTopology<RowData>
        permits AtLeastOnceSink, ExactlyOnceSink, OverwriteSink {
    private static final long serialVersionUID = 1;

    private final SinkTarget target;

    SteleSink(SinkTarget target) {
        this.target = target;
    }

    /** A builder of sinks for DataStream programs. */
    public static SteleSinkBuilder builder() {
        return new SteleSinkBuilder();
    }

    /** The type of the rows: one field for each column, with Flink's internal values. */
    public TypeInformation<RowData> inputType() {
        return InternalTypeInfo.of(target.table().declared());
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
