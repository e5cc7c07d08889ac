package io.stele.paimon.read;

import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.stele.paimon.handle.PaimonColumnHandle;
import io.stele.paimon.handle.PaimonFileSplit;
import io.stele.paimon.store.LakeFiles;
import io.stele.paimon.type.FileColumns;
import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.connector.EmptyPageSource;
import io.trino.spi.connector.MemoryContext;
import io.trino.spi.predicate.TupleDomain;
import java.util.List;
import java.util.function.Supplier;
import org.apache.paimon.schema.TableSchema;

/** A factory of page sources over data files whose rows need no merge. Thread-safe. */
public final class RawFilePageSources {
    private final DataFiles files;

    @Inject
    public RawFilePageSources(DataFiles files) {
        this.files = requireNonNull(files, "files is null");
    }

    /**
     * @param metadataBytes heap for decoded footers and indexes
     */
    RawFilePageSources(Supplier<LakeFiles> lake, long metadataBytes) {
        this(new DataFiles(lake, metadataBytes, Runnable::run));
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
        OpeningRows rows = files.opening(fileSchema, readSchema, split, columns, constraint);
        if (rows.isNone()) {
            return new EmptyPageSource();
        }
        rows.fetchFooter();
        rows.fetchIndexes();
        return new RawFilePageSource(rows.open(), memory);
    }
}
