package io.stele.flink.lookup;

import static java.util.Objects.requireNonNull;

import io.stele.flink.table.BoundTable;
import io.stele.flink.table.RowValues;
import io.stele.protocol.row.KeyEncoder;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.ShardRouter;
import io.stele.protocol.schema.TableSchema;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.apache.flink.table.connector.source.abilities.SupportsLookupCustomShuffle.InputDataPartitioner;
import org.apache.flink.table.data.RowData;
import org.jspecify.annotations.Nullable;

/**
 * The shuffle before a lookup join: rows whose keys are in one shard go to one subtask, which then
 * asks few sidecars. With more subtasks than shards, each shard has several subtasks, and a key one
 * of them. Deterministic; serialized into the job; confined to one thread there.
 */
public final class LookupPartitioner implements InputDataPartitioner {
    private static final long serialVersionUID = 1;

    private final BoundTable table;
    private final int[] keys;
    private transient @Nullable Routing routing;

    private LookupPartitioner(BoundTable table, int[] keys) {
        this.table = table;
        this.keys = keys;
    }

    /**
     * The shuffle of rows with certain lookup keys; empty if the keys do not determine the shard.
     *
     * @param keys for each field of a key row, its position among the declared fields
     */
    public static Optional<InputDataPartitioner> of(BoundTable table, int[] keys) {
        requireNonNull(table, "table is null");
        List<Integer> columnIds = table.columnIds();
        List<Integer> found = IntStream.of(keys).mapToObj(columnIds::get).toList();
        List<Integer> needed =
                table.schema().distributionColumns().stream().map(ColumnSchema::id).toList();
        return needed.isEmpty() || !found.containsAll(needed)
                ? Optional.empty()
                : Optional.of(new LookupPartitioner(table, keys.clone()));
    }

    /** The subtask of a key. A key with a null finds no row, so any one subtask may have it. */
    @Override
    public int partition(RowData joinKeys, int subtasks) {
        Routing present = routing;
        if (present == null) {
            present = new Routing(table, keys);
            routing = present;
        }
        byte[] key = present.distributionKey(joinKeys);
        return key == null ? 0 : subtask(key, present.shardCount, subtasks);
    }

    /** Of the subtasks {@code shard, shard + shardCount, ...}, the one of the key. */
    private static int subtask(byte[] key, int shardCount, int subtasks) {
        int shard = ShardRouter.shard(shardCount, key, 0, key.length);
        if (subtasks <= shardCount) {
            return shard % subtasks;
        }
        int ofShard = (subtasks - shard + shardCount - 1) / shardCount;
        return shard + shardCount * Math.floorMod(Arrays.hashCode(key), ofShard);
    }

    /** The non-serializable part, which encodes distribution keys. */
    private static final class Routing {
        private final RowValues values;
        private final KeyEncoder encoder;
        private final int shardCount;

        Routing(BoundTable table, int[] keys) {
            TableSchema schema = table.schema();
            this.values = RowValues.lookupKey(table, schema, schema.distributionColumns(), keys);
            this.encoder = KeyEncoder.forDistribution(schema);
            this.shardCount = schema.shardCount();
        }

        /** The encoded distribution key; null if one of its values is null. */
        byte @Nullable [] distributionKey(RowData row) {
            List<@Nullable Object> key = Arrays.asList(values.of(row));
            return key.contains(null) ? null : encoder.encodeObjects(key);
        }
    }
}
