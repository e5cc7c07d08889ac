package io.stele.engine.scan;

import static java.util.Objects.requireNonNull;

import io.stele.columnfile.index.KeyIndexReader;
import io.stele.columnfile.index.SortedFilePrefetch;
import io.stele.columnfile.index.SstFileReader;
import io.stele.columnfile.orc.ColumnFileReader;
import io.stele.engine.datafile.ColumnFile;
import io.stele.engine.datafile.LazyReader;
import io.stele.engine.datafile.SstFile;
import io.stele.engine.datafile.TableFiles;
import io.stele.engine.memtable.MemTable;
import io.stele.engine.row.KeyedVersion;
import io.stele.engine.tablet.TableView;
import io.stele.objectstore.NonBlocking;
import io.stele.objectstore.ParallelReads;
import io.stele.objectstore.WouldBlockException;
import io.stele.protocol.SteleException;
import io.stele.protocol.schema.TableSchema;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A prefetcher of the file blocks and rows that lookups of several keys need, before {@link
 * KeyLookup} finds the keys one by one. It reads for all keys and files together, in as many rounds
 * of requests as one key takes. Confined to one thread.
 *
 * <pre>
 * round 1: parts of key indexes with their filters and, where they are small, their entry blocks
 * round 2: entry blocks; metadata of column files that have keys        (each unless in memory)
 * round 3: metadata of stripes                                          (unless in memory)
 * round 4: the row groups of column files, each read once
 * </pre>
 *
 * <p>It is only a hint: a lookup reads what it does not find in memory. So a failed read is ignored
 * here. If the failure persists, it recurs in the lookups of the keys that need the read.
 */
public final class KeyPrefetch {
    /** The usual number of keys in one request of a reader, which takes no longer than one key. */
    private static final int MAX_KEYS = 1024;

    /**
     * Keys that are read in one step if it must wait anyway, because the change of threads costs as
     * much.
     */
    public static final int MIN_KEYS = 64;

    /** 16 MiB of rows of the keys, by the average size of the files' rows. */
    private static final long ROW_BYTES = 16 << 20;

    /** Rows need several times their bytes in files. */
    private static final long DECODED_BYTES = 4;

    private final TableFiles files;
    private final Map<String, Index> indexes = new LinkedHashMap<>(); // by path of the file
    private final Prefetched fetched = new Prefetched();

    public KeyPrefetch(TableFiles files) {
        this.files = requireNonNull(files, "files is null");
    }

    /**
     * Whether prefetching is useful: always from a remote store; from a local disk for several keys
     * of a table whose rows are only in column files. Rows of one row group are near each other,
     * and a seek of one row costs as much as decoding some hundred.
     *
     * @param keys the number of keys that are looked up together
     */
    public static boolean isUseful(TableFiles files, TableSchema schema, int keys) {
        return files.parallelReads().isParallel() || (keys > 1 && !schema.orientation().hasRows());
    }

    /**
     * The number of keys to fetch together: as many as the store is read for together, and no more
     * than fit into memory.
     */
    public static int keysAFetch(TableView view) {
        long rowBytes =
                DECODED_BYTES
                        * Stream.concat(
                                        view.columnFiles().stream().map(ColumnFile::entry),
                                        view.sstFiles().stream().map(SstFile::entry))
                                .mapToLong(file -> file.sizeBytes() / Math.max(1, file.rowCount()))
                                .max()
                                .orElse(0);
        return (int) Math.clamp(ROW_BYTES / Math.max(1, rowBytes), MIN_KEYS, MAX_KEYS);
    }

    /** The keys that may be in a file, and its index once that is open. */
    private static final class Index {
        private final Opened opened;
        private final List<Key> keys = new ArrayList<>();
        private final List<Boolean> likely = new ArrayList<>(); // of each key
        private boolean isOnly; // some key's row can only be in this file
        private boolean isOpened; // or opening it was tried
        private boolean isSkipped; // it could not be opened
        private @Nullable SortedFilePrefetch prefetch; // null: rows are found by row id
        private @Nullable ColumnFileReader reader;

        private Index(Opened opened) {
            this.opened = opened;
        }

        private void add(Key key, boolean isLikely) {
            keys.add(key);
            likely.add(isLikely);
        }

        /** Checks the keys, once the file's index is open. */
        private void begin(Prefetched fetched) throws IOException {
            SortedFilePrefetch begun = opened.prefetch(fetched);
            if (begun != null) {
                for (int i = 0; i < keys.size(); i++) {
                    begun.add(keys.get(i).bytes, keys.get(i).hash, likely.get(i));
                }
            }
            prefetch = begun;
        }

        private boolean wantsRows() {
            return keys.stream().anyMatch(Key::withRow);
        }

        private boolean mayHaveSome() {
            return prefetch == null || prefetch.mayHaveSome();
        }
    }

    /** A file that has keys, or the index of one, which need not be open. */
    private sealed interface Opened {
        Optional<? extends LazyReader<?>> lazy();

        /** Null: rows are found by row id. */
        @Nullable SortedFilePrefetch prefetch(Prefetched fetched) throws IOException;

        record Rows(SstFile file) implements Opened {
            @Override
            public Optional<LazyReader<SstFileReader>> lazy() {
                return Optional.of(file.lazyReader());
            }

            @Override
            public SortedFilePrefetch prefetch(Prefetched fetched) throws IOException {
                return fetched.hold(file.reader()).prefetch();
            }
        }

        record Columns(ColumnFile file) implements Opened {
            @Override
            public Optional<LazyReader<KeyIndexReader>> lazy() {
                return file.lazyKeyIndex();
            }

            @Override
            public @Nullable SortedFilePrefetch prefetch(Prefetched fetched) throws IOException {
                return file.hasKeyIndex()
                        ? fetched.hold(file.entry().path(), file.keyIndex()).prefetch()
                        : null;
            }
        }
    }

    /**
     * @param lsn the LSN as of which the key is looked up
     * @param withRow whether the row itself is wanted where it is in a column file
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Key(byte[] bytes, long hash, long lsn, boolean withRow) {}

    /**
     * Adds a key that will be looked up.
     *
     * @param hash {@link io.stele.protocol.schema.XxHash64} of the key
     * @param lsn as in {@link KeyLookup#find}
     * @param fromLsn as in {@link KeyLookup#find}
     */
    public void add(TableView view, byte[] key, long hash, long lsn, long fromLsn) {
        boolean hasRows = view.schema().orientation().hasRows();
        for (MemTable table : view.memTables()) {
            KeyedVersion version = table.find(key, 0, key.length, lsn);
            if (version != null
                    && (hasRows || !version.isDeleted() || version.lsn() < fromLsn)
                    && !view.mayBeNewerInFile(key, version.lsn(), lsn)) {
                return;
            }
        }
        Key added = new Key(key, hash, lsn, true);
        if (hasRows) {
            addToSstFiles(
                    added,
                    view.sstFiles().stream().filter(file -> file.entry().minLsn().value() <= lsn));
        } else {
            addToColumnFiles(
                    added,
                    view.columnFiles().stream()
                            .filter(
                                    file ->
                                            file.entry().minLsn().value() <= lsn
                                                    && file.entry().maxLsn().value() >= fromLsn
                                                    && !file.isObsoleteAt(lsn)));
        }
    }

    /** Adds a key whose newest version will be searched in some SST files. */
    public void add(List<SstFile> in, byte[] key, long hash) {
        addToSstFiles(new Key(key, hash, Long.MAX_VALUE, true), in.stream());
    }

    /**
     * Adds a key whose newest version will be searched in some column files.
     *
     * @param withRow whether the row itself will be read
     */
    public void add(List<ColumnFile> in, byte[] key, long hash, boolean withRow) {
        addToColumnFiles(new Key(key, hash, Long.MAX_VALUE, withRow), in.stream());
    }

    private void addToSstFiles(Key key, Stream<SstFile> in) {
        add(key, in.filter(file -> file.entry().mayContain(key.bytes)).map(this::index).toList());
    }

    private Index index(SstFile file) {
        return indexes.computeIfAbsent(file.entry().path(), _ -> new Index(new Opened.Rows(file)));
    }

    private void addToColumnFiles(Key key, Stream<ColumnFile> in) {
        List<Index> candidates =
                in.filter(file -> file.entry().mayContain(key.bytes)).map(this::index).toList();
        add(key, candidates);
        if (candidates.size() == 1 && key.withRow) {
            candidates.getFirst().isOnly = true;
        }
    }

    private Index index(ColumnFile file) {
        return indexes.computeIfAbsent(
                file.entry().path(), _ -> new Index(new Opened.Columns(file)));
    }

    private static void add(Key key, List<Index> candidates) {
        boolean isLikely = SortedFilePrefetch.isLikely(candidates.size());
        candidates.forEach(index -> index.add(key, isLikely));
    }

    /** Reads the blocks and rows for all added keys, and returns them for {@link KeyLookup}. */
    public Prefetched fetch() throws IOException {
        LazyReader.openAll(
                indexes.values().stream().flatMap(index -> index.opened.lazy().stream()).toList(),
                files.parallelReads());
        List<ParallelReads.Read> reads = new ArrayList<>();
        readAll(index -> addIndexReads(index, reads), reads);
        readAll(index -> addBlockReads(index, reads), reads);
        readAll(index -> addRowReads(index, reads), reads);
        return fetched;
    }

    private void addIndexReads(Index index, List<ParallelReads.Read> reads) throws IOException {
        if (index.opened.lazy().filter(lazy -> !lazy.isOpen()).isPresent()) {
            index.isSkipped = true; // its lookup tries again, and fails
            return;
        }
        index.begin(fetched);
        if (index.prefetch != null) {
            reads.addAll(index.prefetch.readIndex(files.parallelReads()));
        }
        if (index.isOnly || (index.prefetch == null && index.wantsRows())) {
            open(index, reads);
        }
    }

    private void addBlockReads(Index index, List<ParallelReads.Read> reads) {
        if (index.prefetch != null) {
            reads.addAll(index.prefetch.readBlocks(files.parallelReads()));
        }
        if (index.wantsRows() && index.mayHaveSome()) {
            open(index, reads);
        }
    }

    // Once, and kept by the index: without a cache of metadata nothing else keeps the reader
    private void open(Index index, List<ParallelReads.Read> reads) {
        if (!(index.opened instanceof Opened.Columns(ColumnFile file)) || index.isOpened) {
            return;
        }
        index.isOpened = true;
        Optional<ColumnFileReader> present = files.findOpen(file);
        if (present.isPresent()) {
            index.reader = present.get();
        } else {
            reads.add(() -> index.reader = files.openForRows(file));
        }
    }

    private void addRowReads(Index index, List<ParallelReads.Read> reads) throws IOException {
        ColumnFileReader reader = index.reader;
        if (!(index.opened instanceof Opened.Columns(ColumnFile stored)) || reader == null) {
            return;
        }
        ColumnFile file = fetched.over(stored);
        int[] ordinals = new int[index.keys.size()];
        int count = 0;
        for (Key key : index.keys) {
            int ordinal = key.withRow ? findInMemory(file, key) : ColumnFile.ABSENT;
            if (ordinal != ColumnFile.ABSENT) {
                ordinals[count++] = ordinal;
            }
        }
        int[] wanted = Arrays.stream(ordinals, 0, count).sorted().distinct().toArray();
        String path = file.entry().path();
        for (ParallelReads.Read read :
                files.rowReads(reader, wanted, row -> fetched.add(path, row))) {
            reads.add(
                    () -> {
                        if (!fetched.isFull()) {
                            read.run();
                        }
                    });
        }
    }

    private static int findInMemory(ColumnFile file, Key key) throws IOException {
        try {
            return NonBlocking.read(
                    () -> KeyLookup.findOrdinal(file, key.bytes, key.hash, key.lsn));
        } catch (WouldBlockException | SteleException left) {
            return ColumnFile.ABSENT; // the lookup reads, or fails
        }
    }

    /** The planner of some reads of a file. */
    @FunctionalInterface
    private interface Plan {
        void add(Index index) throws IOException;
    }

    /** Runs one round of reads, without the files whose reads cannot be planned. */
    private void readAll(Plan plan, List<ParallelReads.Read> reads) throws IOException {
        for (Index index : indexes.values()) {
            if (!index.isSkipped) {
                ParallelReads.hint(() -> plan.add(index)).run();
            }
        }
        files.parallelReads().tryAll(reads);
        reads.clear();
    }
}
