package io.stele.protocol.row;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.schema.IndexSchema;
import io.stele.protocol.schema.ShardRouter;
import io.stele.protocol.schema.TableSchema;
import java.util.List;
import java.util.OptionalInt;

/**
 * A router of secondary index keys to the shards that hold their rows. An index is stored in the
 * shards of its rows. So any shard may have rows of a key, unless the key includes the distribution
 * key. Confined to one thread.
 */
public final class IndexRouter {
    private final TableSchema schema;
    private final IndexSchema index;
    private final KeyEncoder columns;

    public IndexRouter(TableSchema schema, IndexSchema index) {
        this.schema = requireNonNull(schema, "schema is null");
        this.index = requireNonNull(index, "index is null");
        this.columns = KeyEncoder.forColumns(schema, index.columns());
    }

    /**
     * The index of the shard; empty: all shards.
     *
     * @param prefix values of the first index columns, all or some, encoded by {@link KeyEncoder}
     * @throws SteleException INVALID_ARGUMENT if it is not such a prefix
     */
    public OptionalInt shardOf(byte[] prefix) {
        List<Integer> ids = index.columns();
        int[] starts = new int[ids.size() + 1];
        int bound = 0;
        try {
            while (starts[bound] < prefix.length && bound < ids.size()) {
                starts[bound + 1] =
                        columns.componentEnd(bound, prefix, starts[bound], prefix.length);
                bound++;
            }
        } catch (SteleException malformed) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected values of the first columns of index '"
                            + index.name()
                            + "': "
                            + malformed.getMessage(),
                    malformed);
        }
        if (starts[bound] != prefix.length) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected a key of %d bytes of index '%s', found %d bytes"
                            .formatted(starts[bound], index.name(), prefix.length));
        }
        GrowingBytes distribution = GrowingBytes.forKey();
        List<Integer> routing =
                schema.distributionKey().isEmpty() ? schema.primaryKey() : schema.distributionKey();
        for (int columnId : routing) {
            int at = ids.indexOf(columnId);
            // A null, which no row has here, has no value after its marker.
            if (at < 0 || at >= bound || starts[at + 1] - starts[at] == 1) {
                return OptionalInt.empty();
            }
            distribution.append(prefix, starts[at] + 1, starts[at + 1] - starts[at] - 1);
        }
        return OptionalInt.of(
                ShardRouter.shard(
                        schema.shardCount(), distribution.array(), 0, distribution.length()));
    }
}
