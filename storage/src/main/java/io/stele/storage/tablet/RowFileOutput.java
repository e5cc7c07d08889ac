package io.stele.storage.tablet;

import static java.util.Objects.requireNonNull;

import io.stele.storage.format.BlockFileOptions;
import io.stele.storage.format.RowFileSummary;
import io.stele.storage.format.RowFileWriter;
import io.stele.storage.manifest.FileEntry;
import io.stele.storage.manifest.FileKind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Writes sorted versions into row files of about a given size; all versions of a key are in one
 * file. Confined to one thread; what it wrote before a failure is unreferenced and collected at the
 * next start.
 */
final class RowFileOutput implements AutoCloseable {
    /** Index entries are found by the beginning of their keys, for which a filter is no help. */
    private static final BlockFileOptions INDEX_OPTIONS =
            new BlockFileOptions(
                    BlockFileOptions.DEFAULT.blockBytes(),
                    BlockFileOptions.DEFAULT.partitionBytes(),
                    BlockFileOptions.DEFAULT.restartInterval(),
                    1,
                    BlockFileOptions.DEFAULT.compression());

    private final TableFiles files;
    private final TableShard table;
    private final TableVersions versions;
    private final int level;
    private final long targetBytes;
    private final OptionalInt indexId;
    private final OptionalLong endsLsn;
    private final BlockFileOptions options;
    private final List<RowFile> finished = new ArrayList<>();
    private @Nullable RowFileWriter writer;
    private @Nullable KeyedVersion last;
    private String fileId = "";

    /**
     * Writes rows of one schema version of the table.
     *
     * @param endsLsn deletions of partitions at or below are among what is written
     */
    RowFileOutput(
            TableFiles files,
            TableShard table,
            TableVersions versions,
            int level,
            long targetBytes,
            OptionalLong endsLsn) {
        this(
                files,
                table,
                versions,
                level,
                targetBytes,
                OptionalInt.empty(),
                endsLsn,
                BlockFileOptions.DEFAULT);
    }

    /** Writes entries of a secondary index of the table. */
    static RowFileOutput ofIndex(
            TableFiles files, TableShard table, int indexId, int level, long targetBytes) {
        return new RowFileOutput(
                files,
                table,
                table.versions(),
                level,
                targetBytes,
                OptionalInt.of(indexId),
                OptionalLong.empty(),
                INDEX_OPTIONS);
    }

    private RowFileOutput(
            TableFiles files,
            TableShard table,
            TableVersions versions,
            int level,
            long targetBytes,
            OptionalInt indexId,
            OptionalLong endsLsn,
            BlockFileOptions options) {
        this.versions = requireNonNull(versions, "versions is null");
        this.indexId = indexId;
        this.endsLsn = requireNonNull(endsLsn, "endsLsn is null");
        this.options = options.withCompression(FileCompressions.ofBlocks(table.schema()));
        this.files = requireNonNull(files, "files is null");
        this.table = requireNonNull(table, "table is null");
        this.level = level;
        this.targetBytes = targetBytes;
    }

    void add(KeyedVersion version) throws IOException {
        table.checkNotDropped();
        RowFileWriter current = writer;
        boolean newKey = last == null || last.compareKey(version) != 0;
        if (current != null && newKey && current.sizeBytes() >= targetBytes) {
            endFile(current);
            current = null;
        }
        if (current == null) {
            fileId = files.ids().next();
            current = RowFileWriter.create(files.store(), path(), options);
            writer = current;
        }
        current.add(
                version.keyArray(),
                version.keyOffset(),
                version.keyLength(),
                version.lsn(),
                version.isDeleted(),
                version.rowArray(),
                version.rowOffset(),
                version.rowLength());
        last = version;
    }

    List<RowFile> finish() throws IOException {
        if (writer != null) {
            endFile(writer);
        }
        return List.copyOf(finished);
    }

    @Override
    public void close() throws IOException {
        if (writer != null) {
            writer.close();
        }
    }

    private void endFile(RowFileWriter ended) throws IOException {
        RowFileSummary summary = ended.finish();
        writer = null;
        FileEntry entry =
                new FileEntry(
                        fileId,
                        table.schema().id(),
                        FileKind.ROW,
                        level,
                        path(),
                        summary.sizeBytes(),
                        summary.entryCount(),
                        summary.minLsn(),
                        summary.maxLsn(),
                        Optional.empty(),
                        OptionalLong.empty(),
                        versions.schemaVersion(),
                        Optional.of(summary.minKey()),
                        Optional.of(summary.maxKey()),
                        Optional.empty(),
                        Map.of(),
                        Optional.empty(),
                        Optional.empty(),
                        indexId,
                        OptionalLong.empty(),
                        OptionalInt.empty(),
                        endsLsn);
        finished.add(files.openRow(entry, versions));
    }

    private String path() {
        return FileIds.folder(table.schema().id(), table.shard()) + fileId + ".row";
    }
}
