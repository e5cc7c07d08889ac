package io.stele.engine.datafile;

import static java.util.Objects.requireNonNull;

import io.stele.columnfile.index.HeldBlocks;
import io.stele.columnfile.index.KeyIndexProbe;
import io.stele.columnfile.index.KeyIndexReader;
import io.stele.columnfile.index.SortedFilePrefetch;
import io.stele.engine.row.ProbeKeys;
import io.stele.objectstore.ParallelReads;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A search in the key indexes of column files for the rows of many keys, by which writes find the
 * rows that they make obsolete. On a remote store, cached blocks decide keys first; for the other
 * keys, index and data blocks of all files are read in parallel, in two rounds. It is done for as
 * many keys at a time as there is memory for. Immutable and thread-safe.
 */
public final class KeyIndexSearch {
    /** 16 MiB of stored blocks are fetched together. */
    private static final long FETCH_BYTES = 16 << 20;

    /**
     * 32 MiB of fetched blocks are held decoded; further blocks are usually found in the block
     * cache.
     */
    private static final long HELD_BYTES = 32 << 20;

    private final ParallelReads reads;
    private final long fetchBytes;

    public KeyIndexSearch(ParallelReads reads) {
        this(reads, FETCH_BYTES);
    }

    /**
     * @param fetchBytes the approximate bytes of stored blocks that are fetched together
     */
    KeyIndexSearch(ParallelReads reads, long fetchBytes) {
        this.reads = requireNonNull(reads, "reads is null");
        this.fetchBytes = fetchBytes;
    }

    /** A receiver of the rows that were found. */
    @FunctionalInterface
    public interface Found {
        /**
         * @param file position among the files
         * @param key position among the keys
         */
        void accept(int file, int key, int ordinal);
    }

    /**
     * Finds the rows of keys in files; blocks.
     *
     * @param lsn as in {@link ColumnFile#find(ProbeKeys, long, ColumnFile.Found)}
     */
    public void find(List<ColumnFile> files, ProbeKeys keys, long lsn, Found found)
            throws IOException {
        List<LeftKeys> left = new ArrayList<>();
        for (int i = 0; i < files.size(); i++) {
            int number = i;
            ColumnFile.Found ofFile = (key, ordinal) -> found.accept(number, key, ordinal);
            if (reads.isParallel()) {
                LeftKeys ofThis = new LeftKeys(files.get(i), ofFile);
                files.get(i).findInMemory(keys, lsn, ofFile, ofThis::add);
                if (ofThis.count > 0) {
                    left.add(ofThis);
                }
            } else {
                files.get(i).find(keys, lsn, ofFile);
            }
        }
        List<@Nullable KeyIndexReader> open =
                LazyReader.openAll(
                        left.stream()
                                .map(keysOf -> keysOf.file.lazyKeyIndex().orElseThrow())
                                .toList(),
                        reads);
        for (int i = 0; i < left.size(); i++) {
            left.get(i).index = open.get(i);
        }
        int next = left.isEmpty() ? keys.count() : 0;
        while (next < keys.count()) {
            next = fetch(left, keys, next);
        }
    }

    /**
     * @return the first key that is not yet looked up
     */
    private int fetch(List<LeftKeys> files, ProbeKeys keys, int from) throws IOException {
        HeldBlocks blocks = new HeldBlocks(HELD_BYTES);
        List<Fetch> fetches = new ArrayList<>();
        for (LeftKeys file : files) {
            fetches.add(new Fetch(file, blocks));
        }
        int next = from;
        for (long bytes = 0; next < keys.count() && bytes < fetchBytes; next++) {
            bytes += add(fetches, keys, next);
        }
        SortedFilePrefetch.readAll(fetches.stream().map(fetch -> fetch.prefetch).toList(), reads);
        for (Fetch fetch : fetches) {
            fetch.find(keys);
        }
        return next;
    }

    /**
     * @return the approximate bytes that will be read for the key
     */
    private static long add(List<Fetch> files, ProbeKeys keys, int key) {
        List<Fetch> candidates = files.stream().filter(file -> file.isNext(key)).toList();
        boolean isLikely = SortedFilePrefetch.isLikely(candidates.size());
        long indexBytes = 0;
        long blockBytes = 0; // of the file that has the key
        for (Fetch file : candidates) {
            indexBytes += file.prefetch.newIndexBytes(keys.key(key));
            blockBytes = Math.max(blockBytes, file.prefetch.newBlockBytes(keys.key(key)));
            file.prefetch.add(keys.key(key), keys.hash(key), isLikely);
            file.end++;
        }
        return indexBytes + blockBytes;
    }

    /** The keys that could not be decided for a file without a read. */
    private static final class LeftKeys {
        private final ColumnFile file;
        private final ColumnFile.Found found;
        private int[] keys = new int[16];
        private int count;
        private int next; // the first that is not yet looked up

        private @Nullable KeyIndexReader index; // null: it could not be opened

        private LeftKeys(ColumnFile file, ColumnFile.Found found) {
            this.file = file;
            this.found = found;
        }

        private void add(int key) {
            if (count == keys.length) {
                keys = Arrays.copyOf(keys, 2 * count);
            }
            keys[count++] = key;
        }
    }

    /** A group of these keys that are looked up together. */
    private static final class Fetch {
        private final LeftKeys left;
        private final KeyIndexReader index;
        private final SortedFilePrefetch prefetch;
        private int end;

        private Fetch(LeftKeys left, HeldBlocks blocks) throws IOException {
            this.left = left;
            KeyIndexReader open = left.index;
            this.index = (open == null ? left.file.keyIndex() : open).holding(blocks);
            this.prefetch = index.prefetch();
            this.end = left.next;
        }

        private boolean isNext(int key) {
            return end < left.count && left.keys[end] == key;
        }

        private void find(ProbeKeys keys) throws IOException {
            KeyIndexProbe probe = index.probeFar();
            for (; left.next < end; left.next++) {
                int key = left.keys[left.next];
                int ordinal = probe.find(keys.key(key), keys.hash(key));
                if (ordinal != ColumnFile.ABSENT) {
                    left.found.accept(key, ordinal);
                }
            }
        }
    }
}
