package io.stele.engine.index;

import io.stele.engine.row.KeyedVersion;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.GrowingBytes;
import io.stele.protocol.row.RowLayout;
import java.util.Arrays;
import java.util.List;

/**
 * A writer of the index entries of rows into index memtables, in batches. Each apply worker of a
 * table has its own.
 *
 * <p>Entries stay in the hash bucket of their row, independent of their own key. An entry is never
 * removed by a write. So nothing depends on the order of two entries, and no entry is passed
 * between workers.
 *
 * <p>Confined to its worker, or to code that runs while the apply workers are idle.
 */
public final class IndexEntryWriter {
    private final List<IndexKeys> keys;
    private final List<IndexMemTable> memTables;
    private final BinaryRow row;
    private final GrowingBytes arena = IndexKeys.arena();
    private int[] ends = new int[64];
    private int[] columnBytes = new int[64];
    private int endCount;

    /**
     * @param keys the key encodings of the table's indexes
     * @param memTables the memtable for each of these indexes
     */
    public IndexEntryWriter(List<IndexKeys> keys, List<IndexMemTable> memTables, RowLayout layout) {
        this.keys = List.copyOf(keys);
        this.memTables = List.copyOf(memTables);
        this.row = new BinaryRow(layout);
        if (keys.size() != memTables.size()) {
            throw new IllegalArgumentException(
                    "Expected a memtable for each of %d indexes, found %d"
                            .formatted(keys.size(), memTables.size()));
        }
    }

    /** Creates the entries of a row; they are visible after {@link #publish}. */
    public void add(KeyedVersion version) {
        if (keys.isEmpty()) {
            return;
        }
        row.wrap(version.rowArray(), version.rowOffset(), version.rowLength());
        add(row, version.keyArray(), version.keyOffset(), version.keyLength());
    }

    void add(BinaryRow whole, byte[] keyArray, int keyOffset, int keyLength) {
        if (endCount + keys.size() > ends.length) {
            int room = Math.max(2 * ends.length, endCount + keys.size());
            ends = Arrays.copyOf(ends, room);
            columnBytes = Arrays.copyOf(columnBytes, room);
        }
        for (IndexKeys index : keys) {
            columnBytes[endCount] = index.append(whole, keyArray, keyOffset, keyLength, arena);
            ends[endCount++] = arena.length();
        }
    }

    /**
     * Adds the entries created since the last call to the memtables, with the LSN of their rows.
     */
    public void publish(long lsn) {
        if (endCount == 0) {
            return;
        }
        byte[] bytes = arena.array();
        int step = keys.size();
        for (int index = 0; index < step; index++) {
            IndexMemTable memTable = memTables.get(index);
            for (int i = index; i < endCount; i += step) {
                int from = i == 0 ? 0 : ends[i - 1];
                memTable.add(bytes, from, ends[i] - from, columnBytes[i], lsn);
            }
            memTable.publish();
        }
        arena.clear();
        endCount = 0;
    }

    /** The bytes of the entries that are created but not published. */
    int pendingBytes() {
        return arena.length();
    }
}
