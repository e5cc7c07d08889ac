package io.stele.paimon.metadata;

import static io.stele.paimon.error.PaimonErrorCode.PAIMON_STORE_ERROR;
import static java.util.Objects.requireNonNull;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.google.inject.Inject;
import io.airlift.log.Logger;
import io.stele.paimon.handle.PaimonColumnHandle;
import io.stele.paimon.handle.PaimonTableHandle;
import io.stele.paimon.image.PinnedSnapshots;
import io.stele.paimon.image.TableImages;
import io.stele.paimon.table.LakeTables;
import io.stele.paimon.type.PartitionFilter;
import io.trino.spi.TrinoException;
import io.trino.spi.statistics.ColumnStatistics;
import io.trino.spi.statistics.Estimate;
import io.trino.spi.statistics.TableStatistics;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import org.apache.paimon.Snapshot;
import org.apache.paimon.stats.ColStats;
import org.apache.paimon.stats.Statistics;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.types.DataField;

/**
 * A reader of table and column statistics for Trino's optimizer, from a table's pinned snapshot and
 * its last {@code ANALYZE}. Thread-safe; may wait for the store.
 */
public final class TableStatisticsReader {
    private static final Logger log = Logger.get(TableStatisticsReader.class);

    /** Cached results of ANALYZE, of some kilobytes each. */
    private static final int MAX_ANALYZED = 1_000;

    private final Cache<String, Optional<Statistics>> analyzed =
            Caffeine.newBuilder().maximumSize(MAX_ANALYZED).build();
    private final LakeTables tables;
    private final PinnedSnapshots snapshots;
    private final TableImages images;

    @Inject
    public TableStatisticsReader(LakeTables tables, PinnedSnapshots snapshots, TableImages images) {
        this.snapshots = requireNonNull(snapshots, "snapshots is null");
        this.images = requireNonNull(images, "images is null");
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
        Snapshot snapshot = snapshots.snapshot(handle, table);
        TableStatistics.Builder result = TableStatistics.builder();
        result.setRowCount(Estimate.of((double) rows(handle, table, snapshot)));
        Optional<Statistics> analyzed = analyzed(table, snapshot);
        if (analyzed.isPresent()) {
            addAnalyzed(table, analyzed.get(), columns, handle.enforced().isAll(), result);
        }
        return result.build();
    }

    /** The results of ANALYZE, read once; empty if there are none or their file cannot be read. */
    private Optional<Statistics> analyzed(FileStoreTable table, Snapshot snapshot) {
        String file = snapshot.statistics();
        if (file == null) {
            return Optional.empty();
        }
        return analyzed.get(
                table.location() + "/" + file,
                key -> {
                    try {
                        return table.store().newStatsFileHandler().readStats(snapshot);
                    } catch (RuntimeException e) {
                        log.warn(e, "Planning without the statistics in %s", key);
                        return Optional.empty();
                    }
                });
    }

    /**
     * The number of rows in the files of wanted partitions; in a table with a primary key, obsolete
     * rows count too.
     */
    private long rows(PaimonTableHandle handle, FileStoreTable table, Snapshot snapshot) {
        Long total = snapshot.totalRecordCount();
        if (handle.enforced().isAll() && total != null) {
            return Math.max(0, total);
        }
        PartitionFilter filter =
                new PartitionFilter(handle.enforced(), table.schema().logicalPartitionType());
        try {
            return images.image(table, snapshot).partitions().stream()
                    .filter(partition -> filter.test(partition.partition()))
                    .mapToLong(partition -> partition.sums().rowCount())
                    .sum();
        } catch (IOException e) {
            throw new TrinoException(
                    PAIMON_STORE_ERROR,
                    "Cannot read the manifests of %s: %s".formatted(handle.name(), e.getMessage()),
                    e);
        }
    }

    private static void addAnalyzed(
            FileStoreTable table,
            Statistics analyzed,
            Map<Integer, PaimonColumnHandle> columns,
            boolean isWhole,
            TableStatistics.Builder result) {
        long rows = analyzed.mergedRecordCount().orElse(0);
        if (rows <= 0) {
            return;
        }
        if (isWhole) {
            result.setRowCount(Estimate.of((double) rows));
        }
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
                            distinct ->
                                    statistics.setDistinctValuesCount(
                                            Estimate.of((double) distinct)));
            found.avgLen()
                    .ifPresent(
                            length -> statistics.setDataSize(Estimate.of((double) length * rows)));
            result.setColumnStatistics(column, statistics.build());
        }
    }
}
