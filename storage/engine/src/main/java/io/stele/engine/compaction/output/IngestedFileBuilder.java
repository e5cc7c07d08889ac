package io.stele.engine.compaction.output;

import static java.util.Objects.requireNonNull;

import io.stele.columnfile.index.BlockFileOptions;
import io.stele.columnfile.index.KeyIndexSummary;
import io.stele.columnfile.index.KeyIndexWriter;
import io.stele.columnfile.metadata.FileChecksums;
import io.stele.columnfile.orc.write.ColumnFileOptions;
import io.stele.columnfile.orc.write.ColumnFileSummary;
import io.stele.columnfile.orc.write.ColumnFileWriter;
import io.stele.engine.datafile.FileIds;
import io.stele.engine.datafile.TableFiles;
import io.stele.engine.row.KeyedVersion;
import io.stele.engine.row.RetainedVersions;
import io.stele.objectstore.CloseAll;
import io.stele.objectstore.ObjectStore;
import io.stele.protocol.ShardId;
import io.stele.protocol.api.write.WrittenFile;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.schema.TableSchema;
import java.io.Closeable;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * One column file in the making that a commit will ingest, with its key index or checksums and its
 * bitmap index: the same objects as a worker's file has. Its rows have no LSN yet. Confined to one
 * thread.
 */
public final class IngestedFileBuilder implements Closeable {
    private final TableFiles files;
    private final TableSchema table;
    private final ShardId shard;
    private final String fileId;
    private final String path;
    private final byte[] partition;
    private final ColumnFileWriter rows;
    private final @Nullable KeyIndexWriter keys;
    private final @Nullable ClusteredKeys clustered;
    private final FileBitmaps bitmaps;

    private IngestedFileBuilder(
            TableFiles files,
            TableSchema table,
            ShardId shard,
            String fileId,
            String path,
            byte[] partition,
            ColumnFileWriter rows,
            @Nullable KeyIndexWriter keys) {
        this.files = requireNonNull(files, "files is null");
        this.table = requireNonNull(table, "table is null");
        this.shard = requireNonNull(shard, "shard is null");
        this.fileId = requireNonNull(fileId, "fileId is null");
        this.path = requireNonNull(path, "path is null");
        this.partition = requireNonNull(partition, "partition is null");
        this.rows = requireNonNull(rows, "rows is null");
        this.keys = keys;
        this.clustered = keys == null || inKeyOrder(table) ? null : new ClusteredKeys();
        this.bitmaps = new FileBitmaps(table);
    }

    /**
     * Begins a file.
     *
     * @param fileId begins with the id of its transaction and "_", by which it is found if that
     *     does not commit
     * @param partition of all rows, as {@link RowPartitions} has it
     */
    public static IngestedFileBuilder create(
            TableFiles files, TableSchema table, ShardId shard, String fileId, byte[] partition)
            throws IOException {
        String path = FileIds.folder(table.id(), shard) + fileId + ".orc";
        ColumnFileOptions options =
                ColumnFileOptions.DEFAULT.withCompression(FileCompressions.ofStreams(table));
        ColumnFileWriter rows =
                ColumnFileWriter.createIngested(files.store(), path, table, options);
        boolean isWhole = false;
        try {
            IngestedFileBuilder builder =
                    new IngestedFileBuilder(
                            files,
                            table,
                            shard,
                            fileId,
                            path,
                            partition,
                            rows,
                            table.hasPrimaryKey() ? keys(files.store(), table, path) : null);
            isWhole = true;
            return builder;
        } finally {
            if (!isWhole) {
                rows.close();
            }
        }
    }

    private static KeyIndexWriter keys(ObjectStore store, TableSchema table, String path)
            throws IOException {
        String indexPath = WrittenFile.keyIndexPath(path);
        return inKeyOrder(table)
                ? KeyIndexWriter.byRank(store, indexPath, BlockFileOptions.KEY_INDEX)
                : KeyIndexWriter.explicit(store, indexPath, BlockFileOptions.KEY_INDEX);
    }

    private static boolean inKeyOrder(TableSchema table) {
        return table.clusteringKey().isEmpty();
    }

    /**
     * Adds a row: by key ascending, or in the order of the clustering key.
     *
     * @param row of the version
     */
    public void add(BinaryRow row, KeyedVersion version) throws IOException {
        bitmaps.add(row, Math.toIntExact(rows.rowCount()));
        rows.add(row);
        if (clustered != null) {
            clustered.add(version, RetainedVersions.PRESENT);
        } else if (keys != null) {
            keys.add(version.keyArray(), version.keyOffset(), version.keyLength());
        }
    }

    /** Completes the file: all its objects are durable. Nothing is called after this. */
    public WrittenFile finish() throws IOException {
        ColumnFileSummary file = rows.finish();
        Optional<KeyIndexSummary> index = finishKeys(file);
        OptionalLong bitmapBytes = bitmaps.write(files.store(), WrittenFile.bitmapIndexPath(path));
        if (files.parallelReads().isParallel()) {
            file.end().encodedMetadata().ifPresent(bytes -> files.keepMetadata(path, bytes));
        }
        return new WrittenFile(
                table.id(),
                shard,
                fileId,
                path,
                index.map(_ -> WrittenFile.keyIndexPath(path)),
                file.sizeBytes(),
                index.map(KeyIndexSummary::sizeBytes).orElse(0L),
                file.rowCount(),
                table.schemaVersion(),
                index.map(KeyIndexSummary::minKey),
                index.map(KeyIndexSummary::maxKey),
                table.partitionedBy().isEmpty() ? Optional.empty() : Optional.of(partition),
                file.columnStats(),
                bitmapBytes,
                index.isPresent()
                        ? OptionalInt.empty() // the index has them
                        : OptionalInt.of(FileChecksums.BLOCK_BYTES),
                file.sketches(),
                index.map(KeyIndexSummary::metadataBytes).orElse(OptionalInt.empty()));
    }

    private Optional<KeyIndexSummary> finishKeys(ColumnFileSummary file) throws IOException {
        if (keys == null) {
            files.store().put(WrittenFile.checksumsPath(path), file.end().checksums());
            return Optional.empty();
        }
        if (clustered != null) {
            clustered.writeTo(keys);
        }
        return Optional.of(keys.finish(Optional.of(file.end().storedMetadata())));
    }

    /** Throws an unfinished file away; without effect on a finished one. */
    @Override
    public void close() throws IOException {
        if (keys == null) {
            rows.close();
        } else {
            CloseAll.of(rows::close, keys::close);
        }
    }
}
