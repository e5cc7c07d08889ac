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
 * The rows of a split on the way to be opened, in steps of which each sends requests for what the
 * next one reads: where all files of a split take each step in turn, they are opened in as many
 * rounds as one. Confined to one driver.
 */
final class OpeningRows {
    /** One request costs as much as three. */
    static final long SMALL_FILE_BYTES = 1 << 20;

    private final FileMetadataCache metadata;
    private final Vectors vectors;
    private final PaimonFileSplit split;
    private final FileFormat format;
    private final TableSchema table;
    private final FileColumns columns;
    private final TupleDomain<PaimonColumnHandle> constraint;
    private final ObjectReader file;
    private Optional<FileOpening> opening = Optional.empty();
    private Optional<FileScan> scan = Optional.empty();

    /** Where deletion vectors are read. */
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
            ObjectReader file) {
        this.metadata = requireNonNull(metadata, "metadata is null");
        this.vectors = requireNonNull(vectors, "vectors is null");
        this.split = requireNonNull(split, "split is null");
        this.format = requireNonNull(format, "format is null");
        this.table = requireNonNull(table, "table is null");
        this.columns = requireNonNull(columns, "columns is null");
        this.constraint = requireNonNull(constraint, "constraint is null");
        this.file = requireNonNull(file, "file is null");
    }

    /** Whether no row of the file is in the constraint, since it does not have a column. */
    boolean isNone() {
        return FileScan.isNone(columns, constraint);
    }

    private boolean isSmall() {
        return split.fileSize() <= SMALL_FILE_BYTES;
    }

    /** Asks for the end of the file, or for all of a small one. */
    void fetchFooter() {
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

    /** Waits for the footer, and asks for the indexes of what may have wanted rows. */
    void fetchIndexes() {
        try {
            ObjectReader bytes =
                    isSmall() ? new WholeFile(file, file.read(0, (int) split.fileSize())) : file;
            FileScan found = new FileScan(split, format, table, columns, constraint, bytes);
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

    /** Waits for the indexes, and asks for the first data. */
    VisibleRows open() {
        // First, since without them no row may be seen
        Optional<DeletedRows> deleted = deleted();
        try {
            FileRows rows = opening.orElseThrow().open();
            return new VisibleRows(scan.orElseThrow(), rows, deleted);
        } catch (IOException | RuntimeException e) {
            throw ReadFailures.translate(split.path(), e);
        }
    }

    private Optional<DeletedRows> deleted() {
        if (split.deletions().isEmpty()) {
            return Optional.empty();
        }
        DeletionVectorLocation location = split.deletions().get();
        try {
            return Optional.of(new DeletedRows(vectors.read(location)));
        } catch (IOException | RuntimeException e) {
            throw ReadFailures.translate(location.path(), e);
        }
    }
}
