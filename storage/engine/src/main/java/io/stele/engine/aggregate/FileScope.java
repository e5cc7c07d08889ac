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
 * The part of a column file that an aggregation with a predicate considers, determined from
 * manifest entry and deletion vector without reading the file. Immutable.
 *
 * @param statistics of the columns, in the reader's schema version
 * @param deleted positions of the rows that are deleted at the snapshot LSN
 * @param isWhole whether the LSNs of all rows are within the reader's range, so that the rows to
 *     consider do not depend on the range
 * @param residual the domains, by column id, that some of the rows may not match
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
     * The scope of a file; empty where no row is visible and can match.
     *
     * @param fromLsn rows with a lower LSN have expired
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

    /** The residual domains of columns of whole numbers, as intervals of longs. */
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

    /** Whether every row of the file is visible and matches. */
    boolean isAllRows() {
        return isWhole && deleted.isEmpty() && residual.isEmpty();
    }
}
