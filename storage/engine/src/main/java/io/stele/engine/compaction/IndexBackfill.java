package io.stele.engine.compaction;

import static java.util.Objects.requireNonNull;

import io.stele.engine.compaction.output.SstFileOutput;
import io.stele.engine.datafile.ColumnFile;
import io.stele.engine.datafile.SstFile;
import io.stele.engine.datafile.SstFileVersions;
import io.stele.engine.datafile.TableFiles;
import io.stele.engine.index.IndexEntries;
import io.stele.engine.index.IndexKeys;
import io.stele.engine.index.IndexMemTable;
import io.stele.engine.manifest.FileEntry;
import io.stele.engine.manifest.Manifest;
import io.stele.engine.manifest.ManifestEdit;
import io.stele.engine.row.KeyedVersion;
import io.stele.engine.row.MergingVersions;
import io.stele.engine.tablet.TableShard;
import io.stele.engine.tablet.TableView;
import io.stele.objectstore.CloseAll;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.GrowingBytes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The backfill of a new secondary index in one shard: it reads all earlier row versions and writes
 * their index entries into files. Together with the entries of later writes, the index is complete
 * for every LSN of the retained history.
 *
 * <p>Versions come in the order of the primary key, so their entries are sorted in memory piece by
 * piece. The pieces are written as files and merged into level 1, which is still empty. Steps run
 * on background threads, one after the other; everything else runs on the shard's context.
 */
public final class IndexBackfill implements ManifestChange, AutoCloseable {
    /** Bytes of entries that are sorted in memory at a time; a node runs one build at a time. */
    private static final long PIECE_BYTES = 32L << 20;

    /** Entries merged in one step: about a second. */
    private static final int MERGE_ENTRIES = 1 << 20;

    private final TableShard table;
    private final IndexKeys keys;
    private final TableFiles files;
    private final long retentionLsn;
    private final BinaryRow row;
    private final GrowingBytes entry = IndexKeys.arena();
    private final BaseVersions versions;
    private IndexMemTable piece = new IndexMemTable(false);
    private final List<SstFile> pieces = new ArrayList<>();
    private final SstFileOutput output;
    private long rowCount;
    private @Nullable IndexEntries merged;
    private List<SstFile> outputs = List.of();

    /**
     * @param view of the table, obtained on the shard's context after writes began to make entries
     * @param retentionLsn rows that became obsolete at or below this LSN need no entries
     */
    public IndexBackfill(
            TableShard table,
            TableView view,
            IndexKeys keys,
            TableFiles files,
            long retentionLsn,
            long targetBytes) {
        this.table = requireNonNull(table, "table is null");
        this.keys = requireNonNull(keys, "keys is null");
        this.files = requireNonNull(files, "files is null");
        this.retentionLsn = retentionLsn;
        this.row = new BinaryRow(view.versions().layout());
        this.versions = new BaseVersions(files, view, retentionLsn);
        this.output = SstFileOutput.ofIndex(files, table, keys, 1, targetBytes);
    }

    /**
     * Does a part of the work, short enough for other tasks to run in between.
     *
     * @return whether there is more
     */
    public boolean step() throws IOException {
        try {
            IndexEntries merging = merged;
            if (merging == null) {
                if (!writePiece()) {
                    merged = merge();
                }
                return true;
            }
            for (int i = 0; i < MERGE_ENTRIES; i++) {
                if (!merging.advance()) {
                    outputs = output.finish();
                    forgetPieces();
                    return false;
                }
                output.add(merging.entry());
            }
            return true;
        } catch (UncheckedIOException failed) {
            throw failed.getCause();
        }
    }

    /** The number of row versions that the backfill of a view reads, at most. */
    public static long rowCount(TableView view) {
        return BaseVersions.count(view);
    }

    /** The number of row versions read so far; to be called between two steps. */
    public long rowCount() {
        return rowCount;
    }

    /** Closes the files that are read and written, whether or not the work is done. */
    @Override
    public void close() throws IOException {
        CloseAll.of(versions::close, output::close);
    }

    private boolean writePiece() throws IOException {
        while (piece.sizeBytes() < PIECE_BYTES && versions.advance()) {
            add(versions.version());
        }
        if (piece.isEmpty()) {
            return false;
        }
        try (SstFileOutput sorted = SstFileOutput.ofIndex(files, table, keys, 0, Long.MAX_VALUE)) {
            IndexEntries entries =
                    new IndexEntries(piece.entries(), retentionLsn, table.expiredLsn());
            while (entries.advance()) {
                sorted.add(entries.entry());
            }
            pieces.addAll(sorted.finish());
        }
        piece = new IndexMemTable(false);
        return true;
    }

    private void add(KeyedVersion version) {
        row.wrap(version.rowArray(), version.rowOffset(), version.rowLength());
        entry.clear();
        int columnBytes =
                keys.append(
                        row, version.keyArray(), version.keyOffset(), version.keyLength(), entry);
        piece.add(entry.array(), 0, entry.length(), columnBytes, version.lsn());
        piece.publish();
        rowCount++;
    }

    private IndexEntries merge() throws IOException {
        List<Iterator<KeyedVersion>> sources = new ArrayList<>();
        for (SstFile sorted : pieces) {
            sources.add(new SstFileVersions(sorted.reader().cursor()));
        }
        return new IndexEntries(new MergingVersions(sources), retentionLsn, table.expiredLsn());
    }

    private void forgetPieces() throws IOException {
        for (SstFile sorted : pieces) {
            files.store().delete(sorted.entry().path());
            files.forget(sorted.entry().path());
        }
    }

    @Override
    public TableShard table() {
        return table;
    }

    @Override
    public List<ColumnFile> newColumnFiles() {
        return List.of();
    }

    @Override
    public Set<String> removedFileIds() {
        return Set.of();
    }

    @Override
    public boolean isObsolete() {
        return !table.hasIndex(keys.index().id());
    }

    @Override
    public void catchUp() {
        // SST files have no deletion vectors.
    }

    @Override
    public void edit(Manifest base, ManifestEdit edit, Function<ColumnFile, FileEntry> entryOf) {
        if (!isObsolete()) {
            outputs.forEach(file -> edit.addFile(file.entry()));
        }
    }

    @Override
    public void install() {
        table.completeIndex(keys.index().id(), outputs);
    }
}
