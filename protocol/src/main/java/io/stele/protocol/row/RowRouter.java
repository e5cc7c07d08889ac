package io.stele.protocol.row;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.schema.ShardRouter;
import io.stele.protocol.schema.TableSchema;
import java.util.List;

/**
 * A router of rows and primary keys to shards: it extracts the distribution key and applies {@link
 * ShardRouter}. Confined to one thread, because it has a reusable buffer.
 */
public final class RowRouter {
    private final String tableName;
    private final boolean hasPrimaryKey;
    private final int shardCount;
    private final boolean byWholeKey;
    private final KeyEncoder key;
    private final KeyEncoder distribution;

    /** For each distribution column, its position in the primary key. */
    private final int[] components;

    private final int[] ends;
    private final GrowingBytes buffer = GrowingBytes.forKey();

    private RowRouter(TableSchema schema) {
        this.tableName = schema.qualifiedName();
        this.hasPrimaryKey = schema.hasPrimaryKey();
        this.shardCount = schema.shardCount();
        this.distribution = KeyEncoder.forDistribution(schema);
        this.key = schema.hasPrimaryKey() ? KeyEncoder.forPrimaryKey(schema) : distribution;
        List<Integer> primaryKey = schema.primaryKey();
        List<Integer> distributionKey =
                distribution.columns().stream().map(column -> column.id()).toList();
        this.byWholeKey = primaryKey.equals(distributionKey);
        this.components = distributionKey.stream().mapToInt(primaryKey::indexOf).toArray();
        this.ends = new int[primaryKey.size() + 1];
    }

    private RowRouter(RowRouter other) {
        this.tableName = other.tableName;
        this.hasPrimaryKey = other.hasPrimaryKey;
        this.shardCount = other.shardCount;
        this.byWholeKey = other.byWholeKey;
        this.key = other.key;
        this.distribution = other.distribution;
        this.components = other.components;
        this.ends = new int[other.ends.length];
    }

    /**
     * A router of a table's rows; throws INVALID_ARGUMENT if the table has neither primary nor
     * distribution key, so that any shard may store a row.
     */
    public static RowRouter of(TableSchema schema) {
        return new RowRouter(schema);
    }

    /** A router of the table with its own buffer; any thread may call this. */
    public RowRouter copy() {
        return new RowRouter(this);
    }

    /** The shard index of a whole row. */
    public int shardOfRow(BinaryRow row) {
        buffer.clear();
        distribution.encode(row, buffer);
        return ShardRouter.shard(shardCount, buffer.array(), 0, buffer.length());
    }

    public int shardOfKey(byte[] primaryKey) {
        return shardOfKey(primaryKey, 0, primaryKey.length);
    }

    /** The shard index of an encoded primary key; throws CORRUPT_DATA if it is not one. */
    public int shardOfKey(byte[] bytes, int offset, int length) {
        if (!hasPrimaryKey) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected a table with a primary key, found " + tableName + ", which has none");
        }
        if (byWholeKey) {
            return ShardRouter.shard(shardCount, bytes, offset, length);
        }
        ends[0] = offset;
        for (int i = 0; i < ends.length - 1; i++) {
            ends[i + 1] = key.componentEnd(i, bytes, ends[i], offset + length);
        }
        buffer.clear();
        for (int component : components) {
            buffer.append(bytes, ends[component], ends[component + 1] - ends[component]);
        }
        return ShardRouter.shard(shardCount, buffer.array(), 0, buffer.length());
    }
}
