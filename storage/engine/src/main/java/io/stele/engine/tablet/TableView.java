package io.stele.engine.tablet;

import static java.util.Objects.requireNonNull;

import io.stele.engine.datafile.ColumnFile;
import io.stele.engine.datafile.SstFile;
import io.stele.engine.index.IndexView;
import io.stele.engine.manifest.FileEntry;
import io.stele.engine.memtable.MappedMemTable;
import io.stele.engine.memtable.MemTable;
import io.stele.engine.row.TableVersions;
import io.stele.protocol.schema.TableSchema;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

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
 */
public record TableView(
        TableVersions versions,
        List<MemTable> memTables,
        List<SstFile> sstFiles,
        List<ColumnFile> columnFiles,
        List<IndexView> indexes) {
    public TableView {
        requireNonNull(versions, "versions is null");
        memTables = List.copyOf(memTables);
        sstFiles = List.copyOf(sstFiles);
        columnFiles = List.copyOf(columnFiles);
        indexes = List.copyOf(indexes);
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
