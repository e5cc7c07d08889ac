package io.stele.engine.tablet;

import io.stele.columnfile.index.KeyIndexCursor;
import io.stele.columnfile.index.KeyIndexReader;
import io.stele.engine.datafile.ColumnFile;
import io.stele.engine.datafile.KeyIndexSearch;
import io.stele.engine.datafile.TableFiles;
import io.stele.engine.memtable.MemTable;
import io.stele.engine.row.KeyedVersion;
import io.stele.engine.row.ProbeKeys;
import io.stele.objectstore.SequentialReads;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;

/**
 * The deletion of all rows that an ingested file replaces when its commit is applied, in one walk
 * over its sorted keys. The rows become obsolete at the file's LSN. On a local disk a cursor in
 * each overlapping file advances with the walk, instead of a lookup from the root for each key; on
 * a remote store many keys are looked up together.
 *
 * <p>Of several rows of the file with one key, the first in the key index remains, and the others
 * are marked. Runs on the shard's execution context, and waits for the store to read the keys of
 * the file itself, and blocks that {@link #prefetch} did not read or the block cache no longer has.
 */
final class IngestDeletions {
    /** Keys that are looked up together; {@link KeyIndexSearch} reads for fewer if it must. */
    private static final int MAX_KEYS = 1 << 16;

    private static final long MAX_KEY_BYTES = 8 << 20;

    /** 20 KiB: a part of the filter, and a block of entries. */
    private static final long PREFETCHED_BYTES_A_KEY = 20 << 10;

    private final ColumnFile file;
    private final List<ColumnFile> others;
    private final List<MemTable> memTables;
    private final Collection<SealedMemTable> sealed;
    private final MemTable active;
    private final long lsn;
    private final long logLsn;

    IngestDeletions(
            ColumnFile file,
            IngestedKeys keys,
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
        // Other files of the transaction have its LSN
        this.others = overlapping(file, view, keys == IngestedKeys.ANY ? lsn : lsn - 1);
    }

    private static List<ColumnFile> overlapping(ColumnFile file, TableView view, long lsn) {
        List<ColumnFile> others = new ArrayList<>();
        for (ColumnFile other : view.columnFiles()) {
            if (other.isObsoleteAt(lsn)) {
                continue;
            }
            boolean itself = other.entry().fileId().equals(file.entry().fileId());
            if (!itself
                    && other.entry().minLsn().value() <= lsn
                    && file.entry().overlaps(other.entry())) {
                others.add(other);
            }
        }
        return others;
    }

    /**
     * Reads into the block cache the blocks of other files that {@link #run} will need, as many as
     * fit there. It is a hint, before the shard's log is held: other writes may still change the
     * rows. Any thread; blocks.
     *
     * @param maxBytes the approximate limit of bytes to read
     * @return an upper bound of the bytes that were read
     */
    static long prefetch(TableFiles files, ColumnFile file, TableView view, long maxBytes)
            throws IOException {
        long lsn = Long.MAX_VALUE;
        List<ColumnFile> others = overlapping(file, view, lsn);
        if (others.isEmpty()) {
            return 0;
        }
        long indexBytes = 0;
        for (ColumnFile other : others) {
            indexBytes += other.entry().keyIndex().orElseThrow().sizeBytes();
        }
        long bytesAKey = PREFETCHED_BYTES_A_KEY * others.size();
        long keysLeft = indexBytes <= maxBytes ? Long.MAX_VALUE : maxBytes / bytesAKey;
        long bytes = Math.min(indexBytes, file.entry().rowCount() * bytesAKey);
        SearchedFiles search =
                new SearchedFiles(
                        new KeyIndexSearch(files.parallelReads()), others, lsn, (_, _, _) -> {});
        try (SequentialReads reads = files.sequentialReads()) {
            for (KeyIndexCursor keys = file.keyIndex().cursor(reads);
                    keysLeft > 0 && keys.advance();
                    keysLeft--) {
                search.markObsolete(keys.key());
            }
        }
        search.end();
        return Math.min(bytes, maxBytes);
    }

    void run(TableFiles files) throws IOException {
        KeyIndexReader index = file.keyIndex();
        boolean unique = index.keyCount() == index.entryCount();
        if (unique && others.isEmpty() && memTables.isEmpty()) {
            return;
        }
        OtherFiles target =
                files.parallelReads().isParallel()
                        ? new SearchedFiles(
                                new KeyIndexSearch(files.parallelReads()),
                                others,
                                lsn,
                                (other, _, ordinal) ->
                                        others.get(other).deletes().delete(ordinal, lsn))
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
                target.markObsolete(key);
                markObsoleteInMemory(key);
            }
        }
        target.end();
    }

    /** The other files, in which sorted keys make their rows obsolete. */
    private interface OtherFiles {
        void markObsolete(byte[] key) throws IOException;

        void end() throws IOException;
    }

    /** Files with a cursor each, which advances with the keys. */
    private final class WalkedFiles implements OtherFiles {
        private final List<KeyIndexCursor> cursors = new ArrayList<>();

        private WalkedFiles() throws IOException {
            for (ColumnFile other : others) {
                cursors.add(other.keyIndex().cursor());
            }
        }

        @Override
        public void markObsolete(byte[] key) throws IOException {
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

    /** Files in which collected keys are looked up together. */
    private static final class SearchedFiles implements OtherFiles {
        private final KeyIndexSearch search;
        private final List<ColumnFile> others;
        private final long lsn;
        private final KeyIndexSearch.Found found;
        private final List<byte[]> keys = new ArrayList<>();
        private long keyBytes;

        private SearchedFiles(
                KeyIndexSearch search,
                List<ColumnFile> others,
                long lsn,
                KeyIndexSearch.Found found) {
            this.search = search;
            this.others = others;
            this.lsn = lsn;
            this.found = found;
        }

        @Override
        public void markObsolete(byte[] key) throws IOException {
            keys.add(key);
            keyBytes += key.length;
            if (keys.size() == MAX_KEYS || keyBytes >= MAX_KEY_BYTES) {
                end();
            }
        }

        @Override
        public void end() throws IOException {
            search.find(others, ProbeKeys.ofEach(keys), lsn, found);
            keys.clear();
            keyBytes = 0;
        }
    }

    private void markObsoleteInMemory(byte[] key) {
        for (MemTable table : memTables) {
            KeyedVersion version = table.find(key, 0, key.length, Long.MAX_VALUE);
            if (version != null) {
                if (!version.isDeleted()) {
                    active.put(KeyedVersion.deleted(key, 0, key.length, lsn), logLsn);
                    sealed.forEach(older -> older.markObsolete(key, lsn));
                }
                return;
            }
        }
    }
}
