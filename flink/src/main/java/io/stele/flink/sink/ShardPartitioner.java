package io.stele.flink.sink;

import io.stele.flink.table.BoundTable;
import io.stele.flink.table.RowValues;
import io.stele.protocol.row.KeyEncoder;
import io.stele.protocol.row.RowRouter;
import io.stele.protocol.schema.TableSchema;
import java.util.Arrays;
import org.apache.flink.api.common.functions.Partitioner;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.table.data.RowData;
import org.jspecify.annotations.Nullable;

/**
 * The shuffle before a sink: all rows of a shard go to one subtask, in order, and thus all rows of
 * a key. The primary key contains the distribution key, which determines the shard. Serialized into
 * the job; it makes no request.
 */
final class ShardPartitioner implements KeySelector<RowData, Integer>, Partitioner<Integer> {
    private static final long serialVersionUID = 1;

    private final BoundTable table;
    private transient @Nullable Routing routing;

    ShardPartitioner(BoundTable table) {
        this.table = table;
    }

    DataStream<RowData> partition(DataStream<RowData> rows) {
        return rows.partitionCustom(this, this);
    }

    @Override
    public Integer getKey(RowData row) {
        Routing present = routing;
        if (present == null) {
            present = new Routing(table);
            routing = present;
        }
        return present.shard(row);
    }

    @Override
    public int partition(Integer shard, int subtasks) {
        return shard % subtasks;
    }

    /** The non-serializable part, which computes shards. */
    private static final class Routing {
        private final RowValues keys;
        private final KeyEncoder encoder;
        private final RowRouter router;

        Routing(BoundTable table) {
            TableSchema schema = table.schema();
            this.keys = RowValues.key(table, schema);
            this.encoder = KeyEncoder.forPrimaryKey(schema);
            this.router = RowRouter.of(schema);
        }

        int shard(RowData row) {
            return router.shardOfKey(encoder.encodeObjects(Arrays.asList(keys.of(row))));
        }
    }
}
