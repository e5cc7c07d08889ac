package io.stele.engine.tablet;

import static java.util.Objects.requireNonNull;

import io.stele.cache.CacheStatistics;
import io.stele.columnfile.index.BlockCache;
import io.stele.columnfile.index.KeyIndexReader;
import io.stele.columnfile.index.RowFileReader;
import io.stele.columnfile.orc.ColumnBatches;
import io.stele.columnfile.orc.ColumnChunks;
import io.stele.columnfile.orc.ColumnFileCursor;
import io.stele.columnfile.orc.ColumnFileReader;
import io.stele.columnfile.orc.ColumnFileReaders;
import io.stele.columnfile.orc.ColumnPointReader;
import io.stele.columnfile.orc.ColumnRow;
import io.stele.columnfile.orc.DecodedColumns;
import io.stele.columnfile.orc.WrittenEnd;
import io.stele.engine.datafile.DeleteVector;
import io.stele.engine.manifest.DeleteVectorFile;
import io.stele.engine.manifest.FileEntry;
import io.stele.engine.manifest.KeyIndexFile;
import io.stele.objectstore.NonBlocking;
import io.stele.objectstore.ObjectEntry;
import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.PacedObjectStore;
import io.stele.objectstore.ParallelReads;
import io.stele.objectstore.SequentialReads;
import io.stele.objectstore.WorkWrites;
import io.stele.objectstore.WritePacer;
import io.stele.protocol.SteleException;
import io.stele.protocol.schema.ColumnSchema;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A factory of readers of the files of a node's tablets, over the object store and the caches. It
 * also names new files. Immutable and thread-safe.
 */
public final class TableFiles {
    private final ObjectStore store;
    private final BlockCache rowBlocks;
    private final BlockCache keyIndexes;
    private final ColumnFileReaders readers;
    private final ColumnPointReader points;
    private final DecodedColumns decoded;
    private final RowCache rows;
    private final FileIds ids;

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
    }

    /** The same, but new files are written at most at the pacer's rate. */
    public TableFiles paced(WritePacer pacer) {
        return over(new PacedObjectStore(store, pacer));
    }

    /** The same, but new files are those of one piece of work. */
    public TableFiles of(WorkWrites writes) {
        return over(writes.over(store));
    }

    /** The same, but new files take the place of those. */
    TableFiles replacing(List<FileEntry> replaced) {
        List<ObjectEntry> objects =
                replaced.stream()
                        .map(file -> new ObjectEntry(file.path(), file.sizeBytes()))
                        .toList();
        return over(store.replacing(objects));
    }

    private TableFiles over(ObjectStore changed) {
        return new TableFiles(changed, rowBlocks, keyIndexes, readers, points, decoded, rows, ids);
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
    public RowFile openRow(FileEntry entry, TableVersions versions) throws IOException {
        RowFile file = lazyRow(entry, versions);
        file.lazyReader().get();
        return file;
    }

    /** An SST file that is opened at its first use. */
    public RowFile lazyRow(FileEntry entry, TableVersions versions) {
        return new RowFile(
                entry,
                new LazyReader<>(
                        () ->
                                RowFileReader.open(
                                        store, entry.path(), entry.sizeBytes(), rowBlocks)),
                versions);
    }

    /** Opens a column file from its manifest entry, with the deletions stored for it; blocks. */
    public ColumnFile openColumn(FileEntry entry, TableVersions versions) throws IOException {
        return openColumn(entry, readDeletes(entry), versions);
    }

    /** The deletions that are stored for a column file; blocks if there are some. */
    public DeleteVector readDeletes(FileEntry entry) throws IOException {
        if (entry.deleteVector().isEmpty()) {
            return new DeleteVector();
        }
        DeleteVectorFile stored = entry.deleteVector().get();
        return DeleteVector.read(store, stored.path(), stored.sizeBytes());
    }

    /** A column file whose key index is opened at its first use. */
    public ColumnFile lazyColumn(FileEntry entry, DeleteVector deletes, TableVersions versions) {
        return new ColumnFile(
                entry,
                entry.keyIndex().map(file -> new LazyReader<>(() -> openKeyIndex(entry, file))),
                deletes,
                versions);
    }

    /** Opens the key index of a column file's entry, and so verifies it; blocks. */
    public void checkKeyIndex(FileEntry entry) throws IOException {
        if (entry.keyIndex().isPresent()) {
            openKeyIndex(entry, entry.keyIndex().get());
        }
    }

    /**
     * The metadata of the column file that are stored with it are cached, if reading them takes
     * long.
     */
    private KeyIndexReader openKeyIndex(FileEntry entry, KeyIndexFile file) throws IOException {
        return KeyIndexReader.open(
                store,
                file.path(),
                file.sizeBytes(),
                keyIndexes,
                new KeyIndexReader.MetadataSink() {
                    @Override
                    public void accept(byte[] encoded) {
                        if (parallelReads().isParallel()) {
                            readers.keepMetadata(entry.path(), encoded);
                        }
                    }

                    @Override
                    public void damaged(SteleException corrupt) {
                        readers.unusable(entry, corrupt);
                    }
                });
    }

    private Optional<byte[]> readMetadata(ColumnFile file) throws IOException {
        Optional<KeyIndexReader> index = file.lazyKeyIndex().flatMap(LazyReader::find);
        return index.isPresent() && parallelReads().isParallel()
                ? index.get().readMetadata()
                : Optional.empty();
    }

    /** Walks the rows of a column file as those of the file's version; blocks. */
    public ColumnFileCursor openRows(ColumnFile file) throws IOException {
        NonBlocking.check();
        return reader(file).cursor(file.mapping());
    }

    /** The same for a compaction, which reads ahead; blocks. */
    ColumnFileCursor openRows(ColumnFile file, SequentialReads reads) throws IOException {
        NonBlocking.check();
        return reader(file).sequential(reads).cursor(file.mapping());
    }

    /** A cursor over the columns of a column file as they are stored, for a compaction; blocks. */
    ColumnBatches openBatches(ColumnFile file, SequentialReads reads) throws IOException {
        NonBlocking.check();
        return reader(file).sequential(reads).batches();
    }

    /** The reads of a compaction's inputs; the compaction closes it. */
    SequentialReads sequentialReads() {
        return SequentialReads.of(store);
    }

    /**
     * A cursor over some columns of a column file, through the decoded-column cache; blocks where
     * the file metadata or a column must be read. The columns of a stripe are read side by side if
     * the store benefits from it.
     *
     * @param columns in the reader's schema
     * @param withLsn whether the LSNs of the rows are wanted
     */
    public ColumnChunks openChunks(ColumnFile file, List<ColumnSchema> columns, boolean withLsn)
            throws IOException {
        Optional<ColumnFileReader> open = findOpen(file);
        return new ColumnChunks(
                open.isPresent() ? open.get() : openForRows(file), decoded, columns, withLsn);
    }

    /** One row of a column file, as one of the file's version; blocks. */
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

    /** Reads the metadata of a column file, with those of stripes as far as they come with it. */
    public ColumnFileReader openForRows(ColumnFile file) throws IOException {
        return points.open(
                readers,
                store,
                file.entry(),
                file.mapping().from().columns(),
                () -> readMetadata(file));
    }

    /**
     * The reads of rows of a column file, which do not need each other.
     *
     * @param reader of {@link #findOpen} or {@link #openForRows}
     * @param ordinals ascending
     * @param found gets the rows as they are in the file, see {@link #asRow}; may be called by
     *     several threads at once
     */
    public List<ParallelReads.Read> rowReads(
            ColumnFileReader reader, int[] ordinals, Consumer<ColumnRow> found) {
        return points.reads(reader, ordinals, found);
    }

    /** A row that was read of a column file, as one of the file's version. */
    public ColumnRow asRow(ColumnFile file, ColumnRow stored) {
        return stored.mapped(file.mapping());
    }

    private ColumnFileReader reader(ColumnFile file) throws IOException {
        return readers.open(store, file.entry(), file.mapping().from().columns());
    }

    /**
     * Deletes what work has written that was stopped, which nothing names. What cannot be deleted
     * is collected at the next start, as what a crash leaves.
     */
    public void discard(WorkWrites writes) {
        for (String path : writes.committed()) {
            try {
                store.delete(path);
            } catch (IOException | RuntimeException left) {
                // the store is away
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
    ColumnFile openWritten(
            FileEntry entry, DeleteVector deletes, TableVersions versions, WrittenEnd end)
            throws IOException {
        ColumnFile file = openColumn(entry, deletes, versions);
        points.written(readers, store, entry, file.mapping().from().columns(), end);
        return file;
    }

    ColumnFile openColumn(FileEntry entry, DeleteVector deletes, TableVersions versions)
            throws IOException {
        ColumnFile file = lazyColumn(entry, deletes, versions);
        if (file.hasKeyIndex()) {
            file.keyIndex();
        }
        return file;
    }
}
