package io.stele.engine.statistics;

import io.stele.columnfile.metadata.SketchBuilder;
import io.stele.engine.manifest.FileEntry;
import io.stele.engine.manifest.FileSketches;
import io.stele.protocol.api.catalog.ColumnSize;
import io.stele.protocol.predicate.ColumnSketch;
import io.stele.protocol.predicate.ColumnStats;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A sum of one column's statistics over a table's files and samples of its rows in memory, for the
 * table statistics of the optimizer. Files are added first. Confined to one thread.
 */
final class ColumnStatisticsSum {
    /**
     * If more than this share of a sample's values are new, rows outside the sample are assumed to
     * have new values too.
     */
    private static final double MOSTLY_NEW = 0.5;

    private final SketchBuilder sketch = new SketchBuilder();
    private final Set<FileSketches.Group> groups = new HashSet<>(); // that are in the sketch
    private @Nullable ColumnStats stats;
    private boolean sketched = true;
    private long rows; // that stats covers
    private double nulls;
    private boolean countsNulls = true;
    private double valueBytes;
    private double moreValues; // beyond the sketch

    /**
     * Adds a file's rows.
     *
     * @param sketches the sketches of the file, or of a group of files with it
     * @param found the statistics of the column in the file
     * @param hasColumn whether the file has the column; else all rows have {@code initial}, or null
     * @param initial the sketch of one row with the column's initial value
     * @param live rows of the file that are not deleted
     */
    void addFile(
            FileEntry file,
            FileSketches.Group sketches,
            int columnId,
            ColumnStats found,
            boolean hasColumn,
            Optional<ColumnSketch> initial,
            long live) {
        add(found, file.rowCount(), (double) live / file.rowCount());
        ColumnSketch known = sketches.sketches().get(columnId);
        if (known != null) {
            if (groups.add(sketches)) {
                sketch.merge(known);
            }
            valueBytes += known.valueBytes() * ((double) live / sketches.rowCount());
        } else if (hasColumn) {
            sketched = false;
        } else if (initial.isPresent()) {
            sketch.merge(initial.get());
            valueBytes += (double) initial.get().valueBytes() * live;
        }
    }

    /** Adds the files of another sum. */
    void addFiles(ColumnStatisticsSum other) {
        ColumnStats found = other.stats;
        if (found == null) {
            return;
        }
        ColumnStats before = stats;
        stats = before == null ? found : before.merge(rows, found, other.rows);
        rows += other.rows;
        countsNulls &= other.countsNulls;
        nulls += other.nulls;
        sketched &= other.sketched;
        sketch.merge(other.sketch);
        valueBytes += other.valueBytes;
    }

    /**
     * Adds rows in memory.
     *
     * @param rowsInMemory the number of rows that the sample represents
     */
    void addMemory(
            MemorySample sample,
            double rowsInMemory,
            ColumnStats found,
            @Nullable ColumnSketch of) {
        if (sample.rows() == 0) {
            return;
        }
        double scale = rowsInMemory / sample.rows();
        add(found, sample.rows(), scale);
        if (of == null) {
            sketched = false;
            return;
        }
        long before = sketch.distinctCount();
        sketch.merge(of);
        valueBytes += of.valueBytes() * scale;
        double added = (double) sketch.distinctCount() - before;
        if (added > MOSTLY_NEW * sample.rows()) {
            moreValues += added * (scale - 1);
        }
    }

    private void add(ColumnStats found, long count, double scale) {
        ColumnStats before = stats;
        stats = before == null ? found : before.merge(rows, found, count);
        rows += count;
        countsNulls &= found.hasNullCount();
        nulls += Math.max(0, found.nullCount()) * scale;
    }

    /** The range and the null count; null if there are no rows. */
    @Nullable ColumnStats stats() {
        ColumnStats sum = stats;
        return sum == null
                ? null
                : new ColumnStats(
                        sum.min(), sum.max(), countsNulls ? Math.round(nulls) : -1, sum.hasNaN());
    }

    /**
     * @param rowCount of the table
     * @param unique whether each row has a value of its own
     */
    ColumnSize size(long rowCount, boolean unique) {
        double values = Math.max(0, rowCount - (countsNulls ? nulls : 0));
        long distinct =
                unique
                        ? rowCount
                        : sketched
                                ? Math.round(Math.min(values, sketch.distinctCount() + moreValues))
                                : -1;
        return new ColumnSize(distinct, sketched ? Math.round(valueBytes) : -1);
    }
}
