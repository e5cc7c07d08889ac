package io.stele.engine.tablet;

import io.stele.columnfile.index.KeyIndexCursor;
import io.stele.columnfile.index.KeyIndexReader;
import io.stele.objectstore.SequentialReads;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;

/**
 * Ends the present versions of all keys of an ingested file, at the file's LSN: one walk over its
 * sorted keys. On a local disk a cursor in each file that overlaps it goes along, instead of a
 * lookup from the root for each key; on a store that is far away many keys are looked up together.
 *
 * <p>Rows of the file that have the same key: the first one in the key index wins, the others are
 * marked. Runs on the shard's execution context.
 */
final class IngestMerge {
    /** Keys that are looked up together; {@link KeyIndexSearch} reads for fewer if it must. */
    private static final int MAX_KEYS = 1 << 16;

    private static final long MAX_KEY_BYTES = 8 << 20;

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

    void run(TableFiles files) throws IOException {
        KeyIndexReader index = file.keyIndex();
        boolean unique = index.keyCount() == index.entryCount();
        if (unique && others.isEmpty() && memTables.isEmpty()) {
            return;
        }
        OtherFiles target =
                files.parallelReads().isParallel()
                        ? new SearchedFiles(new KeyIndexSearch(files.parallelReads()))
                        : new WalkedFiles();
        try (SequentialReads reads = files.sequentialReads()) {
            byte[] previous = null;
            KeyIndexCursor keys = index.cursor(reads);
            while (keys.advance()) {
                byte[] key = keys.key();
                if (previous != null && Arrays.equals(previous, key)) {
                    file.deletes().delete(keys.ordinal(), lsn);
                    continue;
                }
                previous = key;
                target.supersede(key);
                supersedeInMemory(key);
            }
        }
        target.end();
    }

    /** The other files, in which sorted keys make their rows obsolete. */
    private interface OtherFiles {
        void supersede(byte[] key) throws IOException;

        void end() throws IOException;
    }

    /** Each file has a cursor, which goes along. */
    private final class WalkedFiles implements OtherFiles {
        private final List<KeyIndexCursor> cursors = new ArrayList<>();

        private WalkedFiles() throws IOException {
            for (ColumnFile other : others) {
                cursors.add(other.keyIndex().cursor());
            }
        }

        @Override
        public void supersede(byte[] key) throws IOException {
            for (int i = 0; i < cursors.size(); i++) {
                KeyIndexCursor cursor = cursors.get(i);
                if (cursor.seek(key) && cursor.keyEquals(key)) {
                    others.get(i).deletes().delete(cursor.ordinal(), lsn);
                }
            }
        }

        @Override
        public void end() {
            // all is done
        }
    }

    /** Keys are collected, and looked up together. */
    private final class SearchedFiles implements OtherFiles {
        private final KeyIndexSearch search;
        private final List<byte[]> keys = new ArrayList<>();
        private long keyBytes;

        private SearchedFiles(KeyIndexSearch search) {
            this.search = search;
        }

        @Override
        public void supersede(byte[] key) throws IOException {
            keys.add(key);
            keyBytes += key.length;
            if (keys.size() == MAX_KEYS || keyBytes >= MAX_KEY_BYTES) {
                end();
            }
        }

        @Override
        public void end() throws IOException {
            search.find(
                    others,
                    ProbeKeys.ofEach(keys),
                    lsn,
                    (other, key, ordinal) -> others.get(other).deletes().delete(ordinal, lsn));
            keys.clear();
            keyBytes = 0;
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
