package io.stele.paimon.metadata;

import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.stele.paimon.handle.PaimonColumnHandle;
import io.stele.paimon.handle.PaimonTableHandle;
import io.stele.paimon.table.LakeTables;
import io.trino.spi.statistics.ColumnStatistics;
import io.trino.spi.statistics.Estimate;
import io.trino.spi.statistics.TableStatistics;
import java.util.Map;
import java.util.Optional;
import org.apache.paimon.Snapshot;
import org.apache.paimon.stats.ColStats;
import org.apache.paimon.stats.Statistics;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.types.DataField;

/**
 * A converter of what a table's snapshot and its last {@code ANALYZE} say into Trino's statistics,
 * on the planning path. Thread-safe.
 */
public final class TableStatisticsReader {
    private final LakeTables tables;

    @Inject
    public TableStatisticsReader(LakeTables tables) {
        this.tables = requireNonNull(tables, "tables is null");
    }

    /**
     * @param columns by Paimon's id
     */
    TableStatistics read(PaimonTableHandle handle, Map<Integer, PaimonColumnHandle> columns) {
        if (handle.snapshotId().isEmpty()) {
            return TableStatistics.builder().setRowCount(Estimate.of(0)).build();
        }
        FileStoreTable table = tables.table(handle);
        Snapshot snapshot = snapshot(handle, table);
        TableStatistics.Builder result = TableStatistics.builder();
        // Of a table with a key, obsolete rows are among them
        Long total = snapshot.totalRecordCount();
        if (total != null) {
            result.setRowCount(Estimate.of(Math.max(0, total)));
        }
        Optional<Statistics> analyzed = table.store().newStatsFileHandler().readStats(snapshot);
        if (analyzed.isPresent()) {
            addAnalyzed(table, analyzed.get(), columns, result);
        }
        return result.build();
    }

    private static Snapshot snapshot(PaimonTableHandle handle, FileStoreTable table) {
        return handle.tag().isPresent()
                ? table.tagManager().getOrThrow(handle.tag().get()).trimToSnapshot()
                : table.snapshotManager().snapshot(handle.snapshotId().getAsLong());
    }

    private static void addAnalyzed(
            FileStoreTable table,
            Statistics analyzed,
            Map<Integer, PaimonColumnHandle> columns,
            TableStatistics.Builder result) {
        long rows = analyzed.mergedRecordCount().orElse(0);
        if (rows <= 0) {
            return;
        }
        result.setRowCount(Estimate.of(rows));
        for (DataField field : table.rowType().getFields()) {
            ColStats<?> found = analyzed.colStats().get(field.name());
            PaimonColumnHandle column = columns.get(field.id());
            if (found == null || column == null || found.colId() != field.id()) {
                continue;
            }
            ColumnStatistics.Builder statistics = ColumnStatistics.builder();
            found.nullCount()
                    .ifPresent(
                            nulls ->
                                    statistics.setNullsFraction(
                                            Estimate.of(Math.clamp((double) nulls / rows, 0, 1))));
            found.distinctCount()
                    .ifPresent(
                            distinct -> statistics.setDistinctValuesCount(Estimate.of(distinct)));
            found.avgLen()
                    .ifPresent(
                            length -> statistics.setDataSize(Estimate.of((double) length * rows)));
            result.setColumnStatistics(column, statistics.build());
        }
    }
}
