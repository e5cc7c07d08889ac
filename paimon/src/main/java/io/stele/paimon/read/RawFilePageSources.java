package io.stele.paimon.read;

import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.stele.objectstore.ObjectReader;
import io.stele.paimon.config.PaimonConfig;
import io.stele.paimon.handle.DeletionVectorLocation;
import io.stele.paimon.handle.PaimonColumnHandle;
import io.stele.paimon.handle.PaimonFileSplit;
import io.stele.paimon.store.Lake;
import io.stele.paimon.store.LakeFiles;
import io.stele.paimon.type.FileColumns;
import io.stele.paimon.type.FileFormat;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.connector.EmptyPageSource;
import io.trino.spi.connector.MemoryContext;
import io.trino.spi.predicate.TupleDomain;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.paimon.schema.TableSchema;

/**
 * A factory of page sources over data files whose rows need no merge, decoded by trino-orc and
 * trino-parquet. Thread-safe.
 *
 * <p>Sketch of a cold scan of a one-stripe file: one request for the file's end, one round for the
 * stripe's index and footer, one round for its columns. Of a Parquet file the second is not needed.
 * Files up to {@link #SMALL_FILE_BYTES} are one request.
 */
public final class RawFilePageSources {
    /** One request costs as much as three. */
    static final long SMALL_FILE_BYTES = 1 << 20;

    private final Supplier<LakeFiles> lake;
    private final FileFooters footers;
    private final DeletionVectorFiles deletionVectors =
            new DeletionVectorFiles(DeletionVectorFiles.MAX_BYTES);

    @Inject
    public RawFilePageSources(Lake lake, PaimonConfig config) {
        this(lake::files, config.getFileMetadataCacheSize().toBytes());
    }

    /**
     * @param footerBytes heap for decoded footers
     */
    RawFilePageSources(Supplier<LakeFiles> lake, long footerBytes) {
        this.footers = new FileFooters(footerBytes);
        this.lake = requireNonNull(lake, "lake is null");
    }

    /**
     * Whether {@link #open} can read files; else Paimon's reader must.
     *
     * @param format as Paimon names it, in lower case
     * @param fileSchema the schema that the files were written with
     * @param readSchema the schema of the scan
     */
    public static boolean canRead(
            String format,
            TableSchema fileSchema,
            TableSchema readSchema,
            List<PaimonColumnHandle> columns) {
        return FileColumns.find(format, fileSchema, readSchema, columns).isPresent();
    }

    /**
     * The wanted columns of the rows of a split that are not deleted.
     *
     * @param fileSchema the schema that the file was written with
     * @param readSchema the schema of the scan
     * @param constraint stripes, row groups and pages outside it are skipped; rows outside it may
     *     be among the result
     * @param memory of the scan
     */
    public ConnectorPageSource open(
            TableSchema fileSchema,
            TableSchema readSchema,
            PaimonFileSplit split,
            List<PaimonColumnHandle> columns,
            TupleDomain<PaimonColumnHandle> constraint,
            MemoryContext memory) {
        FileColumns found =
                FileColumns.find(split.format(), fileSchema, readSchema, columns)
                        .orElseThrow(() -> unreadable(split, columns));
        FileFormat format = FileFormat.find(split.format()).orElseThrow();
        try {
            if (FileScan.isNone(found, constraint)) {
                return new EmptyPageSource();
            }
            FileScan scan = new FileScan(split, format, readSchema, found, constraint, file(split));
            // First, since without them no row may be seen
            Optional<DeletedRows> deleted = deleted(split);
            FileRows rows =
                    switch (format) {
                        case ORC -> OrcRows.open(scan, footers);
                        case PARQUET -> ParquetRows.open(scan, footers);
                    };
            return new RawFilePageSource(scan, rows, deleted, memory);
        } catch (IOException | RuntimeException e) {
            throw ReadFailures.translate(split.path(), e);
        }
    }

    private ObjectReader file(PaimonFileSplit split) throws IOException {
        ObjectReader file = lake.get().open(split.path(), split.fileSize());
        return split.fileSize() <= SMALL_FILE_BYTES
                ? new WholeFile(file, file.read(0, (int) split.fileSize()))
                : file;
    }

    private Optional<DeletedRows> deleted(PaimonFileSplit split) {
        if (split.deletions().isEmpty()) {
            return Optional.empty();
        }
        DeletionVectorLocation location = split.deletions().get();
        try {
            return Optional.of(new DeletedRows(deletionVectors.read(lake.get(), location)));
        } catch (IOException | RuntimeException e) {
            throw ReadFailures.translate(location.path(), e);
        }
    }

    private static TrinoException unreadable(
            PaimonFileSplit split, List<PaimonColumnHandle> columns) {
        return new TrinoException(
                NOT_SUPPORTED,
                "Expected columns and a format that this reader decodes, found %s in %s"
                        .formatted(columns, split.path()));
    }
}
