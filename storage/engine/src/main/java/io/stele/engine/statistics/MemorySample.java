package io.stele.engine.statistics;

import io.stele.engine.memtable.MemTable;
import io.stele.engine.row.KeyedVersion;
import io.stele.engine.row.RowSketches;
import io.stele.engine.tablet.TableView;
import io.stele.protocol.predicate.ColumnSketch;
import io.stele.protocol.predicate.ColumnStats;
import io.stele.protocol.predicate.StatsCollector;
import io.stele.protocol.row.BinaryRow;
import java.util.Iterator;
import java.util.Map;

/**
 * Statistics of a sample of one table's rows in the memtables of one shard, for the table
 * statistics of the optimizer. The sample has the first versions of each memtable, or all of them
 * where they are few.
 *
 * @param versions number of versions examined
 * @param rows number of these that are the newest of their key in their memtable, and no tombstones
 * @param complete whether nothing was left out
 * @param columns statistics of the rows by column id
 * @param sketches of the rows by column id
 */
record MemorySample(
        long versions,
        long rows,
        boolean complete,
        Map<Integer, ColumnStats> columns,
        Map<Integer, ColumnSketch> sketches) {
    /**
     * @param limit of versions in the sample
     */
    static MemorySample of(TableView view, int limit) {
        StatsCollector stats = new StatsCollector(view.versions().layout());
        RowSketches sketches = new RowSketches(view.versions().layout());
        BinaryRow row = new BinaryRow(view.versions().layout());
        long versions = 0;
        boolean complete = true;
        int share = Math.max(1, limit / Math.max(1, view.memTables().size()));
        for (MemTable table : view.memTables()) {
            Iterator<KeyedVersion> newestFirst = table.versions();
            KeyedVersion before = null;
            for (int i = 0; i < share && newestFirst.hasNext(); i++) {
                KeyedVersion version = newestFirst.next();
                boolean newest = before == null || before.compareKey(version) != 0;
                before = version;
                versions++;
                if (newest && !version.isDeleted()) {
                    row.wrap(version.rowArray(), version.rowOffset(), version.rowLength());
                    stats.add(row);
                    sketches.add(row);
                }
            }
            complete &= !newestFirst.hasNext();
        }
        return new MemorySample(
                versions, stats.rowCount(), complete, stats.stats(), sketches.sketches());
    }
}
