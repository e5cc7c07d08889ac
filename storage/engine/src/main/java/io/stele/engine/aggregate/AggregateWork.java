package io.stele.engine.aggregate;

import static java.util.Objects.requireNonNull;

import io.stele.engine.datafile.TableFiles;
import io.stele.engine.manifest.FileEntry;
import io.stele.engine.tablet.TableView;
import io.stele.protocol.api.scan.AggregationEstimate;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.TableSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * An estimate, for the query planner, of an aggregation's work and of a scan of the same rows, from
 * manifest entries and cache contents. Confined to one thread.
 */
final class AggregateWork {
    private final TableFiles files;
    private final AggregatePlan plan;
    private final TableSchema table;
    private final List<Read> reads = new ArrayList<>();
    private int fileCount;
    private long fileBytes;
    private double scannedRows;
    private double scannedBytes;
    private long liveRows;

    /** A file that is read unless its result is cached. */
    private record Read(FileScope scope, Optional<AggregateCacheKey> key) {}

    AggregateWork(TableFiles files, AggregatePlan plan, TableSchema table) {
        this.files = requireNonNull(files, "files is null");
        this.plan = requireNonNull(plan, "plan is null");
        this.table = requireNonNull(table, "table is null");
    }

    /** Counts a file that has rows of the aggregation. */
    void count(FileScope scope) {
        FileEntry entry = scope.file().entry();
        fileCount++;
        fileBytes += entry.sizeBytes();
        double share = ScannedShare.of(table, scope);
        scannedRows += entry.rowCount() * share;
        scannedBytes += bytes(entry, plan.columns(scope.residual())) * share;
    }

    /**
     * Counts a file that must be read unless its result is cached, since its statistics do not
     * determine the result.
     */
    void read(FileScope scope, Optional<AggregateCacheKey> key) {
        reads.add(new Read(scope, key));
    }

    /** Counts the rows of a view that are in no column file. */
    void countRows(TableView view) {
        liveRows += view.memoryVersions();
        if (!view.schema().orientation().hasColumns()) {
            liveRows += view.sstFiles().stream().mapToLong(file -> file.entry().rowCount()).sum();
        }
    }

    /** The estimated bytes of some columns of a file; all columns are assumed to be of one size. */
    private double bytes(FileEntry entry, List<ColumnSchema> columns) {
        return (double) entry.sizeBytes() * columns.size() / table.columns().size();
    }

    AggregationEstimate estimate(Optional<AggregateCache> cache, int workers) {
        long computedRows = 0;
        int missingFiles = 0;
        double missingValues = 0;
        double missingBytes = 0;
        for (Read read : reads) {
            if (read.key.isPresent() && cache.isPresent() && cache.get().has(read.key.get())) {
                continue;
            }
            FileEntry entry = read.scope.file().entry();
            List<ColumnSchema> columns = plan.columns(read.scope.residual());
            double share = ScannedShare.of(table, read.scope);
            // The decoded rows are assumed to be among the wanted rows
            double missing = Math.max(0, share - files.decodedShare(read.scope.file(), columns));
            computedRows += Math.round(share * entry.rowCount());
            missingFiles += missing > 0 ? 1 : 0;
            missingValues += missing * entry.rowCount() * columns.size();
            missingBytes += missing * bytes(entry, columns);
        }
        return new AggregationEstimate(
                fileCount,
                fileBytes,
                Math.round(scannedRows),
                Math.round(scannedBytes),
                plan.columns().size(),
                computedRows,
                missingFiles,
                Math.round(missingValues),
                Math.round(missingBytes),
                liveRows,
                workers);
    }
}
