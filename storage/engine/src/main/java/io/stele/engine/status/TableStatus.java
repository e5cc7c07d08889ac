package io.stele.engine.status;

import static java.util.Objects.requireNonNull;

import io.stele.engine.datafile.ColumnFile;
import io.stele.engine.datafile.SstFile;
import io.stele.engine.index.IndexView;
import io.stele.engine.manifest.FileEntry;
import io.stele.engine.node.Shards;
import io.stele.engine.shard.maintenance.ShardMaintenance;
import io.stele.engine.tablet.TableShard;
import io.stele.engine.tablet.TableView;
import io.stele.engine.tablet.Traffic;
import io.stele.protocol.TableId;
import io.stele.protocol.schema.TableSchema;

/**
 * The state of a table's files and its traffic, over all shards of the node, for monitoring.
 * Counters begin with the start of the node.
 *
 * @param level0Files the SST files in level 0 of the shard that has most, all of which a lookup by
 *     key may have to read
 * @param deepestLevel the deepest level of its SST files
 * @param historyBytes bytes of column files that only readers of the past need
 * @param pendingCompactionBytes approximate bytes that compactions have to read until the files
 *     have their target shape
 */
public record TableStatus(
        TableId tableId,
        long memTableBytes,
        int sstFiles,
        int columnFiles,
        int level0Files,
        int deepestLevel,
        long historyBytes,
        long pendingCompactionBytes,
        Traffic.Totals traffic) {
    public TableStatus {
        requireNonNull(tableId, "tableId is null");
        requireNonNull(traffic, "traffic is null");
    }

    static TableStatus of(TableSchema schema, Shards shards) {
        TableStatus status = new TableStatus(schema.id(), 0, 0, 0, 0, 0, 0, 0, Traffic.Totals.NONE);
        for (TableShard table : shards.table(schema)) {
            status = status.plus(of(table, shards.entry(table.shard()).maintenance()));
        }
        return status;
    }

    private static TableStatus of(TableShard table, ShardMaintenance maintenance) {
        TableView view = table.view();
        int sstFiles = view.sstFiles().size();
        int level0 = TableShard.level0Count(view.sstFiles());
        for (IndexView index : view.indexes()) {
            sstFiles += index.files().size();
            level0 = Math.max(level0, TableShard.level0Count(index.files()));
        }
        return new TableStatus(
                table.schema().id(),
                view.memoryBytes(),
                sstFiles,
                view.columnFiles().size(),
                level0,
                view.sstFiles().stream()
                        .map(SstFile::entry)
                        .mapToInt(FileEntry::level)
                        .max()
                        .orElse(0),
                view.columnFiles().stream()
                        .filter(file -> file.isObsoleteAt(Long.MAX_VALUE))
                        .map(ColumnFile::entry)
                        .mapToLong(FileEntry::sizeBytes)
                        .sum(),
                maintenance.pendingBytes(table),
                table.traffic().totals());
    }

    private TableStatus plus(TableStatus other) {
        return new TableStatus(
                tableId,
                memTableBytes + other.memTableBytes,
                sstFiles + other.sstFiles,
                columnFiles + other.columnFiles,
                Math.max(level0Files, other.level0Files),
                Math.max(deepestLevel, other.deepestLevel),
                historyBytes + other.historyBytes,
                pendingCompactionBytes + other.pendingCompactionBytes,
                traffic.plus(other.traffic));
    }
}
