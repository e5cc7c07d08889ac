package io.stele.engine.compaction.output;

import static java.util.Objects.requireNonNull;

import io.stele.columnfile.index.BlockFileOptions;
import io.stele.columnfile.index.SstFileSummary;
import io.stele.columnfile.index.SstFileWriter;
import io.stele.engine.datafile.FileIds;
import io.stele.engine.datafile.TableFiles;
import io.stele.engine.row.KeyedVersion;
import io.stele.protocol.ShardId;
import io.stele.protocol.api.write.WrittenFile;
import io.stele.protocol.schema.TableSchema;
import java.io.Closeable;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * One SST file in the making that a commit will ingest. Its rows have no LSN yet. Confined to one
 * thread.
 */
public final class IngestedSstBuilder implements Closeable {
    private static final long NO_LSN = 0; // the commit gives the file one

    private final TableSchema table;
    private final ShardId shard;
    private final String fileId;
    private final String path;
    private final SstFileWriter rows;

    private IngestedSstBuilder(
            TableSchema table, ShardId shard, String fileId, String path, SstFileWriter rows) {
        this.table = requireNonNull(table, "table is null");
        this.shard = requireNonNull(shard, "shard is null");
        this.fileId = requireNonNull(fileId, "fileId is null");
        this.path = requireNonNull(path, "path is null");
        this.rows = requireNonNull(rows, "rows is null");
    }

    /**
     * Begins a file.
     *
     * @param table in the version of the rows
     * @param fileId begins with the id of its transaction and "_", by which it is found if that
     *     does not commit
     */
    public static IngestedSstBuilder create(
            TableFiles files, TableSchema table, ShardId shard, String fileId) throws IOException {
        String path = FileIds.folder(table.id(), shard) + fileId + ".row";
        BlockFileOptions options =
                BlockFileOptions.DEFAULT.withCompression(FileCompressions.ofBlocks(table));
        return new IngestedSstBuilder(
                table, shard, fileId, path, SstFileWriter.create(files.store(), path, options));
    }

    /** Adds a row, by key ascending; each key comes once. */
    public void add(KeyedVersion version) throws IOException {
        rows.add(
                version.keyArray(),
                version.keyOffset(),
                version.keyLength(),
                NO_LSN,
                false,
                version.rowArray(),
                version.rowOffset(),
                version.rowLength());
    }

    /** The approximate size of the file so far, in bytes. */
    public long sizeBytes() {
        return rows.sizeBytes();
    }

    /** Completes the file, which is durable. Nothing is called after this. */
    public WrittenFile finish() throws IOException {
        SstFileSummary file = rows.finish();
        return new WrittenFile(
                table.id(),
                shard,
                fileId,
                path,
                Optional.empty(),
                file.sizeBytes(),
                0,
                file.entryCount(),
                table.schemaVersion(),
                Optional.of(file.minKey()),
                Optional.of(file.maxKey()),
                Optional.empty(),
                Map.of(),
                OptionalLong.empty(),
                OptionalInt.empty(),
                Map.of(),
                OptionalInt.empty());
    }

    /** Throws an unfinished file away; without effect on a finished one. */
    @Override
    public void close() throws IOException {
        rows.close();
    }
}
