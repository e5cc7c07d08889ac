package io.stele.engine.transaction;

import static java.util.Objects.requireNonNull;

import io.stele.engine.compaction.output.RowPartitions;
import io.stele.engine.row.TableVersions;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.wire.WriteBatchReader;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * A count of the shards and partitions of held rows, each of which would become a file. It stops at
 * a limit. Confined to one thread.
 */
final class HeldPartitions {
    private final int limit;
    private final boolean isPartitioned;
    private final RowPartitions partitions;
    private final BinaryRow row;
    private final Map<Integer, Set<ByteBuffer>> seen = new HashMap<>();
    private int count;

    HeldPartitions(TableSchema table, int limit) {
        requireNonNull(table, "table is null");
        TableVersions versions = TableVersions.of(table);
        this.limit = limit;
        this.isPartitioned = areFiles(table);
        this.partitions = new RowPartitions(versions);
        this.row = new BinaryRow(versions.layout());
    }

    /** Whether each partition has files of its own, as it has column files. */
    static boolean areFiles(TableSchema table) {
        return !table.partitionedBy().isEmpty() && !table.orientation().hasRows();
    }

    void add(int shard, byte[] batch) {
        Set<ByteBuffer> ofShard = seen.computeIfAbsent(shard, _ -> new HashSet<>());
        if (!isPartitioned) {
            count = seen.size();
            return;
        }
        int before = ofShard.size();
        byte[] last = null;
        WriteBatchReader reader = new WriteBatchReader(batch);
        while (count + ofShard.size() - before < limit && reader.next()) {
            row.wrap(reader.buffer(), reader.rowOffset(), reader.rowLength());
            byte[] partition = partitions.of(row);
            if (partition != last) { // the same array for the same partition
                last = partition;
                ofShard.add(ByteBuffer.wrap(partition));
            }
        }
        count += ofShard.size() - before;
    }

    int count() {
        return count;
    }

    void clear() {
        seen.clear();
        count = 0;
    }
}
