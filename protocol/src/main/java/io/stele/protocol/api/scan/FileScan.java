package io.stele.protocol.api.scan;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.api.write.WrittenFile;
import io.stele.protocol.predicate.ColumnStats;
import io.stele.protocol.predicate.ScanPredicate;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * The part of a scan plan for one column file, which the caller reads at a snapshot: path, deleted
 * rows, statistics and places of metadata.
 *
 * @param path warehouse path
 * @param schemaVersion version of the table when the file was written
 * @param minLsn smallest LSN of its rows
 * @param maxLsn greatest LSN of its rows
 * @param ingestLsn the LSN of all its rows, if it has no {@code _lsn} column
 * @param firstRowId row id of its first row, if it has no {@code _row_id} column; the next rows
 *     have the next ids
 * @param deletedRows ordinals of rows that are deleted at the snapshot: a serialized RoaringBitmap;
 *     empty: none
 * @param deletedCount the number of deleted rows
 * @param columns statistics by column id, of the requested columns
 * @param certainColumns columns whose domain in the scan's predicate has the values of all rows of
 *     the file
 * @param bitmapIndexBytes size of its bitmap index, which is at {@link
 *     WrittenFile#bitmapIndexPath(String)}; empty if it has none
 * @param checksumBlockBytes block size of the checksums beside it, at {@link
 *     WrittenFile#checksumsPath(String)}; empty if there are none
 * @param indexedMetadata the place of its metadata, which include its checksums; empty if the
 *     checksums are beside it, or it has none
 * @param fresh whether the sidecar had the file's metadata in memory when the scan was planned:
 *     {@link ScanActions#FILE_METADATA}
 */
public record FileScan(
        String path,
        long sizeBytes,
        long rowCount,
        int schemaVersion,
        long minLsn,
        long maxLsn,
        OptionalLong ingestLsn,
        OptionalLong firstRowId,
        byte[] deletedRows,
        long deletedCount,
        Map<Integer, ColumnStats> columns,
        List<Integer> certainColumns,
        OptionalLong bitmapIndexBytes,
        OptionalInt checksumBlockBytes,
        Optional<IndexedMetadata> indexedMetadata,
        boolean fresh) {
    public FileScan {
        requireNonNull(path, "path is null");
        requireNonNull(ingestLsn, "ingestLsn is null");
        requireNonNull(firstRowId, "firstRowId is null");
        requireNonNull(deletedRows, "deletedRows is null");
        columns = Map.copyOf(columns);
        certainColumns = List.copyOf(certainColumns);
        requireNonNull(bitmapIndexBytes, "bitmapIndexBytes is null");
        requireNonNull(checksumBlockBytes, "checksumBlockBytes is null");
        requireNonNull(indexedMetadata, "indexedMetadata is null");
    }

    /** This file in a scan with a predicate; empty if no row of the file can match. */
    public Optional<FileScan> narrowed(ScanPredicate predicate) {
        if (!predicate.mayMatch(columns, rowCount)) {
            return Optional.empty();
        }
        return Optional.of(
                new FileScan(
                        path,
                        sizeBytes,
                        rowCount,
                        schemaVersion,
                        minLsn,
                        maxLsn,
                        ingestLsn,
                        firstRowId,
                        deletedRows,
                        deletedCount,
                        columns,
                        predicate.certainColumns(columns, rowCount),
                        bitmapIndexBytes,
                        checksumBlockBytes,
                        indexedMetadata,
                        fresh));
    }
}
