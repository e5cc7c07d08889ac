package io.stele.paimon.read;

import static java.util.Objects.requireNonNull;

import io.stele.objectstore.ObjectReader;
import io.stele.paimon.handle.DeletionVectorLocation;
import io.stele.paimon.handle.PaimonColumnHandle;
import io.stele.paimon.handle.PaimonFileSplit;
import io.stele.paimon.type.FileColumns;
import io.stele.paimon.type.FileFormat;
import io.trino.spi.predicate.TupleDomain;
import java.io.IOException;
import java.util.Optional;
import org.apache.paimon.deletionvectors.DeletionVector;
import org.apache.paimon.schema.TableSchema;

/**
 * A data file of a split that is opened in steps, each of which fetches the bytes that the next
 * step reads. If all files of a split take each step together, they are opened in as many rounds of
 * requests as one file. Confined to one driver.
 */
final class OpeningRows {
    /** Up to this size, one request for the whole file costs no more than three for its parts. */
    static final long SMALL_FILE_BYTES = 1 << 20;

    private final FileMetadataCache metadata;
    private final Vectors vectors;
    private final PaimonFileSplit split;
    private final FileFormat format;
    private final TableSchema table;
    private final FileColumns columns;
    private final TupleDomain<PaimonColumnHandle> constraint;
    private final ObjectReader file;
    private final Optional<FileIndexLookup> index;
    private Optional<IndexedRows> indexedRows = Optional.empty();
    private Optional<FileOpening> opening = Optional.empty();
    private Optional<FileScan> scan = Optional.empty();

    /** A reader of deletion vectors. */
    @FunctionalInterface
    interface Vectors {
        DeletionVector read(DeletionVectorLocation location) throws IOException;
    }

    OpeningRows(
            FileMetadataCache metadata,
            Vectors vectors,
            PaimonFileSplit split,
            FileFormat format,
            TableSchema table,
            FileColumns columns,
            TupleDomain<PaimonColumnHandle> constraint,
            ObjectReader file,
            Optional<FileIndexLookup> index) {
        this.metadata = requireNonNull(metadata, "metadata is null");
        this.vectors = requireNonNull(vectors, "vectors is null");
        this.split = requireNonNull(split, "split is null");
        this.format = requireNonNull(format, "format is null");
        this.table = requireNonNull(table, "table is null");
        this.columns = requireNonNull(columns, "columns is null");
        this.constraint = requireNonNull(constraint, "constraint is null");
        this.file = requireNonNull(file, "file is null");
        this.index = requireNonNull(index, "index is null");
    }

    /**
     * Whether no row of the file can match the constraint, since the file does not have a column,
     * or by Paimon's index of it that is in memory.
     */
    boolean isNone() {
        return FileScan.isNone(columns, constraint)
                || index.isPresent() && index.get().isInMemory() && indexedRows().isNone();
    }

    private IndexedRows indexedRows() {
        if (indexedRows.isEmpty()) {
            indexedRows =
                    Optional.of(
                            index.map(lookup -> lookup.find(split.path())).orElse(IndexedRows.ALL));
        }
        return indexedRows.get();
    }

    private boolean isSmall() {
        return split.fileSize() <= SMALL_FILE_BYTES;
    }

    /** Starts to fetch the end of the file, or all of a small file, and Paimon's index of it. */
    void fetchFooter() {
        fetchFileEnd();
        if (indexedRows.isEmpty()) {
            index.ifPresent(FileIndexLookup::fetch);
        }
    }

    private void fetchFileEnd() {
        if (!file.isPrefetching()) {
            return;
        }
        if (isSmall()) {
            file.prefetch(0, split.fileSize());
        } else if (!metadata.hasFooter(split.path())) {
            file.prefetch(
                    split.fileSize() - FileMetadata.FIRST_READ_BYTES,
                    FileMetadata.FIRST_READ_BYTES);
        }
    }

    /**
     * Waits for the footer, and starts to fetch the indexes of the parts that may have wanted rows;
     * nothing of a file that has none by Paimon's index.
     */
    void fetchIndexes() {
        IndexedRows rows = indexedRows();
        if (rows.isNone()) {
            scan = Optional.of(new FileScan(split, format, table, columns, constraint, rows, file));
            return;
        }
        try {
            ObjectReader bytes =
                    isSmall() ? new WholeFile(file, file.read(0, (int) split.fileSize())) : file;
            FileScan found = new FileScan(split, format, table, columns, constraint, rows, bytes);
            FileOpening next =
                    switch (format) {
                        case ORC -> OrcOpening.of(found, metadata);
                        case PARQUET -> ParquetOpening.of(found, metadata);
                    };
            next.fetchIndexes();
            scan = Optional.of(found);
            opening = Optional.of(next);
        } catch (IOException | RuntimeException e) {
            throw ReadFailures.translate(split.path(), e);
        }
    }

    /** Waits for the indexes, and starts to fetch the first data. */
    VisibleRows open() {
        FileScan opened = scan.orElseThrow();
        if (opening.isEmpty()) {
            return new VisibleRows(
                    opened, FileRows.NONE, new SelectedRows(Optional.empty(), IndexedRows.ALL));
        }
        // Deletion vectors first, since without them no row may be seen
        SelectedRows selected = new SelectedRows(deleted(), opened.rows());
        try {
            return new VisibleRows(opened, opening.get().open(), selected);
        } catch (IOException | RuntimeException e) {
            throw ReadFailures.translate(split.path(), e);
        }
    }

    private Optional<DeletionVector> deleted() {
        if (split.deletions().isEmpty()) {
            return Optional.empty();
        }
        DeletionVectorLocation location = split.deletions().get();
        try {
            return Optional.of(vectors.read(location));
        } catch (IOException | RuntimeException e) {
            throw ReadFailures.translate(location.path(), e);
        }
    }
}
