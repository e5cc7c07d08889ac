package io.stele.paimon.read;

import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.stele.cache.CacheStatistics;
import io.stele.paimon.config.PaimonConfig;
import io.stele.paimon.handle.PaimonColumnHandle;
import io.stele.paimon.handle.PaimonFileSplit;
import io.stele.paimon.store.Lake;
import io.stele.paimon.store.LakeFiles;
import io.stele.paimon.type.FileColumns;
import io.stele.paimon.type.FileFormat;
import io.trino.spi.TrinoException;
import io.trino.spi.predicate.TupleDomain;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.apache.paimon.schema.TableSchema;

/**
 * The opener of a lake's data files for readers of this plugin, with this node's caches of footers,
 * indexes and deletion vectors. Thread-safe.
 *
 * <p>Sketch of a cold scan of a one-stripe file: one request for the file's end, one round for the
 * stripe's index and footer, one round for its columns. A Parquet file does not need the second
 * round. Files up to {@link OpeningRows#SMALL_FILE_BYTES} need one request.
 */
public final class DataFiles {
    private final Supplier<LakeFiles> lake;
    private final FileMetadataCache metadata;
    private final DeletionVectorFiles deletionVectors =
            new DeletionVectorFiles(DeletionVectorFiles.MAX_BYTES);

    private final Executor executor;

    @Inject
    public DataFiles(Lake lake, PaimonConfig config, @ForFileIndexes Executor executor) {
        this(lake::files, config.getFileMetadataCacheSize().toBytes(), executor);
    }

    /**
     * @param metadataBytes heap for decoded footers and indexes
     * @param executor reads Paimon's indexes of files beside the files' ends; its tasks block
     */
    public DataFiles(Supplier<LakeFiles> lake, long metadataBytes, Executor executor) {
        this.executor = requireNonNull(executor, "executor is null");
        this.lake = requireNonNull(lake, "lake is null");
        this.metadata = new FileMetadataCache(metadataBytes);
    }

    /** The statistics of the cache of footers and indexes. */
    public CacheStatistics statistics() {
        return metadata.statistics();
    }

    /**
     * The wanted columns of the rows of a split that are not deleted; sends no request yet.
     *
     * @param fileSchema the schema that the file was written with
     * @param readSchema the schema of the scan
     * @param constraint stripes, row groups and pages outside it are skipped; rows outside it may
     *     be among the result
     */
    OpeningRows opening(
            TableSchema fileSchema,
            TableSchema readSchema,
            PaimonFileSplit split,
            List<PaimonColumnHandle> columns,
            TupleDomain<PaimonColumnHandle> constraint) {
        FileColumns found =
                FileColumns.find(split.format(), fileSchema, readSchema, columns)
                        .orElseThrow(() -> unreadable(split, columns));
        FileFormat format = FileFormat.find(split.format()).orElseThrow();
        try {
            return new OpeningRows(
                    metadata,
                    location -> deletionVectors.read(lake.get(), location),
                    split,
                    format,
                    readSchema,
                    found,
                    constraint,
                    lake.get().open(split.path(), split.fileSize()),
                    split.index()
                            .flatMap(
                                    index ->
                                            FileIndexLookup.of(
                                                    index,
                                                    fileSchema,
                                                    readSchema,
                                                    constraint,
                                                    metadata,
                                                    lake,
                                                    executor)));
        } catch (IOException | RuntimeException e) {
            throw ReadFailures.translate(split.path(), e);
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
