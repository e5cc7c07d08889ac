package io.stele.engine.transaction;

import io.stele.engine.datafile.PartitionMatcher;
import io.stele.engine.node.Shards;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.schema.TableSchema;

/**
 * The validation of a deletion of partitions, on the write path, before anything of it is logged.
 * It requires a predicate that selects whole partitions, and limits the range tombstones that are
 * not merged into SST files. Stateless.
 */
public final class PartitionDeleteCheck {
    private static final int MAX_OPEN_ENDS = 64; // as many partitions dropped in a retention

    private PartitionDeleteCheck() {}

    /**
     * @throws SteleException INVALID_ARGUMENT when the predicate does not choose whole partitions;
     *     BUSY when there are too many range tombstones that compactions have not yet applied to
     *     SST files
     */
    public static void check(TableSchema schema, ScanPredicate partitions, Shards shards) {
        checkPartitions(schema, partitions);
        checkOpenTombstones(schema, shards);
    }

    private static void checkPartitions(TableSchema schema, ScanPredicate partitions) {
        for (int columnId : partitions.domains().keySet()) {
            boolean fits =
                    schema.partitionedBy().contains(columnId)
                            && PartitionMatcher.isExact(schema.column(columnId));
            if (!fits) {
                throw new SteleException(
                        ErrorCode.INVALID_ARGUMENT,
                        "Expected a predicate on columns that table %s is partitioned by, not of type real or double; found column '%s'"
                                .formatted(schema.qualifiedName(), schema.column(columnId).name()));
            }
        }
    }

    // Each costs a comparison for every version that is read from an SST file.
    private static void checkOpenTombstones(TableSchema schema, Shards shards) {
        for (ShardId id : schema.shards()) {
            int open = shards.shard(id).table(schema.id()).tombstones().size();
            if (open >= MAX_OPEN_ENDS) {
                throw new SteleException(
                        ErrorCode.BUSY,
                        "Expected fewer than %d deletions of partitions of table %s that are not merged into its SST files, found %d in shard %s; compact the table once its retention has passed"
                                .formatted(MAX_OPEN_ENDS, schema.qualifiedName(), open, id));
            }
        }
    }
}
