package io.stele.engine.datafile;

import static java.util.Objects.requireNonNull;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.stele.cache.CacheStatistics;
import io.stele.columnfile.bytes.Corruption;
import io.stele.columnfile.index.BlockCache;
import io.stele.columnfile.index.IndexedFileReader;
import io.stele.columnfile.index.KeyIndexReader;
import io.stele.columnfile.index.SstFileReader;
import io.stele.columnfile.metadata.FileMetadata;
import io.stele.columnfile.orc.ColumnBatches;
import io.stele.columnfile.orc.ColumnChunks;
import io.stele.columnfile.orc.ColumnFileCursor;
import io.stele.columnfile.orc.ColumnFileReader;
import io.stele.columnfile.orc.ColumnFileReaders;
import io.stele.columnfile.orc.ColumnPointReader;
import io.stele.columnfile.orc.ColumnRow;
import io.stele.columnfile.orc.DecodedColumns;
import io.stele.columnfile.orc.WantedValues;
import io.stele.columnfile.orc.WrittenFileMetadata;
import io.stele.engine.manifest.DeletionVectorFile;
import io.stele.engine.manifest.FileEntry;
import io.stele.engine.manifest.KeyIndexFile;
import io.stele.engine.row.RowCache;
import io.stele.engine.row.TableVersions;
import io.stele.objectstore.JobWrites;
import io.stele.objectstore.NonBlocking;
import io.stele.objectstore.ObjectEntry;
import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.PacedObjectStore;
import io.stele.objectstore.ParallelReads;
import io.stele.objectstore.SequentialReads;
import io.stele.objectstore.WritePacer;
import io.stele.objectstore.retrieval.ReadingAhead;
import io.stele.protocol.SteleException;
import io.stele.protocol.schema.ColumnSchema;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The access of a node's tablets to their data files: it opens files over the object store and the
 * caches, and names new files. Immutable and thread-safe.
 */
public final class TableFiles {
    /** 4 MiB for the files of commits in progress; beyond it, indexes are opened again. */
    private static final long MAX_CHECKED_BYTES = 4 << 20;

    /** 128 MiB for the tops of the indexes of open files: of some 100,000 files of usual size. */
    private static final long MAX_OPEN_BYTES = 128 << 20;

    private final ObjectStore store;
    private final BlockCache rowBlocks;
    private final BlockCache keyIndexes;
    private final ColumnFileReaders readers;
    private final ColumnPointReader points;
    private final DecodedColumns decoded;
    private final RowCache rows;
    private final FileIds ids;

    private final OpenReaders openReaders;

    /** Key indexes by path that a check opened, for the commit that follows it. */
    private final Cache<String, KeyIndexReader> checkedIndexes;

    /**
     * @param rowBlocks blocks of SST files
     * @param keyIndexes blocks of the key indexes of column files
     * @param readers of column files
     * @param decoded columns of column files, for aggregations
     */
    public TableFiles(
            ObjectStore store,
            BlockCache rowBlocks,
            BlockCache keyIndexes,
            ColumnFileReaders readers,
            ColumnPointReader points,
            DecodedColumns decoded,
            RowCache rows,
            FileIds ids) {
        this.store = requireNonNull(store, "store is null");
        this.readers = requireNonNull(readers, "readers is null");
        this.points = requireNonNull(points, "points is null");
        this.decoded = requireNonNull(decoded, "decoded is null");
        this.rowBlocks = requireNonNull(rowBlocks, "rowBlocks is null");
        this.keyIndexes = requireNonNull(keyIndexes, "keyIndexes is null");
        this.rows = requireNonNull(rows, "rows is null");
        this.ids = requireNonNull(ids, "ids is null");
        this.openReaders = new OpenReaders(MAX_OPEN_BYTES);
        this.checkedIndexes =
                Caffeine.newBuilder()
                        .maximumWeight(MAX_CHECKED_BYTES)
                        .weigher(TableFiles::weight)
                        .executor(Runnable::run)
                        .build();
    }

    /** A copy over another store, with the same caches. */
    private TableFiles(TableFiles same, ObjectStore store) {
        this.store = requireNonNull(store, "store is null");
        this.readers = same.readers;
        this.points = same.points;
        this.decoded = same.decoded;
        this.rowBlocks = same.rowBlocks;
        this.keyIndexes = same.keyIndexes;
        this.rows = same.rows;
        this.ids = same.ids;
        this.openReaders = same.openReaders;
        this.checkedIndexes = same.checkedIndexes;
    }

    private static int weight(String path, KeyIndexReader index) {
        return Math.toIntExact(Math.min(Integer.MAX_VALUE, path.length() + index.retainedBytes()));
    }

    /** A copy that writes new files at most at the pacer's rate. */
    public TableFiles paced(WritePacer pacer) {
        return new TableFiles(this, new PacedObjectStore(store, pacer));
    }

    /** A copy that records new files as those of one piece of work, which can be discarded. */
    public TableFiles of(JobWrites writes) {
        return new TableFiles(this, writes.over(store));
    }

    /** A copy that tells the store which files the new files replace. */
    public TableFiles replacing(List<FileEntry> replaced) {
        List<ObjectEntry> objects =
                replaced.stream()
                        .map(file -> new ObjectEntry(file.path(), file.sizeBytes()))
                        .toList();
        return new TableFiles(this, store.replacing(objects));
    }

    public ObjectStore store() {
        return store;
    }

    public FileIds ids() {
        return ids;
    }

    public RowCache rowCache() {
        return rows;
    }

    /** The counters and contents of each cache. */
    public List<CacheStatistics> cacheStatistics() {
        return List.of(
                rowBlocks.statistics(),
                keyIndexes.statistics(),
                readers.statistics(),
                readers.freshStatistics(),
                points.statistics(),
                points.stripeStatistics(),
                decoded.statistics(),
                rows.statistics());
    }

    /** Opens an SST file; blocks. */
    public SstFile openRow(FileEntry entry, TableVersions versions) throws IOException {
        SstFile file = lazyRow(entry, versions);
        file.lazyReader().get();
        return file;
    }

    /** An SST file that is opened at its first use. */
    public SstFile lazyRow(FileEntry entry, TableVersions versions) {
        return new SstFile(entry, new LazySst(this, entry), versions);
    }

    /** A holder that remembers, when its reader is closed, what compactions ask of the file. */
    private static final class LazySst extends LazyFile<SstFileReader> {
        private volatile long staleCount = UNKNOWN;

        LazySst(TableFiles files, FileEntry entry) {
            super(files, entry, TableFiles::openSst);
        }

        @Override
        void opened(SstFileReader kept) {
            staleCount = kept.staleCount();
            super.opened(kept);
        }

        @Override
        long staleCount() {
            return staleCount;
        }
    }

    /** A holder that opens a file of an entry at the first use. */
    private static class LazyFile<R extends IndexedFileReader> extends LazyReader<R> {
        private final TableFiles files;
        private final FileEntry entry;
        private final Opening<R> opening; // one object for all files of a kind

        LazyFile(TableFiles files, FileEntry entry, Opening<R> opening) {
            this.files = files;
            this.entry = entry;
            this.opening = opening;
        }

        @Override
        R open() throws IOException {
            return opening.open(files, entry);
        }

        @Override
        void opened(R kept) {
            files.openReaders.opened(this, kept.retainedBytes());
        }
    }

    /** Opens a file; blocks. */
    private interface Opening<R> {
        R open(TableFiles files, FileEntry entry) throws IOException;
    }

    private SstFileReader openSst(FileEntry entry) throws IOException {
        SstFileReader stored =
                SstFileReader.open(store, entry.path(), entry.sizeBytes(), rowBlocks);
        return entry.ingestLsn().map(stored::ingestedAt).orElse(stored);
    }

    /**
     * Verifies an SST file of a bulk load by opening it; blocks.
     *
     * @throws SteleException CORRUPT_DATA if it is damaged, or another one than the entry says
     */
    public void checkLoadedRows(FileEntry entry) throws IOException {
        SstFileReader file = SstFileReader.open(store, entry.path(), entry.sizeBytes(), rowBlocks);
        boolean isThatFile =
                file.keyCount() == entry.rowCount()
                        && file.entryCount() == entry.rowCount()
                        && file.deletedCount() == 0
                        && Arrays.equals(file.minKey(), entry.minKey().orElseThrow())
                        && Arrays.equals(file.maxKey(), entry.maxKey().orElseThrow());
        if (!isThatFile) {
            throw Corruption.mismatch(
                    entry.path(),
                    entry.sizeBytes(),
                    "rows, each with another key,",
                    entry.rowCount(),
                    "%s of %s keys, %s of them deleted, or keys of another range"
                            .formatted(file.entryCount(), file.keyCount(), file.deletedCount()));
        }
    }

    /** Opens a column file from its manifest entry, with the deletions stored for it; blocks. */
    public ColumnFile openColumn(FileEntry entry, TableVersions versions) throws IOException {
        return openColumn(entry, readDeletes(entry), versions);
    }

    /** The deletions that are stored for a column file; blocks if there are any. */
    public DeletionVector readDeletes(FileEntry entry) throws IOException {
        if (entry.deletionVector().isEmpty()) {
            return new DeletionVector();
        }
        DeletionVectorFile stored = entry.deletionVector().get();
        return DeletionVector.read(store, stored.path(), stored.sizeBytes());
    }

    /** A column file whose key index is opened at its first use. */
    public ColumnFile lazyColumn(FileEntry entry, DeletionVector deletes, TableVersions versions) {
        return new ColumnFile(
                entry,
                entry.keyIndexPath().isPresent()
                        ? Optional.of(new LazyFile<>(this, entry, TableFiles::openKeyIndex))
                        : Optional.empty(),
                deletes,
                versions);
    }

    /**
     * Verifies the key index of a column file by opening it, and the file's metadata if only the
     * index has its checksums; blocks.
     *
     * @throws SteleException CORRUPT_DATA if they do not belong to the file
     */
    public void checkKeyIndex(FileEntry entry) throws IOException {
        if (entry.keyIndex().isEmpty()) {
            return;
        }
        KeyIndexFile file = entry.keyIndex().get();
        if (entry.indexedMetadata().isEmpty()) {
            checkedIndexes.put(file.path(), openKeyIndex(entry));
            return;
        }
        AtomicReference<byte @Nullable []> came = new AtomicReference<>();
        KeyIndexReader index =
                KeyIndexReader.open(
                        store,
                        file.path(),
                        file.sizeBytes(),
                        keyIndexes,
                        new KeyIndexReader.MetadataSink() {
                            @Override
                            public void accept(byte[] encoded) {
                                came.set(encoded);
                            }

                            @Override
                            public void damaged(SteleException corrupt) {
                                throw corrupt;
                            }
                        });
        long expectedBytes = file.metadataBytes().orElseThrow();
        long foundBytes = index.metadataBytes().orElse(0);
        if (foundBytes != expectedBytes) { // readers request as many bytes as the entry states
            throw Corruption.mismatch(
                    file.path(), file.sizeBytes(), "bytes of metadata", expectedBytes, foundBytes);
        }
        byte[] encoded = came.get();
        if (encoded == null) {
            encoded =
                    index.readMetadata()
                            .orElseThrow(
                                    () -> KeyIndexReader.noMetadata(file.path(), file.sizeBytes()));
        }
        FileMetadata.decode(file.path(), encoded, entry.sizeBytes())
                .checksums(entry.path(), entry.sizeBytes(), file.path());
        keepIfFar(entry, encoded);
        checkedIndexes.put(file.path(), index);
    }

    /**
     * Opens a key index. The column file's metadata that are stored in it are cached if the store
     * is remote.
     */
    private KeyIndexReader openKeyIndex(FileEntry entry) throws IOException {
        KeyIndexFile file = entry.keyIndex().orElseThrow();
        KeyIndexReader checked = checkedIndexes.getIfPresent(file.path());
        if (checked != null) {
            return checked;
        }
        return KeyIndexReader.open(
                store,
                file.path(),
                file.sizeBytes(),
                keyIndexes,
                new KeyIndexReader.MetadataSink() {
                    @Override
                    public void accept(byte[] encoded) {
                        keepIfFar(entry, encoded);
                    }

                    @Override
                    public void damaged(SteleException corrupt) {
                        readers.unusable(entry, corrupt);
                    }
                });
    }

    private void keepIfFar(FileEntry entry, byte[] encoded) {
        if (parallelReads().isParallel()) {
            readers.keepMetadata(entry.path(), encoded);
        }
    }

    private Optional<byte[]> readMetadata(ColumnFile file) throws IOException {
        Optional<KeyIndexReader> index = file.lazyKeyIndex().flatMap(LazyReader::find);
        return index.isPresent() && parallelReads().isParallel()
                ? index.get().readMetadata()
                : Optional.empty();
    }

    /** A cursor over the rows of a column file, in the schema version of {@code file}; blocks. */
    public ColumnFileCursor openRows(ColumnFile file) throws IOException {
        NonBlocking.check();
        return reader(file).cursor(file.mapping());
    }

    /** As {@link #openRows(ColumnFile)}, with prefetching, for a compaction; blocks. */
    public ColumnFileCursor openRows(ColumnFile file, SequentialReads reads) throws IOException {
        NonBlocking.check();
        return reader(file).sequential(reads).cursor(file.mapping());
    }

    /** A cursor over the columns of a column file as they are stored, for a compaction; blocks. */
    public ColumnBatches openBatches(ColumnFile file, SequentialReads reads) throws IOException {
        NonBlocking.check();
        return reader(file).sequential(reads).batches();
    }

    /** A prefetcher of a compaction's inputs, which the compaction closes. */
    public SequentialReads sequentialReads() {
        return SequentialReads.of(store);
    }

    /**
     * A cursor over some columns of a column file, through the decoded-column cache; blocks where
     * the file metadata or a column must be read. The columns of a stripe are read in parallel, and
     * those of the next stripes ahead, if the store benefits from it.
     *
     * @param columns in the reader's schema
     * @param withLsn whether the LSNs of the rows are read
     * @param filter chunks without a row that has one of these values in each of their columns may
     *     be omitted
     */
    public ColumnChunks openChunks(
            ColumnFile file, List<ColumnSchema> columns, boolean withLsn, List<WantedValues> filter)
            throws IOException {
        Optional<ColumnFileReader> open = findOpen(file);
        return points.openChunks(
                open.isPresent() ? open.get() : openForRows(file),
                decoded,
                columns,
                withLsn,
                filter);
    }

    /**
     * Prefetches the metadata of a column file that is needed soon, if the store benefits from it;
     * does not wait. This is a hint: a failure is thrown to the next caller that needs the
     * metadata.
     */
    public void announce(ColumnFile file) {
        Optional<ReadingAhead> ahead = store.readingAhead();
        if (ahead.isPresent() && readers.peekOpen(file.entry().path()).isEmpty()) {
            boolean ignored = ahead.get().tryHelp(() -> openSoon(file));
        }
    }

    private void openSoon(ColumnFile file) {
        try {
            openForRows(file);
        } catch (IOException | RuntimeException failed) {
            // the next caller that needs the metadata reads them again, and fails then
        }
    }

    /** As {@link DecodedColumns#share}. */
    public double decodedShare(ColumnFile file, List<ColumnSchema> columns) {
        String path = file.entry().path();
        return decoded.share(path, readers.peekOpen(path), columns);
    }

    /** One row of a column file, in the schema version of {@code file}; blocks. */
    public ColumnRow readRow(ColumnFile file, int ordinal) throws IOException {
        return points.read(reader(file), ordinal).mapped(file.mapping());
    }

    /** The executor of independent reads. */
    public ParallelReads parallelReads() {
        return ParallelReads.of(store);
    }

    /** The reader of a column file, if it is in memory. */
    public Optional<ColumnFileReader> findOpen(ColumnFile file) {
        return readers.findOpen(file.entry().path());
    }

    /**
     * Opens a column file for reads of rows, with the metadata of stripes that are read along;
     * blocks.
     */
    public ColumnFileReader openForRows(ColumnFile file) throws IOException {
        return points.open(
                readers,
                store,
                file.entry(),
                file.mapping().from().columns(),
                () -> readMetadata(file));
    }

    /**
     * Independent reads of rows of a column file, to be run by the caller.
     *
     * @param reader of {@link #findOpen} or {@link #openForRows}
     * @param ordinals ascending
     * @param found receives the rows as they are stored, see {@link #asRow}; may be called by
     *     several threads at once
     */
    public List<ParallelReads.Read> rowReads(
            ColumnFileReader reader, int[] ordinals, Consumer<ColumnRow> found) {
        return points.reads(reader, ordinals, found);
    }

    /** A stored row of a column file, mapped to the schema version of {@code file}. */
    public ColumnRow asRow(ColumnFile file, ColumnRow stored) {
        return stored.mapped(file.mapping());
    }

    private ColumnFileReader reader(ColumnFile file) throws IOException {
        return readers.open(store, file.entry(), file.mapping().from().columns());
    }

    /**
     * Deletes the unreferenced files of work that was stopped. Files that cannot be deleted are
     * deleted after the next start, like the files of a crash.
     */
    public void discard(JobWrites writes) {
        for (String path : writes.committed()) {
            try {
                store.delete(path);
            } catch (IOException | RuntimeException left) {
                // the store is not available
            }
            forget(path);
        }
    }

    /** Removes the cached data of a file that was deleted. */
    public void forget(String path) {
        rowBlocks.forget(path);
        keyIndexes.forget(path);
        readers.forget(path);
        points.forget(path);
        decoded.forget(path);
    }

    /** As {@link ColumnFileReaders#keepMetadata}. */
    public void keepMetadata(String path, byte[] encoded) {
        readers.keepMetadata(path, encoded);
    }

    /** As {@link ColumnFileReaders#findMetadata}. */
    public Optional<byte[]> findMetadata(String path) {
        return readers.findMetadata(path);
    }

    /** As {@link ColumnFileReaders#hasMetadata}. */
    public boolean hasMetadata(String path) {
        return readers.hasMetadata(path);
    }

    /** Opens a column file that was just written; blocks. */
    public ColumnFile openWritten(
            FileEntry entry,
            DeletionVector deletes,
            TableVersions versions,
            WrittenFileMetadata end)
            throws IOException {
        ColumnFile file = openColumn(entry, deletes, versions);
        points.written(readers, store, entry, file.mapping().from().columns(), end);
        return file;
    }

    ColumnFile openColumn(FileEntry entry, DeletionVector deletes, TableVersions versions)
            throws IOException {
        ColumnFile file = lazyColumn(entry, deletes, versions);
        if (file.hasKeyIndex()) {
            file.keyIndex();
        }
        return file;
    }
}
