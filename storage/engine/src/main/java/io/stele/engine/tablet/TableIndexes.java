package io.stele.engine.tablet;

import static java.util.Objects.requireNonNull;

import io.stele.engine.datafile.SstFile;
import io.stele.engine.index.IndexEntryWriter;
import io.stele.engine.index.IndexKeys;
import io.stele.engine.index.IndexMemTable;
import io.stele.engine.index.IndexView;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.schema.IndexSchema;
import io.stele.protocol.schema.TableSchema;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The secondary indexes of a table in one shard, updated together with its rows. An index is a row
 * tablet whose entries are derived from the rows when they are applied, so that one log record
 * changes the table and its indexes.
 *
 * <p>A change does not look up the row it replaces, so it cannot remove that row's entries (Luo and
 * Carey, "Efficient data ingestion and query processing for LSM-based storage systems", PVLDB
 * 12(5), 2019, section 4: validation). The entries stay: a lookup fetches each row at its LSN and
 * omits rows with other values, and compactions drop entries for which no reader finds a row. So
 * there are no deletions in an index.
 *
 * <p>Confined to the shard's execution context, except for the {@linkplain #writer writers} of
 * apply workers.
 */
final class TableIndexes {
    private final Map<Integer, IndexTablet> tablets = new LinkedHashMap<>();
    private TableSchema schema;
    private RowLayout layout;
    private int workers = 1;
    private List<IndexEntryWriter> writers = List.of(); // one for each apply worker
    private List<IndexView> views = List.of();

    /** Indexes of a new table are complete, unless the catalog marks them as not ready. */
    TableIndexes(TableSchema schema, RowLayout layout) {
        this.schema = requireNonNull(schema, "schema is null");
        this.layout = requireNonNull(layout, "layout is null");
        for (IndexSchema index : schema.options().indexes()) {
            tablets.put(index.id(), new IndexTablet(new IndexKeys(schema, index), index.ready()));
        }
        showViews();
    }

    boolean isEmpty() {
        return tablets.isEmpty();
    }

    /** The views of readers; they change with each change except those by the writers. */
    List<IndexView> views() {
        return views;
    }

    /**
     * Follows the table's schema: new indexes receive entries from now on and are not complete, and
     * dropped ones are removed.
     */
    void follow(TableSchema newSchema, RowLayout newLayout) {
        schema = newSchema;
        layout = newLayout;
        Map<Integer, IndexSchema> wanted = new LinkedHashMap<>();
        newSchema.options().indexes().forEach(index -> wanted.put(index.id(), index));
        tablets.keySet().retainAll(wanted.keySet());
        for (IndexSchema index : wanted.values()) {
            IndexKeys keys = new IndexKeys(newSchema, index);
            IndexTablet known = tablets.get(index.id());
            if (known == null) {
                tablets.put(index.id(), new IndexTablet(keys, false));
            } else {
                known.setKeys(keys);
            }
        }
        showViews();
    }

    /** Drops all entries that are in no file. */
    void releaseMemory() {
        seal();
        tablets.values().forEach(IndexTablet::releaseMemory);
        useWorkers(workers);
    }

    void restore(Map<Integer, List<SstFile>> files) {
        files.forEach((indexId, ofIndex) -> tablet(indexId).restore(ofIndex));
        showViews();
    }

    /** Accepts entries from {@code newWorkers} apply workers from now on. */
    void useWorkers(int newWorkers) {
        workers = newWorkers;
        showViews();
    }

    /** The writer of an apply worker's index entries; a new one whenever the views change. */
    IndexEntryWriter writer(int worker) {
        return writers.get(worker);
    }

    /** Bytes in the memtables that receive entries. */
    long activeBytes() {
        long bytes = 0;
        for (IndexTablet tablet : tablets.values()) {
            bytes += tablet.activeBytes();
        }
        return bytes;
    }

    /** Closes the active memtables and opens new ones; returns the closed ones by index id. */
    Map<Integer, List<IndexMemTable>> seal() {
        Map<Integer, List<IndexMemTable>> sealed = new HashMap<>();
        tablets.forEach((indexId, tablet) -> sealed.put(indexId, tablet.seal()));
        showViews();
        return sealed;
    }

    void installFlush(Map<Integer, List<IndexMemTable>> sealed, List<SstFile> files) {
        sealed.forEach(
                (indexId, memTables) -> {
                    IndexTablet tablet = tablets.get(indexId);
                    if (tablet != null) {
                        tablet.installFlush(memTables, ofIndex(indexId, files));
                    }
                });
        showViews();
    }

    /** Replaces files by compacted ones; does nothing if the index is gone. */
    void installCompaction(
            int indexId, Set<String> removedFileIds, List<SstFile> files, long staleEntries) {
        IndexTablet tablet = tablets.get(indexId);
        if (tablet != null) {
            tablet.installCompaction(removedFileIds, files, staleEntries);
            showViews();
        }
    }

    /** Adds the entries of all rows from before the index, which completes it. */
    void complete(int indexId, List<SstFile> files) {
        IndexTablet tablet = tablets.get(indexId);
        if (tablet != null) {
            tablet.complete(files);
            showViews();
        }
    }

    private void showViews() {
        tablets.values().forEach(tablet -> tablet.useWorkers(workers));
        List<IndexKeys> keys = tablets.values().stream().map(IndexTablet::keys).toList();
        List<IndexEntryWriter> newWriters = new ArrayList<>();
        for (int worker = 0; worker < workers; worker++) {
            int of = worker;
            newWriters.add(
                    new IndexEntryWriter(
                            keys,
                            tablets.values().stream().map(tablet -> tablet.active(of)).toList(),
                            layout));
        }
        writers = List.copyOf(newWriters);
        views = tablets.values().stream().map(IndexTablet::view).toList();
    }

    private IndexTablet tablet(int indexId) {
        return requireNonNull(
                tablets.get(indexId),
                () -> "Expected an index of " + schema.qualifiedName() + ", found id " + indexId);
    }

    private static List<SstFile> ofIndex(int indexId, Collection<SstFile> files) {
        return files.stream()
                .filter(file -> file.entry().indexId().orElseThrow() == indexId)
                .toList();
    }
}
