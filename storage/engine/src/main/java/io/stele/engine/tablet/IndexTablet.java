package io.stele.engine.tablet;

import io.stele.engine.datafile.SstFile;
import io.stele.engine.index.IndexKeys;
import io.stele.engine.index.IndexMemTable;
import io.stele.engine.index.IndexView;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A secondary index of a table in one shard: its memtables and SST files. Confined to the shard's
 * execution context; readers see it through {@link #view}.
 */
public final class IndexTablet {
    private IndexKeys keys;
    private boolean complete;
    private long staleDropped;
    private final List<IndexMemTable> active = new ArrayList<>(); // one or more a worker
    private final List<IndexMemTable> sealed = new ArrayList<>(); // newest first
    private List<SstFile> files = List.of(); // another list when they change, and only then

    /**
     * @param complete whether every row of the table has its entry
     */
    IndexTablet(IndexKeys keys, boolean complete) {
        this.keys = keys;
        this.complete = complete;
        active.add(newMemTable());
    }

    int indexId() {
        return keys.index().id();
    }

    IndexKeys keys() {
        return keys;
    }

    /** Follows a changed schema of the table. */
    void setKeys(IndexKeys newKeys) {
        keys = newKeys;
    }

    /** The memtable that receives the entries of an apply worker. */
    IndexMemTable active(int worker) {
        return active.get(worker);
    }

    /** Creates memtables until there is one for each of {@code workers} apply workers. */
    void useWorkers(int workers) {
        while (active.size() < workers) {
            active.add(newMemTable());
        }
    }

    /** Bytes in the memtables that receive entries. */
    long activeBytes() {
        return active.stream().mapToLong(IndexMemTable::sizeBytes).sum();
    }

    void restore(List<SstFile> newFiles) {
        files = List.copyOf(TableShard.ordered(newFiles));
    }

    /** Closes the active memtables, returns those that have entries and opens a new one. */
    List<IndexMemTable> seal() {
        List<IndexMemTable> closed = active.stream().filter(table -> !table.isEmpty()).toList();
        sealed.addAll(0, closed);
        active.clear();
        active.add(newMemTable());
        return closed;
    }

    /** Drops the entries that are in no file. */
    void releaseMemory() {
        seal();
        sealed.clear();
    }

    private IndexMemTable newMemTable() {
        return new IndexMemTable(keys.index().unique());
    }

    void installFlush(List<IndexMemTable> flushed, Collection<SstFile> newFiles) {
        sealed.removeIf(table -> flushed.stream().anyMatch(other -> other == table));
        replace(Set.of(), newFiles);
    }

    void installCompaction(
            Set<String> removedFileIds, Collection<SstFile> newFiles, long staleEntries) {
        staleDropped += staleEntries;
        replace(removedFileIds, newFiles);
    }

    /** Adds the missing entries: from now on every row has its entry. */
    void complete(Collection<SstFile> newFiles) {
        complete = true;
        replace(Set.of(), newFiles);
    }

    private void replace(Set<String> removedFileIds, Collection<SstFile> newFiles) {
        List<SstFile> all = new ArrayList<>(files);
        all.removeIf(file -> removedFileIds.contains(file.entry().fileId()));
        all.addAll(newFiles);
        files = List.copyOf(TableShard.ordered(all));
    }

    IndexView view() {
        List<IndexMemTable> memTables = new ArrayList<>(active);
        memTables.addAll(sealed);
        return new IndexView(keys, complete, memTables, files, staleDropped);
    }

    public static Set<String> ids(Collection<SstFile> files) {
        Set<String> ids = new HashSet<>();
        files.forEach(file -> ids.add(file.entry().fileId()));
        return ids;
    }
}
