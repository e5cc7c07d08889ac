package io.stele.storage.tablet;

import io.stele.storage.format.KeyIndexCursor;
import io.stele.storage.format.KeyIndexReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;

/**
 * Ends the present versions of all keys of an ingested file, at the file's LSN: one walk over its
 * sorted keys with a cursor in each file that overlaps it, instead of a lookup from the root for
 * each key.
 *
 * <p>Rows of the file that have the same key: the first one in the key index wins, the others are
 * marked. Runs on the shard's execution context.
 */
final class IngestMerge {
    private final ColumnFile file;
    private final List<ColumnFile> others = new ArrayList<>();
    private final List<MemTable> memTables;
    private final Collection<SealedMemTable> sealed;
    private final MemTable active;
    private final long lsn;
    private final long logLsn;

    IngestMerge(
            ColumnFile file,
            TableView view,
            Collection<SealedMemTable> sealed,
            MemTable active,
            long lsn,
            long logLsn) {
        this.file = file;
        this.memTables = view.memTables().stream().filter(table -> !table.isEmpty()).toList();
        this.sealed = sealed;
        this.active = active;
        this.lsn = lsn;
        this.logLsn = logLsn;
        for (ColumnFile other : view.columnFiles()) {
            if (other.hasEnded(lsn)) {
                continue;
            }
            boolean itself = other.entry().fileId().equals(file.entry().fileId());
            if (!itself && other.entry().minLsn().value() <= lsn && overlaps(other)) {
                others.add(other);
            }
        }
    }

    void run() throws IOException {
        KeyIndexReader index = file.keyIndex().orElseThrow();
        boolean unique = index.keyCount() == index.entryCount();
        if (unique && others.isEmpty() && memTables.isEmpty()) {
            return;
        }
        List<KeyIndexCursor> cursors = new ArrayList<>();
        for (ColumnFile other : others) {
            cursors.add(other.keyIndex().orElseThrow().cursor());
        }
        byte[] previous = null;
        KeyIndexCursor keys = index.cursor();
        while (keys.advance()) {
            byte[] key = keys.key();
            if (previous != null && Arrays.equals(previous, key)) {
                file.deletes().delete(keys.ordinal(), lsn);
                continue;
            }
            previous = key;
            supersedeInFiles(key, cursors);
            supersedeInMemory(key);
        }
    }

    private void supersedeInFiles(byte[] key, List<KeyIndexCursor> cursors) throws IOException {
        for (int i = 0; i < cursors.size(); i++) {
            KeyIndexCursor cursor = cursors.get(i);
            if (cursor.seek(key) && cursor.keyEquals(key)) {
                others.get(i).deletes().delete(cursor.ordinal(), lsn);
            }
        }
    }

    private void supersedeInMemory(byte[] key) {
        for (MemTable table : memTables) {
            KeyedVersion version = table.find(key, 0, key.length, Long.MAX_VALUE);
            if (version != null) {
                if (!version.isDeleted()) {
                    active.put(KeyedVersion.deleted(key, 0, key.length, lsn), logLsn);
                    sealed.forEach(older -> older.supersede(key, lsn));
                }
                return;
            }
        }
    }

    private boolean overlaps(ColumnFile other) {
        byte[] min = file.entry().minKey().orElseThrow();
        byte[] max = file.entry().maxKey().orElseThrow();
        byte[] otherMin = other.entry().minKey().orElseThrow();
        byte[] otherMax = other.entry().maxKey().orElseThrow();
        return Arrays.compareUnsigned(min, otherMax) <= 0
                && Arrays.compareUnsigned(otherMin, max) <= 0;
    }
}
