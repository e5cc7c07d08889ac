package io.stele.engine.read;

import io.stele.protocol.row.RowRouter;
import io.stele.protocol.schema.ShardRouter;
import io.stele.protocol.schema.TableSchema;
import org.jspecify.annotations.Nullable;

/**
 * The mapping from a primary key to its shard, for lookups by key. In the usual case, where the
 * distribution key is the primary key, the shard is a hash of the key alone. Otherwise {@link
 * RowRouter} computes it; its construction costs more than a lookup. Confined to one thread.
 */
final class KeyRouter {
    private final int shardCount;
    private final @Nullable RowRouter byParts;

    /** Throws INVALID_ARGUMENT for a table without a primary key and without a distribution key. */
    KeyRouter(TableSchema schema) {
        this.shardCount = schema.shardCount();
        boolean whole =
                schema.distributionKey().isEmpty()
                        || schema.distributionKey().equals(schema.primaryKey());
        this.byParts = schema.hasPrimaryKey() && whole ? null : RowRouter.of(schema);
    }

    /**
     * @param hash {@link io.stele.protocol.schema.XxHash64} of the key
     */
    int shardOf(byte[] key, long hash) {
        RowRouter router = byParts;
        return router == null ? ShardRouter.shard(shardCount, hash) : router.shardOfKey(key);
    }
}
