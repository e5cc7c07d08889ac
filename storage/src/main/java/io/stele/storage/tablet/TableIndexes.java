package io.stele.storage.tablet;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.GrowingBytes;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.schema.IndexSchema;
import io.stele.protocol.schema.TableSchema;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The secondary indexes of a table in one shard, kept in step with its rows: an index is a row
 * tablet whose entries are made from the rows when they are applied, so that one log record is base
 * and indexes.
 *
 * <p>A change does not look for the row it supersedes, so it cannot remove that row's entries (Luo
 * and Carey, "Efficient data ingestion and query processing for LSM-based storage systems", PVLDB
 * 12(5), 2019, section 4: validation). They stay; a lookup fetches each row at its LSN and leaves
 * out those that have other values, and merges drop entries that no reader finds a row for. So an
 * entry is a fact that is never taken back: there are no deletions in an index.
 *
 * <p>Confined to the shard's execution context.
 */
final class TableIndexes {
    private final Map<Integer, IndexTablet> tablets = new LinkedHashMap<>();
    private final GrowingBytes arena = IndexKeys.arena();
    private int[] ends = new int[64];
    private int[] columnBytes = new int[64];
    private int endCount;
    private TableSchema schema;
    private BinaryRow row;
    private List<IndexView> views = List.of();

    /** Indexes of a new table are complete, unless the catalog says that they are not. */
    TableIndexes(TableSchema schema, RowLayout layout) {
        this.schema = requireNonNull(schema, "schema is null");
        this.row = new BinaryRow(layout);
        for (IndexSchema index : schema.options().indexes()) {
            tablets.put(index.id(), new IndexTablet(new IndexKeys(schema, index), index.ready()));
        }
        showViews();
    }

    boolean isEmpty() {
        return tablets.isEmpty();
    }

    /** What readers see; changes with each change but those of {@link #publish}. */
    List<IndexView> views() {
        return views;
    }

    /**
     * Follows the table's schema: new indexes take entries from now on and are not complete, and
     * those that are gone are forgotten.
     */
    void follow(TableSchema newSchema, RowLayout layout) {
        schema = newSchema;
        row = new BinaryRow(layout);
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

    void restore(Map<Integer, List<RowFile>> files) {
        files.forEach((indexId, ofIndex) -> tablet(indexId).restore(ofIndex));
        showViews();
    }

    /** Makes the entries of a row; they are there after {@link #publish}. */
    void add(KeyedVersion version) {
        if (tablets.isEmpty()) {
            return;
        }
        row.wrap(version.rowArray(), version.rowOffset(), version.rowLength());
        add(row, version.keyArray(), version.keyOffset(), version.keyLength());
    }

    void add(BinaryRow whole, byte[] keyArray, int keyOffset, int keyLength) {
        if (endCount + tablets.size() > ends.length) {
            int room = Math.max(2 * ends.length, endCount + tablets.size());
            ends = Arrays.copyOf(ends, room);
            columnBytes = Arrays.copyOf(columnBytes, room);
        }
        for (IndexTablet tablet : tablets.values()) {
            columnBytes[endCount] =
                    tablet.keys().append(whole, keyArray, keyOffset, keyLength, arena);
            ends[endCount++] = arena.length();
        }
    }

    /** Puts the entries made since the last call into the memtables, with the LSN of their rows. */
    void publish(long lsn) {
        if (endCount == 0) {
            return;
        }
        byte[] bytes = arena.array();
        int step = tablets.size();
        int first = 0;
        for (IndexTablet tablet : tablets.values()) {
            IndexMemTable active = tablet.active();
            for (int i = first; i < endCount; i += step) {
                int from = i == 0 ? 0 : ends[i - 1];
                active.add(bytes, from, ends[i] - from, columnBytes[i], lsn);
            }
            active.publish();
            first++;
        }
        arena.clear();
        endCount = 0;
    }

    /** Bytes of the entries made but not published. */
    int pendingBytes() {
        return arena.length();
    }

    /** Bytes in the memtables that take entries. */
    long activeBytes() {
        long bytes = 0;
        for (IndexTablet tablet : tablets.values()) {
            bytes += tablet.active().sizeBytes();
        }
        return bytes;
    }

    /** Closes the active memtables and opens new ones; returns the closed ones by index id. */
    Map<Integer, IndexMemTable> seal() {
        Map<Integer, IndexMemTable> sealed = new HashMap<>();
        tablets.forEach((indexId, tablet) -> sealed.put(indexId, tablet.seal()));
        showViews();
        return sealed;
    }

    void installFlush(Map<Integer, IndexMemTable> sealed, List<RowFile> files) {
        sealed.forEach(
                (indexId, memTable) -> {
                    IndexTablet tablet = tablets.get(indexId);
                    if (tablet != null) {
                        tablet.installFlush(memTable, ofIndex(indexId, files));
                    }
                });
        showViews();
    }

    /** Puts merged files in the place of others; nothing happens if the index is gone. */
    void installMerge(
            int indexId, Set<String> removedFileIds, List<RowFile> files, long staleEntries) {
        IndexTablet tablet = tablets.get(indexId);
        if (tablet != null) {
            tablet.installMerge(removedFileIds, files, staleEntries);
            showViews();
        }
    }

    /** Adds the entries of all rows from before the index, which completes it. */
    void complete(int indexId, List<RowFile> files) {
        IndexTablet tablet = tablets.get(indexId);
        if (tablet != null) {
            tablet.complete(files);
            showViews();
        }
    }

    private void showViews() {
        views = tablets.values().stream().map(IndexTablet::view).toList();
    }

    private IndexTablet tablet(int indexId) {
        return requireNonNull(
                tablets.get(indexId),
                () -> "Expected an index of " + schema.qualifiedName() + ", found id " + indexId);
    }

    private static List<RowFile> ofIndex(int indexId, Collection<RowFile> files) {
        return files.stream()
                .filter(file -> file.entry().indexId().orElseThrow() == indexId)
                .toList();
    }
}
