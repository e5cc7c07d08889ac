package io.stele.paimon.read;

import static java.util.Objects.requireNonNull;

import com.google.common.base.Throwables;
import io.stele.paimon.handle.FileIndex;
import io.stele.paimon.handle.PaimonColumnHandle;
import io.stele.paimon.store.LakeFiles;
import io.stele.paimon.type.DomainPredicates;
import io.stele.paimon.type.IndexedColumns;
import io.trino.spi.predicate.TupleDomain;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.apache.paimon.fileindex.FileIndexPredicate;
import org.apache.paimon.fileindex.FileIndexResult;
import org.apache.paimon.fileindex.bitmap.BitmapIndexResult;
import org.apache.paimon.predicate.Predicate;
import org.apache.paimon.schema.TableSchema;
import org.apache.paimon.types.RowType;
import org.jspecify.annotations.Nullable;

/**
 * A lookup of a constraint in Paimon's indexes of one data file, which are read beside the end of
 * the file and cached with the metadata of files. Confined to one driver.
 */
final class FileIndexLookup {
    /** The bytes of a file with Paimon's indexes of a data file. */
    record Indexes(byte[] bytes) implements FileMetadata {
        Indexes {
            requireNonNull(bytes, "bytes is null");
        }

        @Override
        public long retainedBytes() {
            return bytes.length + 64L;
        }
    }

    private final FileIndex index;
    private final Predicate predicate;
    private final RowType rows;
    private final FileMetadataCache metadata;
    private final Supplier<LakeFiles> lake;
    private final Executor executor;
    private @Nullable CompletableFuture<byte[]> fetched;

    private FileIndexLookup(
            FileIndex index,
            Predicate predicate,
            RowType rows,
            FileMetadataCache metadata,
            Supplier<LakeFiles> lake,
            Executor executor) {
        this.index = requireNonNull(index, "index is null");
        this.predicate = requireNonNull(predicate, "predicate is null");
        this.rows = requireNonNull(rows, "rows is null");
        this.metadata = requireNonNull(metadata, "metadata is null");
        this.lake = requireNonNull(lake, "lake is null");
        this.executor = requireNonNull(executor, "executor is null");
    }

    /**
     * @param fileSchema the schema that the file was written with
     * @param readSchema the schema of the scan
     * @return empty: no column of the constraint has an index
     */
    static Optional<FileIndexLookup> of(
            FileIndex index,
            TableSchema fileSchema,
            TableSchema readSchema,
            TupleDomain<PaimonColumnHandle> constraint,
            FileMetadataCache metadata,
            Supplier<LakeFiles> lake,
            Executor executor) {
        RowType rows = fileSchema.logicalRowType();
        TupleDomain<PaimonColumnHandle> indexed =
                IndexedColumns.select(constraint, fileSchema, readSchema);
        if (indexed.isAll() || indexed.isNone()) {
            return Optional.empty();
        }
        return DomainPredicates.of(indexed, rows)
                .map(
                        predicate ->
                                new FileIndexLookup(
                                        index, predicate, rows, metadata, lake, executor));
    }

    /** Whether the indexes are in memory, so that they are looked up before the file is read. */
    boolean isInMemory() {
        return index.path().map(path -> metadata.has(path, 0)).orElse(true);
    }

    /** Starts to fetch the file of the indexes; does not wait. */
    void fetch() {
        if (index.path().isPresent() && fetched == null) {
            fetched = CompletableFuture.supplyAsync(this::load, executor);
        }
    }

    private byte[] load() {
        String path = index.path().orElseThrow();
        try {
            return metadata.part(
                            path, 0, Indexes.class, () -> new Indexes(lake.get().readFully(path)))
                    .bytes();
        } catch (IOException e) {
            throw new CompletionException(e);
        }
    }

    /**
     * Waits for the indexes, and looks the constraint up.
     *
     * @throws io.trino.spi.TrinoException that names the file of the indexes
     */
    IndexedRows find(String dataFile) {
        try (FileIndexPredicate reader = new FileIndexPredicate(bytes(), rows)) {
            FileIndexResult result = reader.evaluate(predicate);
            if (!result.remain()) {
                return IndexedRows.NONE;
            }
            return result instanceof BitmapIndexResult bitmap
                    ? new IndexedRows(Optional.of(bitmap.get()))
                    : IndexedRows.ALL;
        } catch (IOException | RuntimeException e) {
            throw ReadFailures.translate(index.path().orElse("the metadata of " + dataFile), e);
        }
    }

    private byte[] bytes() throws IOException {
        if (index.path().isEmpty()) {
            return index.bytes();
        }
        if (fetched == null) {
            fetch();
        }
        try {
            return requireNonNull(fetched, "fetched is null").join();
        } catch (CompletionException e) {
            Throwable cause = requireNonNull(e.getCause(), "cause is null");
            Throwables.throwIfInstanceOf(cause, IOException.class);
            Throwables.throwIfUnchecked(cause);
            throw new IOException(cause);
        }
    }
}
