package io.stele.storage.scan;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.SteleException;
import io.stele.storage.format.SortedFilePrefetch;
import io.stele.storage.objectstore.NonBlocking;
import io.stele.storage.objectstore.ParallelReads;
import io.stele.storage.objectstore.WouldBlockException;
import io.stele.storage.orc.ColumnFileReader;
import io.stele.storage.tablet.ColumnFile;
import io.stele.storage.tablet.KeyedVersion;
import io.stele.storage.tablet.MemTable;
import io.stele.storage.tablet.RowFile;
import io.stele.storage.tablet.TableFiles;
import io.stele.storage.tablet.TableView;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Brings into memory what lookups of several keys will need of files, before {@link KeyLookup}
 * finds them one by one: all keys and files together, in as many rounds as one key takes. Confined
 * to one thread.
 *
 * <pre>
 * round 1: parts of key indexes with their filters and, where they are small, their entry blocks
 * round 2: entry blocks; metadata of column files that have keys        (each unless in memory)
 * round 3: metadata of stripes                                          (unless in memory)
 * round 4: the row groups of column files, each read once
 * </pre>
 *
 * <p>A hint and nothing else: a lookup that does not find what it needs reads it. So a failure of a
 * read is ignored here, and comes again for the keys that need it.
 */
public final class KeyPrefetch {
    /** A key that so few files may have is likely to be in each of them. */
    private static final int FEW_FILES = 4;

    private final TableFiles files;
    private final Map<String, Index> indexes = new LinkedHashMap<>(); // by path of the file
    private final Prefetched fetched = new Prefetched();

    public KeyPrefetch(TableFiles files) {
        this.files = requireNonNull(files, "files is null");
    }

    /** Whether it is worth to prefetch: not on a local disk. */
    public static boolean isUseful(TableFiles files) {
        return files.parallelReads().isParallel();
    }

    /** The keys that may be in a file, and its index. */
    private static final class Index {
        private final @Nullable ColumnFile columns; // null: of a row file
        private final @Nullable SortedFilePrefetch prefetch; // null: rows are found by row id
        private final List<Key> keys = new ArrayList<>();
        private boolean isOnly; // some key can only be in this file
        private boolean isOpened; // or was tried to be
        private @Nullable ColumnFileReader reader;

        private Index(@Nullable ColumnFile columns, @Nullable SortedFilePrefetch prefetch) {
            this.columns = columns;
            this.prefetch = prefetch;
        }

        private void add(Key key, boolean isLikely) {
            keys.add(key);
            if (prefetch != null) {
                prefetch.add(key.bytes, key.hash, isLikely);
            }
        }

        private boolean mayHaveSome() {
            return prefetch == null || prefetch.mayHaveSome();
        }
    }

    /**
     * @param lsn at which it is looked up
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Key(byte[] bytes, long hash, long lsn) {}

    /**
     * Adds a key that will be looked up.
     *
     * @param hash {@link io.stele.protocol.schema.XxHash64} of the key
     * @param lsn as in {@link KeyLookup#find}
     * @param fromLsn as there
     */
    public void add(TableView view, byte[] key, long hash, long lsn, long fromLsn) {
        boolean hasRows = view.schema().orientation().hasRows();
        for (MemTable table : view.memTables()) {
            KeyedVersion version = table.find(key, 0, key.length, lsn);
            if (version != null && (hasRows || !version.isDeleted() || version.lsn() < fromLsn)) {
                return;
            }
        }
        Key added = new Key(key, hash, lsn);
        if (hasRows) {
            addToRowFiles(view, added);
        } else {
            addToColumnFiles(view, added, fromLsn);
        }
    }

    private void addToRowFiles(TableView view, Key key) {
        add(
                key,
                view.rowFiles().stream()
                        .filter(
                                file ->
                                        file.entry().minLsn().value() <= key.lsn
                                                && file.entry().mayContain(key.bytes))
                        .map(this::index)
                        .toList());
    }

    private Index index(RowFile file) {
        return indexes.computeIfAbsent(
                file.entry().path(), _ -> new Index(null, fetched.hold(file.reader()).prefetch()));
    }

    private void addToColumnFiles(TableView view, Key key, long fromLsn) {
        List<Index> candidates =
                view.columnFiles().stream()
                        .filter(
                                file ->
                                        file.entry().minLsn().value() <= key.lsn
                                                && file.entry().maxLsn().value() >= fromLsn
                                                && !file.hasEnded(key.lsn)
                                                && file.entry().mayContain(key.bytes))
                        .map(this::index)
                        .toList();
        add(key, candidates);
        if (candidates.size() == 1) {
            candidates.getFirst().isOnly = true;
        }
    }

    private Index index(ColumnFile file) {
        return indexes.computeIfAbsent(file.entry().path(), path -> newIndex(path, file));
    }

    private Index newIndex(String path, ColumnFile file) {
        SortedFilePrefetch prefetch = null;
        if (file.keyIndex().isPresent()) {
            prefetch = fetched.hold(path, file.keyIndex().get()).prefetch();
        }
        return new Index(fetched.over(file), prefetch);
    }

    private static void add(Key key, List<Index> candidates) {
        boolean isLikely = candidates.size() <= FEW_FILES;
        candidates.forEach(index -> index.add(key, isLikely));
    }

    /** Reads. What was found is for {@link KeyLookup}. */
    public Prefetched fetch() throws IOException {
        List<ParallelReads.Read> reads = new ArrayList<>();
        readAll(index -> addIndexReads(index, reads), reads);
        readAll(index -> addBlockReads(index, reads), reads);
        readAll(index -> addRowReads(index, reads), reads);
        return fetched;
    }

    private void addIndexReads(Index index, List<ParallelReads.Read> reads) {
        if (index.prefetch != null) {
            reads.addAll(index.prefetch.readIndex());
        }
        if (index.isOnly || index.prefetch == null) {
            open(index, reads);
        }
    }

    private void addBlockReads(Index index, List<ParallelReads.Read> reads) {
        if (index.prefetch != null) {
            reads.addAll(index.prefetch.readBlocks());
        }
        if (index.mayHaveSome()) {
            open(index, reads);
        }
    }

    // Once, and by the index: without a cache of metadata nothing else remembers it
    private void open(Index index, List<ParallelReads.Read> reads) {
        ColumnFile file = index.columns;
        if (file == null || index.isOpened) {
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
        ColumnFile file = index.columns;
        ColumnFileReader reader = index.reader;
        if (file == null || reader == null) {
            return;
        }
        int[] ordinals = new int[index.keys.size()];
        int count = 0;
        for (Key key : index.keys) {
            int ordinal = findInMemory(file, key);
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

    /** What some reads of a file are found out by. */
    @FunctionalInterface
    private interface Plan {
        void add(Index index) throws IOException;
    }

    /** A round: a file for which it cannot be found out what to read has no part in it. */
    private void readAll(Plan plan, List<ParallelReads.Read> reads) throws IOException {
        for (Index index : indexes.values()) {
            quiet(() -> plan.add(index)).run();
        }
        files.parallelReads().runAll(reads.stream().map(KeyPrefetch::quiet).toList());
        reads.clear();
    }

    private static ParallelReads.Read quiet(ParallelReads.Read read) {
        return () -> {
            try {
                read.run();
            } catch (IOException | SteleException failed) {
                // Time-outs of sockets are InterruptedIOExceptions, too
                if (failed instanceof InterruptedIOException
                        && Thread.currentThread().isInterrupted()) {
                    throw failed;
                }
                // The lookup that needs it reads it again, and fails then
            }
        };
    }
}
