package io.stele.engine.tablet;

import static java.util.Objects.requireNonNull;

import io.stele.columnfile.index.RowVersion;
import io.stele.engine.datafile.ColumnFile;
import io.stele.engine.datafile.SstFile;
import io.stele.engine.index.IndexView;
import io.stele.engine.manifest.FileEntry;
import io.stele.engine.memtable.MappedMemTable;
import io.stele.engine.memtable.MemTable;
import io.stele.engine.row.TableVersions;
import io.stele.protocol.schema.TableSchema;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The memtables, files and indexes of one table in one shard at one moment, for readers, flushes
 * and compactions. The list of parts is immutable; memtables and deletion vectors inside continue
 * to grow, but a reader at an LSN sees no difference once that LSN is applied.
 *
 * <p>Invariant: every version readable at an LSN above the retention point is in exactly one
 * memtable or file of the view (SST files and column files count apart: each kind holds a full
 * copy).
 *
 * @param versions the schema version in which all rows are read
 * @param memTables newest first; the first receives writes
 * @param sstFiles level 0 newest first, then level by level
 * @param columnFiles in no particular order
 * @param indexes the secondary indexes
 * @param ingestedLsn of the SST file that was ingested last; 0 if none was
 */
public record TableView(
        TableVersions versions,
        List<MemTable> memTables,
        List<SstFile> sstFiles,
        List<ColumnFile> columnFiles,
        List<IndexView> indexes,
        long ingestedLsn) {
    public TableView {
        requireNonNull(versions, "versions is null");
        memTables = List.copyOf(memTables);
        sstFiles = List.copyOf(sstFiles);
        columnFiles = List.copyOf(columnFiles);
        indexes = List.copyOf(indexes);
    }

    public TableView(
            TableVersions versions,
            List<MemTable> memTables,
            List<SstFile> sstFiles,
            List<ColumnFile> columnFiles,
            List<IndexView> indexes) {
        this(versions, memTables, sstFiles, columnFiles, indexes, ingestedLsn(sstFiles));
    }

    private static long ingestedLsn(List<SstFile> sstFiles) {
        long newest = 0;
        for (SstFile file : sstFiles) {
            if (file.entry().isIngestedRows()) {
                newest = Math.max(newest, file.entry().maxLsn().value());
            }
        }
        return newest;
    }

    /**
     * Whether an SST file may have a newer version of a key than one that was found in memory: a
     * file that was ingested after the memtable was begun. In all other cases versions in memory
     * are newer than those in SST files.
     *
     * @param lsn of the version in memory
     * @param readLsn of the reader
     */
    public boolean mayBeNewerInFile(byte[] key, long lsn, long readLsn) {
        for (int i = 0; i < sstFiles.size() && ingestedLsn > lsn; i++) { // seldom any
            if (isIngestedBetween(sstFiles.get(i), lsn, readLsn)
                    && sstFiles.get(i).entry().mayContain(key)) {
                return true;
            }
        }
        return false;
    }

    /**
     * The newest version of a key at or below {@code readLsn} in SST files that were ingested after
     * {@code lsn}; null if there is none. Blocks on files.
     *
     * @param hash {@link io.stele.protocol.schema.XxHash64} of the key
     * @param over the form in which a file is read
     */
    public @Nullable RowVersion findIngestedAfter(
            byte[] key, long hash, long lsn, long readLsn, UnaryOperator<SstFile> over)
            throws IOException {
        RowVersion newest = null;
        for (int i = 0; i < sstFiles.size() && ingestedLsn > lsn; i++) {
            SstFile file = sstFiles.get(i);
            if (isIngestedBetween(file, lsn, readLsn) && file.entry().mayContain(key)) {
                RowVersion found = over.apply(file).find(key, hash, readLsn);
                if (found != null && (newest == null || found.lsn() > newest.lsn())) {
                    newest = found;
                }
            }
        }
        return newest;
    }

    private static boolean isIngestedBetween(SstFile file, long lsn, long readLsn) {
        FileEntry entry = file.entry();
        return entry.isIngestedRows()
                && entry.minLsn().value() > lsn
                && entry.minLsn().value() <= readLsn;
    }

    /** The table as its rows are read. */
    public TableSchema schema() {
        return versions.schema();
    }

    /**
     * The same rows, read as those of a later schema version, without the indexes: their keys are
     * made of rows of this version.
     */
    public TableView as(TableVersions later) {
        if (later.layout() == versions.layout()) {
            return this;
        }
        return new TableView(
                later,
                memTables.stream().map(table -> MappedMemTable.of(table, later)).toList(),
                sstFiles.stream().map(file -> file.as(later)).toList(),
                columnFiles.stream().map(file -> file.as(later)).toList(),
                List.of());
    }

    /** The index of an id. */
    public Optional<IndexView> index(int indexId) {
        for (IndexView index : indexes) { // called with every row of a table with a unique index
            if (index.indexId() == indexId) {
                return Optional.of(index);
            }
        }
        return Optional.empty();
    }

    /** Whether a row may be refused because of another one; allocates nothing. */
    public boolean hasUniqueIndex() {
        for (int i = 0; i < indexes.size(); i++) {
            if (indexes.get(i).keys().index().unique()) {
                return true;
            }
        }
        return false;
    }

    /** The entries of all files, those of indexes included. */
    public Stream<FileEntry> files() {
        return Stream.of(
                        sstFiles.stream().map(SstFile::entry),
                        columnFiles.stream().map(ColumnFile::entry),
                        indexes.stream()
                                .flatMap(index -> index.files().stream())
                                .map(SstFile::entry))
                .flatMap(Function.identity());
    }

    /** The number of all files, including files of indexes. */
    public int fileCount() {
        int count = sstFiles.size() + columnFiles.size();
        for (IndexView index : indexes) {
            count += index.files().size();
        }
        return count;
    }

    /** Versions in memory, tombstones included. */
    public long memoryVersions() {
        return memTables.stream().mapToLong(MemTable::versionCount).sum();
    }

    /** Bytes in memory, index entries included. */
    public long memoryBytes() {
        return memTables.stream().mapToLong(MemTable::sizeBytes).sum()
                + indexes.stream().mapToLong(IndexView::memoryBytes).sum();
    }
}
