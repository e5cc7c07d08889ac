package io.stele.engine.aggregate;

import static java.util.Objects.requireNonNull;

import io.stele.columnfile.orc.WantedValues;
import io.stele.engine.datafile.ColumnFile;
import io.stele.engine.manifest.FileEntry;
import io.stele.engine.row.TableVersions;
import io.stele.protocol.predicate.ColumnDomain;
import io.stele.protocol.predicate.ColumnStats;
import io.stele.protocol.predicate.LongIntervals;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.row.ValueCodec;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.PhysicalForm;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.roaringbitmap.RoaringBitmap;

/**
 * The part of a column file that an aggregation with a predicate has to consider. It is determined
 * from the manifest's entry and the deletion vector, as far as these allow, without reading the
 * file. Immutable.
 *
 * @param statistics of the columns as the reader's version of the table has them
 * @param deleted rows that are deleted at the snapshot LSN
 * @param isWhole whether all rows are within the reader's LSNs, so that the rows to consider do not
 *     depend on them
 * @param residual the domains that some of the rows may not match
 */
record FileScope(
        ColumnFile file,
        Map<Integer, ColumnStats> statistics,
        RoaringBitmap deleted,
        boolean isWhole,
        Map<Integer, ColumnDomain> residual) {
    FileScope {
        requireNonNull(file, "file is null");
        statistics = Map.copyOf(statistics);
        requireNonNull(deleted, "deleted is null");
        residual = new TreeMap<>(residual);
    }

    /**
     * Empty where no row counts.
     *
     * @param fromLsn rows below have expired
     */
    static Optional<FileScope> of(
            ColumnFile file,
            TableVersions versions,
            ScanPredicate predicate,
            long readLsn,
            long fromLsn) {
        FileEntry entry = file.entry();
        Map<Integer, ColumnStats> statistics = versions.statistics(entry);
        boolean isLive = entry.minLsn().value() <= readLsn && entry.maxLsn().value() >= fromLsn;
        if (!isLive || !predicate.mayMatch(statistics, entry.rowCount())) {
            return Optional.empty();
        }
        RoaringBitmap deleted = file.deletes().bitmapAt(readLsn);
        if (deleted.getLongCardinality() == entry.rowCount()) {
            return Optional.empty();
        }
        return Optional.of(
                new FileScope(
                        file,
                        statistics,
                        deleted,
                        entry.maxLsn().value() <= readLsn && entry.minLsn().value() >= fromLsn,
                        predicate.residual(statistics, entry.rowCount()).domains()));
    }

    /** The residual of columns whose values are longs. */
    List<WantedValues> wanted(List<ColumnSchema> columns) {
        List<WantedValues> wanted = new ArrayList<>();
        for (ColumnSchema column : columns) {
            ColumnDomain domain = residual.get(column.id());
            if (domain != null && !domain.nullAllowed() && isWhole(column.type())) {
                ValueCodec codec = ValueCodec.of(column.type());
                wanted.add(new WantedValues(column, LongIntervals.of(domain, codec::decodeLong)));
            }
        }
        return wanted;
    }

    static boolean isWhole(DataType type) {
        return VectorKind.of(type) == VectorKind.LONG && type.form() != PhysicalForm.BOOLEAN;
    }

    /** Whether every row of the file counts. */
    boolean isAllRows() {
        return isWhole && deleted.isEmpty() && residual.isEmpty();
    }
}
