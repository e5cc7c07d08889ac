package io.stele.connector.handle;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.schema.DataType;
import io.trino.spi.connector.ConnectorPartitioningHandle;
import java.util.List;

/**
 * Trino's handle of a partitioning of a table's rows by shard, for writers and for scans that are
 * grouped by shard. One writer receives all rows of a shard, thus all rows of a key.
 *
 * @param shardCount shards of the table
 * @param keyTypes types of the distribution columns, which the engine passes in this order
 * @param rowId whether the engine passes the row id of {@link SteleColumnHandle#MERGE_ROW_ID}
 *     instead
 */
public record StelePartitioningHandle(int shardCount, List<DataType> keyTypes, boolean rowId)
        implements ConnectorPartitioningHandle {
    public StelePartitioningHandle {
        keyTypes = List.copyOf(keyTypes);
        requireNonNull(keyTypes, "keyTypes is null");
    }

    @Override
    public String toString() {
        return "shard[" + shardCount + "]";
    }
}
