package io.stele.protocol.schema;

/**
 * The hash function from a distribution key to its shard: {@code floorMod(xxHash64(key),
 * shardCount)}.
 *
 * <p>{@link io.stele.protocol.row.RowRouter} finds the distribution key of a row or of a primary
 * key.
 */
public final class ShardRouter {
    private ShardRouter() {}

    /** The shard index of an encoded distribution key, which by default is the primary key. */
    public static int shard(TableSchema schema, byte[] distributionKey) {
        return shard(schema.shardCount(), distributionKey, 0, distributionKey.length);
    }

    public static int shard(int shardCount, byte[] distributionKey, int offset, int length) {
        return shard(shardCount, XxHash64.hash(distributionKey, offset, length));
    }

    /** The shard index of a distribution key's hash. */
    public static int shard(int shardCount, long hash) {
        return (int) Math.floorMod(hash, (long) shardCount);
    }
}
