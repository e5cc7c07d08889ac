package io.stele.engine.index;

import static java.util.Objects.requireNonNull;

import io.stele.columnfile.index.HeldBlocks;
import io.stele.columnfile.index.SortedFilePrefetch;
import io.stele.columnfile.index.SstFileReader;
import io.stele.engine.datafile.LazyReader;
import io.stele.engine.datafile.SstFile;
import io.stele.engine.datafile.SstFileVersions;
import io.stele.engine.row.KeyedVersion;
import io.stele.engine.row.MergingVersions;
import io.stele.objectstore.ParallelReads;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The memtables and files of a secondary index in one shard, as of one {@code TableView}, to which
 * it belongs, with searches for entries.
 *
 * <p>Invariant: if complete, every row version that is readable at an LSN above the retention LSN
 * has an entry, with its LSN, in a memtable or file of the view. There may be entries of rows that
 * were deleted or have other values now.
 *
 * @param complete whether the rows from before the index have their entries
 * @param memTables newest first; the first memtables, one for each apply worker, are active
 * @param files level 0 newest first, then level 1 by key
 * @param staleDropped the number of stale entries that compactions have dropped since the start
 */
public record IndexView(
        IndexKeys keys,
        boolean complete,
        List<IndexMemTable> memTables,
        List<SstFile> files,
        long staleDropped) {
    /**
     * 32 MiB of blocks that are read together are held; further blocks are usually in the block
     * cache.
     */
    private static final long HELD_BYTES = 32 << 20;

    public IndexView {
        requireNonNull(keys, "keys is null");
        memTables = List.copyOf(memTables);
        files = List.copyOf(files); // the same list as long as the files are the same
    }

    /**
     * The entries of rows whose index columns begin with {@code prefix}, by key and newest first;
     * an entry may occur several times. If a file cannot be read, the iterator throws {@link
     * UncheckedIOException}.
     */
    public Iterator<KeyedVersion> entries(byte[] prefix) throws IOException {
        List<Iterator<KeyedVersion>> sources = new ArrayList<>();
        byte[] entryPrefix = IndexKeys.entryPrefix(prefix);
        for (IndexMemTable table : memTables) {
            table.addSources(entryPrefix, sources);
        }
        for (SstFile file : files) {
            if (mayContain(file, entryPrefix)) {
                sources.add(new PrefixVersions(file.reader().cachedCursor(), entryPrefix));
            }
        }
        return new PrefixEntries(new MergingVersions(sources), entryPrefix);
    }

    /** Every entry, as {@link #entries}, for a single pass: blocks are not cached. */
    public Iterator<KeyedVersion> allEntries() throws IOException {
        List<Iterator<KeyedVersion>> sources = new ArrayList<>();
        memTables.forEach(table -> table.addSources(new byte[0], sources));
        for (SstFile file : files) {
            sources.add(new SstFileVersions(file.reader().cursor()));
        }
        return new MergingVersions(sources);
    }

    /**
     * The entries in memory of rows with these values in the columns of a unique index, including
     * stale entries. On the shard's context.
     */
    public List<KeyedVersion> entriesInMemory(byte[] values) {
        byte[] prefix = IndexKeys.entryPrefix(values);
        long hash = IndexKeys.hash(prefix, 0, prefix.length);
        List<Iterator<KeyedVersion>> sources = new ArrayList<>();
        for (IndexMemTable table : memTables) {
            if (table.mayHave(hash)) {
                table.addSources(prefix, sources);
            }
        }
        if (sources.isEmpty()) {
            return List.of();
        }
        List<KeyedVersion> found = new ArrayList<>();
        for (Iterator<KeyedVersion> source : sources) {
            new PrefixEntries(source, prefix).forEachRemaining(found::add);
        }
        return found;
    }

    /**
     * The same view, for whose files the blocks that {@link #primaryKeysInFiles} needs for some
     * values are read in parallel now, if the store is remote. Blocks.
     */
    public IndexView prefetched(List<byte[]> values, ParallelReads reads) throws IOException {
        if (!reads.isParallel()) {
            return this;
        }
        List<byte[]> prefixes = values.stream().map(IndexKeys::entryPrefix).toList();
        List<List<SstFile>> candidates =
                prefixes.stream()
                        .map(
                                prefix ->
                                        files.stream()
                                                .filter(file -> mayContain(file, prefix))
                                                .toList())
                        .toList();
        Set<SstFile> asked = new HashSet<>();
        candidates.forEach(asked::addAll);
        LazyReader.openAll(asked.stream().map(SstFile::lazyReader).toList(), reads);
        HeldBlocks blocks = new HeldBlocks(HELD_BYTES);
        List<SstFile> held = new ArrayList<>();
        Map<SstFile, SortedFilePrefetch> prefetches = new LinkedHashMap<>();
        for (SstFile file : files) {
            if (asked.contains(file)) {
                SstFileReader reader = file.reader().holding(blocks);
                held.add(file.withReader(reader));
                prefetches.put(file, reader.prefetchBeginnings());
            } else {
                held.add(file); // not opened for this
            }
        }
        for (int i = 0; i < prefixes.size(); i++) {
            byte[] prefix = prefixes.get(i);
            long hash = IndexKeys.hash(prefix, 0, prefix.length);
            boolean isLikely = SortedFilePrefetch.isLikely(candidates.get(i).size());
            for (SstFile file : candidates.get(i)) {
                requireNonNull(prefetches.get(file)).add(prefix, hash, isLikely);
            }
        }
        SortedFilePrefetch.readAll(List.copyOf(prefetches.values()), reads);
        return new IndexView(keys, complete, memTables, held, staleDropped);
    }

    /** The primary keys of entries with these values in files, including stale entries. Blocks. */
    public Collection<byte[]> primaryKeysInFiles(byte[] values) throws IOException {
        byte[] prefix = IndexKeys.entryPrefix(values);
        long hash = IndexKeys.hash(prefix, 0, prefix.length);
        Set<byte[]> found = new TreeSet<>(Arrays::compareUnsigned);
        try {
            for (SstFile file : files) {
                if (mayContain(file, prefix) && file.reader().mayContainBeginning(prefix, hash)) {
                    new PrefixVersions(file.reader().cachedCursor(), prefix)
                            .forEachRemaining(entry -> found.add(keys.primaryKey(entry)));
                }
            }
        } catch (UncheckedIOException failed) {
            throw failed.getCause();
        }
        return found;
    }

    private static boolean mayContain(SstFile file, byte[] prefix) {
        byte[] min = file.entry().minKey().orElseThrow();
        byte[] max = file.entry().maxKey().orElseThrow();
        int shared = Math.min(min.length, prefix.length);
        return Arrays.compareUnsigned(prefix, max) <= 0
                && Arrays.compareUnsigned(min, 0, shared, prefix, 0, shared) <= 0;
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
