package io.stele.storage.scan;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.SteleException;
import io.stele.storage.format.SortedFilePrefetch;
import io.stele.storage.objectstore.NonBlocking;
import io.stele.storage.objectstore.ParallelReads;
import io.stele.storage.objectstore.WouldBlockException;
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
 * <p>A hint and nothing else: a lookup that does not find what it needs reads it. So a read that
 * fails here is not told, and fails again for the keys that need it.
 */
public final class KeyPrefetch {
    private final TableFiles files;
    private final Map<String, Index> indexes = new LinkedHashMap<>(); // by path of the file

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

        private Index(@Nullable ColumnFile columns, @Nullable SortedFilePrefetch prefetch) {
            this.columns = columns;
            this.prefetch = prefetch;
        }

        private void add(Key key) {
            keys.add(key);
            if (prefetch != null) {
                prefetch.add(key.bytes, key.hash);
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
        for (RowFile file : view.rowFiles()) {
            if (file.entry().minLsn().value() <= key.lsn && file.entry().mayContain(key.bytes)) {
                indexes.computeIfAbsent(
                                file.entry().path(), _ -> new Index(null, file.reader().prefetch()))
                        .add(key);
            }
        }
    }

    private void addToColumnFiles(TableView view, Key key, long fromLsn) {
        Index only = null;
        int candidates = 0;
        for (ColumnFile file : view.columnFiles()) {
            boolean inTime =
                    file.entry().minLsn().value() <= key.lsn
                            && file.entry().maxLsn().value() >= fromLsn;
            if (inTime && !file.hasEnded(key.lsn) && file.entry().mayContain(key.bytes)) {
                only =
                        indexes.computeIfAbsent(
                                file.entry().path(),
                                _ ->
                                        new Index(
                                                file,
                                                file.keyIndex()
                                                        .map(index -> index.prefetch())
                                                        .orElse(null)));
                only.add(key);
                candidates++;
            }
        }
        if (only != null && candidates == 1) {
            only.isOnly = true;
        }
    }

    /** Reads. What was found of column files is for {@link KeyLookup}. */
    public FetchedRows fetch() throws IOException {
        List<ParallelReads.Read> reads = new ArrayList<>();
        readAll(index -> addIndexReads(index, reads), reads);
        readAll(index -> addBlockReads(index, reads), reads);
        FetchedRows rows = new FetchedRows();
        readAll(
                index -> {
                    if (index.columns != null) {
                        addRows(index.columns, index.keys, rows, reads);
                    }
                },
                reads);
        return rows;
    }

    private void addIndexReads(Index index, List<ParallelReads.Read> reads) {
        if (index.prefetch != null) {
            reads.addAll(index.prefetch.readIndex());
        }
        if (index.isOnly || index.prefetch == null) {
            open(index.columns, reads);
        }
    }

    private void addBlockReads(Index index, List<ParallelReads.Read> reads) {
        if (index.prefetch != null) {
            reads.addAll(index.prefetch.readBlocks());
        }
        if (index.columns != null && index.mayHaveSome()) {
            open(index.columns, reads);
        }
    }

    private void open(@Nullable ColumnFile file, List<ParallelReads.Read> reads) {
        if (file != null && !files.isOpen(file)) {
            reads.add(() -> files.openForRows(file));
        }
    }

    private void addRows(
            ColumnFile file, List<Key> keys, FetchedRows rows, List<ParallelReads.Read> reads)
            throws IOException {
        int[] ordinals = new int[keys.size()];
        int count = 0;
        for (Key key : keys) {
            int ordinal = findInMemory(file, key);
            if (ordinal != ColumnFile.ABSENT) {
                ordinals[count++] = ordinal;
            }
        }
        if (count > 0 && files.isOpen(file)) {
            int[] wanted = Arrays.stream(ordinals, 0, count).sorted().distinct().toArray();
            for (ParallelReads.Read read :
                    files.rowReads(file, wanted, row -> rows.add(file.entry().path(), row))) {
                reads.add(
                        () -> {
                            if (!rows.isFull()) {
                                read.run();
                            }
                        });
            }
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
                // Whoever needs it reads it again, and is told
            }
        };
    }
}
