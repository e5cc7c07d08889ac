package io.stele.storage.tablet;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A secondary index of a table in one shard: its memtables and row files. Confined to the shard's
 * execution context; readers see it through {@link #view}.
 */
final class IndexTablet {
    private IndexKeys keys;
    private boolean complete;
    private long staleDropped;
    private final List<IndexMemTable> memTables = new ArrayList<>(); // newest first
    private List<RowFile> files = List.of(); // another list when they change, and only then

    /**
     * @param complete whether every row of the table has its entry
     */
    IndexTablet(IndexKeys keys, boolean complete) {
        this.keys = keys;
        this.complete = complete;
        memTables.add(newMemTable());
    }

    int indexId() {
        return keys.index().id();
    }

    IndexKeys keys() {
        return keys;
    }

    /** The same index of a table whose schema has changed. */
    void setKeys(IndexKeys newKeys) {
        keys = newKeys;
    }

    IndexMemTable active() {
        return memTables.getFirst();
    }

    void restore(List<RowFile> newFiles) {
        files = List.copyOf(TableShard.ordered(newFiles));
    }

    /** Closes the active memtable, returns it and opens a new one. */
    IndexMemTable seal() {
        IndexMemTable sealed = memTables.getFirst();
        memTables.removeIf(IndexMemTable::isEmpty);
        memTables.addFirst(newMemTable());
        return sealed;
    }

    private IndexMemTable newMemTable() {
        return new IndexMemTable(keys.index().unique());
    }

    void installFlush(IndexMemTable flushed, Collection<RowFile> newFiles) {
        memTables.removeIf(table -> table == flushed);
        replace(Set.of(), newFiles);
    }

    void installMerge(Set<String> removedFileIds, Collection<RowFile> newFiles, long staleEntries) {
        staleDropped += staleEntries;
        replace(removedFileIds, newFiles);
    }

    /** Adds what was missing: from now on every row has its entry. */
    void complete(Collection<RowFile> newFiles) {
        complete = true;
        replace(Set.of(), newFiles);
    }

    private void replace(Set<String> removedFileIds, Collection<RowFile> newFiles) {
        List<RowFile> all = new ArrayList<>(files);
        all.removeIf(file -> removedFileIds.contains(file.entry().fileId()));
        all.addAll(newFiles);
        files = List.copyOf(TableShard.ordered(all));
    }

    IndexView view() {
        return new IndexView(keys, complete, memTables, files, staleDropped);
    }

    static Set<String> ids(Collection<RowFile> files) {
        Set<String> ids = new HashSet<>();
        files.forEach(file -> ids.add(file.entry().fileId()));
        return ids;
    }
}
