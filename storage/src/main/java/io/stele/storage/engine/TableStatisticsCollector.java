package io.stele.storage.engine;

import io.stele.protocol.api.TableStatistics;
import io.stele.protocol.predicate.ColumnStats;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.TableSchema;
import io.stele.storage.manifest.FileEntry;
import io.stele.storage.tablet.ColumnFile;
import io.stele.storage.tablet.RowFile;
import io.stele.storage.tablet.TableShard;
import io.stele.storage.tablet.TableView;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Adds up what files and memtables say of themselves. Rows that are superseded in row files or
 * memory are counted until they are merged away; columns have bounds only while everything is in
 * column files, since memory keeps none.
 */
final class TableStatisticsCollector {
    private TableStatisticsCollector() {}

    static TableStatistics collect(TableSchema schema, List<TableShard> tables) {
        long rowCount = 0;
        long sizeBytes = 0;
        long memoryRows = 0;
        Map<Integer, ColumnStats> columns = new HashMap<>();
        long columnRows = 0;
        for (TableShard table : tables) {
            TableView view = table.view();
            memoryRows += view.memoryVersions();
            sizeBytes += view.memoryBytes();
            for (ColumnFile file : view.columnFiles()) {
                FileEntry entry = file.entry();
                rowCount += entry.rowCount() - file.deletes().cardinality();
                sizeBytes += entry.sizeBytes();
                add(schema, columns, columnRows, entry, view.versions().statistics(entry));
                columnRows += entry.rowCount();
            }
            if (!schema.orientation().hasColumns()) {
                for (RowFile file : view.rowFiles()) {
                    rowCount += file.entry().rowCount();
                    sizeBytes += file.entry().sizeBytes();
                }
            }
        }
        boolean bounded = memoryRows == 0 && schema.orientation().hasColumns();
        return new TableStatistics(rowCount + memoryRows, sizeBytes, bounded ? columns : Map.of());
    }

    private static void add(
            TableSchema schema,
            Map<Integer, ColumnStats> columns,
            long rowsBefore,
            FileEntry entry,
            Map<Integer, ColumnStats> statistics) {
        for (ColumnSchema column : schema.columns()) {
            ColumnStats stats = statistics.getOrDefault(column.id(), ColumnStats.UNKNOWN);
            columns.merge(
                    column.id(),
                    stats,
                    (sum, next) -> sum.merge(rowsBefore, next, entry.rowCount()));
        }
    }
}
