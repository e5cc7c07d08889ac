package io.stele.engine.compaction.output;

import static java.util.Objects.requireNonNull;

import io.stele.columnfile.index.BlockFileOptions;
import io.stele.columnfile.index.FilteredKeys;
import io.stele.columnfile.index.SstFileSummary;
import io.stele.columnfile.index.SstFileWriter;
import io.stele.engine.datafile.FileIds;
import io.stele.engine.datafile.SstFile;
import io.stele.engine.datafile.TableFiles;
import io.stele.engine.index.IndexKeys;
import io.stele.engine.manifest.FileEntry;
import io.stele.engine.manifest.FileKind;
import io.stele.engine.row.KeyedVersion;
import io.stele.engine.row.TableVersions;
import io.stele.engine.tablet.TableShard;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A writer of sorted row versions or secondary index entries into SST files of about a given size,
 * for flushes, compactions and index builds. All versions of a key are in one file. Confined to one
 * thread. Files written before a failure are unreferenced and are deleted after the next start.
 */
public final class SstFileOutput implements AutoCloseable {
    /** A small filter for indexes that are not unique, whose prefixes many entries share. */
    private static final BlockFileOptions UNFILTERED = BlockFileOptions.DEFAULT.withBitsPerKey(1);

    private final TableFiles files;
    private final TableShard table;
    private final TableVersions versions;
    private final int level;
    private final long targetBytes;
    private final @Nullable IndexKeys index;
    private final OptionalLong endsLsn;
    private final BlockFileOptions options;
    private final FilteredKeys filtered;
    private final List<SstFile> finished = new ArrayList<>();
    private @Nullable SstFileWriter writer;
    private @Nullable KeyedVersion last;
    private String fileId = "";

    /**
     * Writes rows of one schema version of the table.
     *
     * @param endsLsn the LSN up to which range tombstones are applied to the written rows; empty if
     *     there are none
     */
    public SstFileOutput(
            TableFiles files,
            TableShard table,
            TableVersions versions,
            int level,
            long targetBytes,
            OptionalLong endsLsn) {
        this(files, table, versions, level, targetBytes, null, endsLsn);
    }

    /** Writes entries of a secondary index of the table. */
    public static SstFileOutput ofIndex(
            TableFiles files, TableShard table, IndexKeys index, int level, long targetBytes) {
        return new SstFileOutput(
                files,
                table,
                table.versions(),
                level,
                targetBytes,
                requireNonNull(index, "index is null"),
                OptionalLong.empty());
    }

    private SstFileOutput(
            TableFiles files,
            TableShard table,
            TableVersions versions,
            int level,
            long targetBytes,
            @Nullable IndexKeys index,
            OptionalLong endsLsn) {
        this.versions = requireNonNull(versions, "versions is null");
        this.index = index;
        this.filtered = filtered(index);
        this.endsLsn = requireNonNull(endsLsn, "endsLsn is null");
        this.options =
                (filtered == FilteredKeys.NONE ? UNFILTERED : BlockFileOptions.DEFAULT)
                        .withCompression(FileCompressions.ofBlocks(table.schema()));
        this.files = requireNonNull(files, "files is null");
        this.table = requireNonNull(table, "table is null");
        this.level = level;
        this.targetBytes = targetBytes;
    }

    // The columns of a unique index are looked up by every write, and seldom found.
    private static FilteredKeys filtered(@Nullable IndexKeys index) {
        if (index == null) {
            return FilteredKeys.WHOLE;
        }
        return index.index().unique() ? FilteredKeys.BEGINNINGS : FilteredKeys.NONE;
    }

    public void add(KeyedVersion version) throws IOException {
        table.checkNotDropped();
        SstFileWriter current = writer;
        boolean newKey = last == null || last.compareKey(version) != 0;
        if (current != null && newKey && current.sizeBytes() >= targetBytes) {
            endFile(current);
            current = null;
        }
        if (current == null) {
            fileId = files.ids().next();
            current = SstFileWriter.create(files.store(), path(), options, filtered);
            writer = current;
        }
        current.add(
                version.keyArray(),
                version.keyOffset(),
                version.keyLength(),
                filtered == FilteredKeys.BEGINNINGS
                        ? requireNonNull(index)
                                .columnBytes(
                                        version.keyArray(),
                                        version.keyOffset(),
                                        version.keyLength())
                        : 0,
                version.lsn(),
                version.isDeleted(),
                version.rowArray(),
                version.rowOffset(),
                version.rowLength());
        last = version;
    }

    public List<SstFile> finish() throws IOException {
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

    private void endFile(SstFileWriter ended) throws IOException {
        SstFileSummary summary = ended.finish();
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
                                Optional.empty())
                        .withIndex(
                                index == null
                                        ? OptionalInt.empty()
                                        : OptionalInt.of(index.index().id()))
                        .withEndsLsn(endsLsn);
        finished.add(files.openRow(entry, versions));
    }

    private String path() {
        return FileIds.folder(table.schema().id(), table.shard()) + fileId + ".row";
    }
}
