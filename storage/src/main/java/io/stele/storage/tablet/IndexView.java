package io.stele.storage.tablet;

import static java.util.Objects.requireNonNull;

import java.util.List;

/**
 * The entries of a secondary index of a table in one shard, as of the moment of the {@link
 * TableView} that it is a part of.
 *
 * <p>Invariant: if complete, every version of a row that is readable at an LSN above the retention
 * point has its entry, with its LSN, in a memtable or file here. There may be entries of rows that
 * are no more, or have other values now.
 *
 * @param complete whether the rows from before the index have their entries
 * @param memTables newest first; the first takes entries
 * @param files level 0 newest first, then level 1 by key
 * @param staleDropped entries without a row that merges have dropped since the start
 */
public record IndexView(
        IndexKeys keys,
        boolean complete,
        List<IndexMemTable> memTables,
        List<RowFile> files,
        long staleDropped) {
    public IndexView {
        requireNonNull(keys, "keys is null");
        memTables = List.copyOf(memTables);
        files = List.copyOf(files);
    }

    public int indexId() {
        return keys.index().id();
    }

    public long memoryBytes() {
        return memTables.stream().mapToLong(IndexMemTable::sizeBytes).sum();
    }

    public long fileBytes() {
        return files.stream().mapToLong(file -> file.entry().sizeBytes()).sum();
    }
}
