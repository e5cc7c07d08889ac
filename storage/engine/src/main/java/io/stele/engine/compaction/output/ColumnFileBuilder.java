package io.stele.engine.compaction.output;

import io.stele.columnfile.index.BlockFileOptions;
import io.stele.columnfile.index.KeyIndexSummary;
import io.stele.columnfile.index.KeyIndexWriter;
import io.stele.columnfile.orc.ColumnBatches;
import io.stele.columnfile.orc.write.ColumnFileOptions;
import io.stele.columnfile.orc.write.ColumnFileSummary;
import io.stele.columnfile.orc.write.ColumnFileWriter;
import io.stele.columnfile.orc.write.PickedRows;
import io.stele.engine.compaction.policy.ColumnCompactionPolicy;
import io.stele.engine.datafile.DeletionVector;
import io.stele.engine.datafile.FileIds;
import io.stele.engine.datafile.TableFiles;
import io.stele.engine.manifest.FileEntry;
import io.stele.engine.manifest.FileKind;
import io.stele.engine.manifest.KeyIndexFile;
import io.stele.engine.row.KeyedVersion;
import io.stele.engine.row.RetainedVersions;
import io.stele.engine.row.TableVersions;
import io.stele.engine.tablet.TableShard;
import io.stele.objectstore.CloseAll;
import io.stele.objectstore.DeferredCommits;
import io.stele.objectstore.ObjectStore;
import io.stele.protocol.Lsn;
import io.stele.protocol.api.write.WrittenFile;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.KeyEncoder;
import io.stele.protocol.schema.TableSchema;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A builder of one column file with its key index, bitmap index and first deletions, whose objects
 * are only published later. Confined to one thread.
 */
public final class ColumnFileBuilder implements Closeable {
    private final TableFiles files;
    private final TableShard table;
    private final TableVersions versions;
    private final int number;
    private final byte @Nullable [] partition;
    private final String fileId;
    private final String path;
    private final ColumnFileWriter rows;
    private final KeyIndexWriter keys;
    private final @Nullable ClusteredKeys clustered;
    private final FileBitmaps bitmaps;
    private final DeferredCommits commits;
    private final List<Ended> ended = new ArrayList<>();
    private int level;
    private long rowBytes;
    private @Nullable PickedRows picked; // not written yet
    private @Nullable KeyedVersion last;

    private ColumnFileBuilder(
            TableFiles files,
            TableShard table,
            TableVersions versions,
            int level,
            int number,
            byte @Nullable [] partition,
            String fileId,
            String path,
            ColumnFileWriter rows,
            KeyIndexWriter keys,
            @Nullable ClusteredKeys clustered,
            DeferredCommits commits) {
        this.commits = commits;
        this.files = files;
        this.table = table;
        this.versions = versions;
        this.level = level;
        this.number = number;
        this.partition = partition;
        this.fileId = fileId;
        this.path = path;
        this.rows = rows;
        this.keys = keys;
        this.clustered = clustered;
        this.bitmaps = new FileBitmaps(versions.schema());
    }

    static ColumnFileBuilder create(
            TableFiles files,
            TableShard table,
            TableVersions versions,
            int level,
            int number,
            byte @Nullable [] partition)
            throws IOException {
        TableSchema schema = versions.schema();
        String fileId = files.ids().next();
        String path = FileIds.folder(schema.id(), table.shard()) + fileId + ".orc";
        String indexPath = WrittenFile.keyIndexPath(path);
        DeferredCommits commits = new DeferredCommits();
        ObjectStore store = commits.over(files.store());
        ColumnFileWriter rows =
                ColumnFileWriter.create(
                        store,
                        path,
                        schema,
                        ColumnFileOptions.DEFAULT.withCompression(
                                FileCompressions.ofStreams(schema)));
        boolean isClustered = ClusteringOrder.isClustered(table);
        KeyIndexWriter keys =
                isClustered
                        ? KeyIndexWriter.explicit(store, indexPath, BlockFileOptions.KEY_INDEX)
                        : KeyIndexWriter.byRank(store, indexPath, BlockFileOptions.KEY_INDEX);
        return new ColumnFileBuilder(
                files,
                table,
                versions,
                level,
                number,
                partition,
                fileId,
                path,
                rows,
                keys,
                isClustered ? new ClusteredKeys() : null,
                commits);
    }

    /** The index of this file among the files of one output. */
    public int number() {
        return number;
    }

    /** Adds a row and returns its ordinal. */
    int add(BinaryRow row, KeyedVersion version, long endLsn) throws IOException {
        int ordinal = Math.toIntExact(rows.rowCount());
        boolean keyed = table.schema().hasPrimaryKey();
        long rowId =
                keyed
                        ? 0
                        : KeyEncoder.rowId(
                                version.keyArray(), version.keyOffset(), version.keyLength());
        rows.add(row, version.lsn(), rowId);
        bitmaps.add(row, ordinal);
        if (clustered == null) {
            keys.add(version.keyArray(), version.keyOffset(), version.keyLength());
        } else {
            clustered.add(version, endLsn);
        }
        if (endLsn != RetainedVersions.PRESENT) {
            ended.add(new Ended(ordinal, endLsn));
        }
        rowBytes += version.rowLength();
        last = version;
        return ordinal;
    }

    /**
     * Picks a row of an input file, to be copied later together with others, and returns its
     * ordinal. Only for files in key order without bitmap indexes.
     *
     * @param sources the batches of all input files
     * @param source index of the row's file among these
     * @param position of the row in the file's batch
     */
    public int pick(
            List<ColumnBatches> sources,
            int source,
            int position,
            byte[] key,
            int keyLength,
            long endLsn)
            throws IOException {
        PickedRows picks = picked;
        if (picks == null) {
            picks = new PickedRows(sources);
            picked = picks;
        }
        int ordinal = Math.toIntExact(rows.rowCount() + picks.count());
        keys.add(key, 0, keyLength);
        picks.add(source, position);
        if (endLsn != RetainedVersions.PRESENT) {
            ended.add(new Ended(ordinal, endLsn));
        }
        if (picks.isFull()) {
            copyPicked();
        }
        return ordinal;
    }

    /** Copies the picked rows, before their input files advance. */
    void copyPicked() throws IOException {
        PickedRows picks = picked;
        if (picks != null && picks.count() > 0) {
            rowBytes += rows.addPicked(picks);
            picks.clear();
        }
    }

    /** As {@link #isFullBefore(KeyedVersion, long)}, for a file whose rows are picked. */
    boolean isFullBefore(byte[] key, int keyLength, long targetBytes) {
        return rowBytes >= targetBytes && !keys.isLast(key, 0, keyLength);
    }

    /**
     * Whether {@code next} belongs into another file, because this file is large enough. The size
     * is that of the rows before encoding and compression, or of the keys of a clustered file.
     * Where rows are in key order, all versions of a key stay in one file.
     */
    boolean isFullBefore(KeyedVersion next, long targetBytes) {
        if (clustered != null) {
            return rowBytes >= targetBytes || clustered.sizeBytes() >= ClusteredKeys.MAX_BYTES;
        }
        return rowBytes >= targetBytes && (last == null || last.compareKey(next) != 0);
    }

    /** Marks the file as full, since compacting it again would only write the same file. */
    void markFull() {
        level = Math.max(level, ColumnCompactionPolicy.FULL_LEVEL);
    }

    /**
     * Completes the file, which is then to be published; no other method may be called afterwards.
     */
    FinishedFile finish() throws IOException {
        copyPicked();
        ColumnFileSummary summary = rows.finish();
        if (clustered != null) {
            clustered.writeTo(keys);
        }
        KeyIndexSummary index = keys.finish(Optional.of(summary.end().storedMetadata()));
        OptionalLong bitmapIndexBytes =
                bitmaps.write(commits.over(files.store()), WrittenFile.bitmapIndexPath(path));
        FileEntry entry =
                new FileEntry(
                                fileId,
                                table.schema().id(),
                                FileKind.COLUMN,
                                level,
                                path,
                                summary.sizeBytes(),
                                summary.rowCount(),
                                summary.minLsn(),
                                summary.maxLsn(),
                                Optional.<Lsn>empty(),
                                OptionalLong.empty(),
                                versions.schemaVersion(),
                                Optional.of(index.minKey()),
                                Optional.of(index.maxKey()),
                                Optional.ofNullable(partition),
                                summary.columnStats(),
                                Optional.of(
                                        new KeyIndexFile(
                                                WrittenFile.keyIndexPath(path),
                                                index.sizeBytes(),
                                                index.metadataBytes())),
                                Optional.empty())
                        .withBitmapIndex(bitmapIndexBytes)
                        .withSketches(summary.sketches());
        return new FinishedFile(files, commits, entry, deletes(), versions, summary.end());
    }

    /** Discards an unfinished file. */
    @Override
    public void close() throws IOException {
        CloseAll.of(rows::close, keys::close, commits::giveUp);
    }

    // In LSN order, which deletion vectors require; rows are added in another order.
    private DeletionVector deletes() {
        DeletionVector deletes = new DeletionVector();
        ended.sort(Comparator.comparingLong(Ended::lsn));
        ended.forEach(row -> deletes.delete(row.ordinal(), row.lsn()));
        return deletes;
    }

    private record Ended(int ordinal, long lsn) {}
}
