package io.stele.engine.status;

import static java.util.Objects.requireNonNull;

import io.stele.engine.index.IndexMemTable;
import io.stele.engine.index.IndexView;
import io.stele.protocol.schema.IndexSchema;
import java.util.List;

/**
 * The size and counters of a secondary index, over all shards of the node, for monitoring.
 *
 * @param entries in memory and files, including those without a row
 * @param staleDropped entries without a row that compactions have dropped since the start
 */
public record IndexStatus(
        IndexSchema index,
        long entries,
        long memoryBytes,
        long fileBytes,
        int fileCount,
        long staleDropped) {
    public IndexStatus {
        requireNonNull(index, "index is null");
    }

    public static IndexStatus of(IndexSchema index, List<IndexView> shards) {
        long entries = 0;
        long memoryBytes = 0;
        long fileBytes = 0;
        int fileCount = 0;
        long staleDropped = 0;
        for (IndexView shard : shards) {
            entries += shard.memTables().stream().mapToLong(IndexMemTable::entryCount).sum();
            entries += shard.files().stream().mapToLong(file -> file.entry().rowCount()).sum();
            memoryBytes += shard.memoryBytes();
            fileBytes += shard.fileBytes();
            fileCount += shard.files().size();
            staleDropped += shard.staleDropped();
        }
        return new IndexStatus(index, entries, memoryBytes, fileBytes, fileCount, staleDropped);
    }
}
