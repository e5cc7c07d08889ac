package io.stele.engine.statistics;

import io.stele.engine.datafile.ColumnFile;
import io.stele.engine.manifest.FileEntry;
import io.stele.engine.manifest.FileSketches;
import io.stele.engine.row.InitialStatistics;
import io.stele.engine.tablet.TableView;
import io.stele.protocol.predicate.ColumnSketch;
import io.stele.protocol.predicate.ColumnStats;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.TableSchema;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A sum of the statistics of column files, and of rows in memory, of one table. Files are added
 * first. Confined to one thread, or not changed any more.
 */
final class FileSum {
    private final Map<Integer, ColumnStatisticsSum> columns = new HashMap<>();
    private final Map<Integer, ColumnSketch> initial = new HashMap<>();
    private double rowCount;
    private long sizeBytes;

    FileSum(TableSchema schema) {
        for (ColumnSchema column : schema.columns()) {
            columns.put(column.id(), new ColumnStatisticsSum());
            InitialStatistics.sketch(column).ifPresent(one -> initial.put(column.id(), one));
        }
    }

    /**
     * Adds the live rows of a file.
     *
     * @param found the statistics of its columns, as the view's version of the table has them
     */
    void addFile(TableView view, ColumnFile file, Map<Integer, ColumnStats> found) {
        FileEntry entry = file.entry();
        sizeBytes += entry.sizeBytes();
        long live = entry.rowCount() - file.deletes().cardinality();
        if (live > 0) {
            rowCount += live;
            FileSketches.Group sketches = entry.sketches().group(entry.rowCount());
            List<ColumnSchema> written =
                    view.versions().mapping(entry.schemaVersion()).from().columns();
            columns.forEach(
                    (id, column) ->
                            column.addFile(
                                    entry,
                                    sketches,
                                    id,
                                    found.getOrDefault(id, ColumnStats.UNKNOWN),
                                    written.stream().anyMatch(there -> there.id() == id),
                                    Optional.ofNullable(initial.get(id)),
                                    live));
        }
    }

    /** Adds the files of another sum of the same version of the table. */
    void addFiles(FileSum other) {
        rowCount += other.rowCount;
        sizeBytes += other.sizeBytes;
        other.columns.forEach(
                (id, column) ->
                        columns.computeIfAbsent(id, _ -> new ColumnStatisticsSum())
                                .addFiles(column));
    }

    /** Adds rows and bytes of which nothing else is known. */
    void addUnknown(long rows, long bytes) {
        rowCount += rows;
        sizeBytes += bytes;
    }

    /**
     * Adds rows in memory, by a sample of them.
     *
     * @param limit of the versions that are sampled
     */
    void addMemory(TableView view, int limit) {
        MemorySample sample = MemorySample.of(view, limit);
        double rows =
                sample.versions() == 0
                        ? 0
                        : (double) sample.rows()
                                * (sample.complete()
                                        ? 1
                                        : (double) view.memoryVersions() / sample.versions());
        rowCount += rows;
        columns.forEach(
                (id, column) ->
                        column.addMemory(
                                sample,
                                rows,
                                sample.columns().getOrDefault(id, ColumnStats.UNKNOWN),
                                sample.sketches().get(id)));
    }

    long rowCount() {
        return Math.round(rowCount);
    }

    long sizeBytes() {
        return sizeBytes;
    }

    /** The sums of the columns, by id. */
    Map<Integer, ColumnStatisticsSum> columns() {
        return columns;
    }
}
