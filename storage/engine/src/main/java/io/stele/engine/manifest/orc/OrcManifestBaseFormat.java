package io.stele.engine.manifest.orc;

import io.stele.columnfile.bytes.Corruption;
import io.stele.columnfile.metadata.ChecksummedFile;
import io.stele.columnfile.metadata.ChecksummingWriter;
import io.stele.columnfile.metadata.FileChecksums;
import io.stele.columnfile.orc.ColumnFileSystem;
import io.stele.columnfile.orc.OrcErrors;
import io.stele.columnfile.orc.OrcLibrary;
import io.stele.columnfile.orc.write.FlushOnCloseStream;
import io.stele.engine.manifest.FileEntry;
import io.stele.engine.manifest.FileEntryCodec;
import io.stele.engine.manifest.ManifestBase;
import io.stele.engine.manifest.ManifestBaseFormat;
import io.stele.engine.manifest.ManifestFilter;
import io.stele.engine.manifest.SketchReads;
import io.stele.objectstore.ObjectReader;
import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.ObjectWriter;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import io.stele.protocol.api.write.WrittenFile;
import io.stele.protocol.predicate.ColumnSketch;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.LongFunction;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.hive.ql.exec.vector.BytesColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.VectorizedRowBatch;
import org.apache.hadoop.hive.ql.io.sarg.SearchArgument;
import org.apache.orc.CompressionKind;
import org.apache.orc.OrcConf;
import org.apache.orc.OrcFile;
import org.apache.orc.Reader;
import org.apache.orc.RecordReader;
import org.apache.orc.StripeInformation;
import org.apache.orc.TypeDescription;
import org.apache.orc.Writer;
import org.apache.orc.impl.PhysicalFsWriter;
import org.apache.orc.impl.writer.WriterEncryptionVariant;
import org.jspecify.annotations.Nullable;

/**
 * The storage of manifest bases as ORC objects in the warehouse, with one row per data file, of
 * which readers read only matching stripes ({@link ManifestRows}). Rows are sorted by table,
 * partition, level and smallest key, so that the files of a partition are adjacent. Stripes have
 * few rows, and their statistics are in the file metadata. A reader of some files reads the
 * metadata and the stripes of these files, with one request each. Another ORC object, beside the
 * base, has the sketches in the same row order ({@link SketchBytes}).
 *
 * <p>The manifest has the checksums of the first object; the checksums of the sketches are in an
 * object beside them ({@link FileChecksums}). Thread-safe.
 */
public final class OrcManifestBaseFormat implements ManifestBaseFormat {
    /**
     * Rows of a stripe: the amount that a reader of one file decodes, and the unit of the
     * statistics in the file metadata (docs/decisions/manifests.md).
     */
    private static final int STRIPE_ROWS = 500;

    public static final OrcManifestBaseFormat INSTANCE = new OrcManifestBaseFormat(STRIPE_ROWS);

    private static final TypeDescription SKETCHES =
            TypeDescription.fromString("struct<sketches:binary>");

    private static final Comparator<Placed> ORDER =
            Comparator.comparing(Placed::tableId)
                    .thenComparing(Placed::partition, keys())
                    .thenComparingInt(Placed::level)
                    .thenComparing(Placed::minKey, keys());

    /** The smallest stride that the library accepts. */
    private static final int MIN_STRIDE = 1_000;

    /**
     * The bytes that the library first reads of every file, before it knows how long the metadata
     * at its end are.
     */
    private static final int LEAST_TAIL = 16 << 10;

    private static final int STRIPE_BYTES = 64 << 20;
    private static final int CHUNK_BYTES = 32 << 10;

    private final int stripeRows;

    private OrcManifestBaseFormat(int stripeRows) {
        this.stripeRows = stripeRows;
    }

    /** Bases with another number of rows per stripe, for measurements. */
    public static OrcManifestBaseFormat ofStripes(int rows) {
        if (rows < 1) {
            throw new IllegalArgumentException("Expected at least 1 row a stripe, found " + rows);
        }
        return new OrcManifestBaseFormat(rows);
    }

    private static Comparator<byte @Nullable []> keys() {
        return Comparator.nullsFirst(Arrays::compareUnsigned);
    }

    @Override
    public List<String> paths(String path) {
        String sketches = ManifestBase.sketchesPath(path);
        return List.of(path, sketches, WrittenFile.checksumsPath(sketches));
    }

    @Override
    public ManifestBase write(ObjectStore store, String path, long version, List<FileEntry> files)
            throws IOException {
        List<Integer> order = order(files);
        OptionalLong sketchBytes = writeSketches(store, path, order, files);
        ManifestRows rows = ManifestRows.of(files);
        try (ChecksummingWriter output = ChecksummingWriter.createAlone(store, path)) {
            long stripesEnd =
                    write(
                            store,
                            path,
                            output,
                            rows.schema(),
                            order,
                            (batch, positions) -> rows.fill(batch, positions, files));
            output.commit();
            return new ManifestBase(
                    version,
                    path,
                    output.position(),
                    files.size(),
                    OptionalInt.of(Math.toIntExact(output.position() - stripesEnd)),
                    Optional.of(Base64.getEncoder().encodeToString(output.checksums())),
                    sketchBytes,
                    OptionalInt.of(FileEntryCodec.FORMAT));
        }
    }

    /** The positions of entries in the order of rows. */
    private static List<Integer> order(List<FileEntry> files) {
        List<Placed> placed = new ArrayList<>(files.size());
        for (int i = 0; i < files.size(); i++) {
            placed.add(Placed.of(i, files.get(i)));
        }
        placed.sort(ORDER);
        return placed.stream().map(Placed::position).toList();
    }

    /** What rows are ordered by: an entry would decode it at each comparison. */
    @SuppressWarnings("ArrayRecordComponent") // never compared as a whole
    private record Placed(
            int position,
            TableId tableId,
            byte @Nullable [] partition,
            int level,
            byte @Nullable [] minKey) {
        static Placed of(int position, FileEntry entry) {
            return new Placed(
                    position,
                    entry.tableId(),
                    entry.partition().orElse(null),
                    entry.level(),
                    entry.minKey().orElse(null));
        }
    }

    private OptionalLong writeSketches(
            ObjectStore store, String path, List<Integer> order, List<FileEntry> files)
            throws IOException {
        if (files.stream().allMatch(file -> file.sketches().isEmpty())) {
            return OptionalLong.empty();
        }
        String sketches = ManifestBase.sketchesPath(path);
        SketchReads reads = sketches(store);
        try (ObjectWriter output = ChecksummingWriter.create(store, sketches)) {
            write(
                    store,
                    sketches,
                    output,
                    SKETCHES,
                    order,
                    (batch, positions) -> {
                        for (int position : positions) {
                            addSketches(batch, reads.read(files.get(position).sketches()));
                        }
                    });
            output.commit();
            return OptionalLong.of(output.position());
        }
    }

    private static void addSketches(VectorizedRowBatch batch, Map<Integer, ColumnSketch> sketches) {
        ManifestRows.set(
                (BytesColumnVector) batch.cols[0],
                batch.size++,
                sketches.isEmpty() ? Optional.empty() : Optional.of(SketchBytes.encode(sketches)));
    }

    @Override
    public void shedSketches(ObjectStore store, ManifestBase base, List<FileEntry> files)
            throws IOException {
        if (base.sketchBytes().isPresent()) {
            List<FileEntry> inRows = order(files).stream().map(files::get).toList();
            group(
                    store,
                    base,
                    row -> inRows.get((int) row),
                    (row, place) -> inRows.get((int) row).sketches().moveTo(place),
                    (row, inMemory) -> {});
        }
    }

    @Override
    public SketchReads sketches(ObjectStore store) {
        return new OrcSketchReads(store);
    }

    /**
     * @return the offset of the end of the last stripe
     */
    private long write(
            ObjectStore store,
            String path,
            ObjectWriter output,
            TypeDescription schema,
            List<Integer> order,
            Stripe stripe)
            throws IOException {
        Writer orc = createWriter(store, path, output, schema);
        try (orc) {
            // Each batch becomes a stripe
            VectorizedRowBatch batch = schema.createRowBatch(stripeRows);
            for (int from = 0; from < order.size(); from += stripeRows) {
                int end = Math.min(from + stripeRows, order.size());
                stripe.fill(batch, order.subList(from, end));
                orc.addRowBatch(batch);
                batch.reset();
            }
        }
        StripeInformation last = orc.getStripes().getLast();
        return last.getOffset() + last.getLength();
    }

    @Override
    public List<FileEntry> read(ObjectStore store, ManifestBase base, boolean grouped)
            throws IOException {
        boolean groups = grouped && base.sketchBytes().isPresent();
        ManifestFilter all = ManifestFilter.ALL;
        SelectedEntries selected = selected(store, base, groups ? all.withoutSketches() : all);
        if (groups) {
            group(store, base, selected::get, selected::moveSketches, selected::addSketches);
        }
        List<FileEntry> files = selected.inOrder();
        if (files.size() != base.entryCount()) {
            throw new SteleException(
                    ErrorCode.CORRUPT_DATA,
                    "Expected %d files, found %d in %s"
                            .formatted(
                                    base.entryCount(), files.size(), store.describe(base.path())));
        }
        return files;
    }

    @Override
    public List<FileEntry> select(ObjectStore store, ManifestBase base, ManifestFilter filter)
            throws IOException {
        return selected(store, base, filter).inOrder();
    }

    private static SelectedEntries selected(
            ObjectStore store, ManifestBase base, ManifestFilter filter) throws IOException {
        SelectedEntries selected = new SelectedEntries();
        OrcErrors.translate(
                base.path(),
                () -> {
                    select(store, base, filter, selected);
                    return selected;
                });
        if (filter.sketches() && base.sketchBytes().isPresent() && !selected.isEmpty()) {
            new OrcSketchReads(store).forEach(base, selected::addSketches);
        }
        return selected;
    }

    /**
     * Merges the sketches of similar files of a base.
     *
     * @param entries by row
     * @param mover receives the places of those that are merged
     * @param others receives those that cannot be merged
     */
    private static void group(
            ObjectStore store,
            ManifestBase base,
            LongFunction<FileEntry> entries,
            SketchGroups.Mover mover,
            OrcSketchReads.RowSketches others)
            throws IOException {
        SketchGroups groups = new SketchGroups(base);
        new OrcSketchReads(store)
                .forEach(
                        base,
                        (row, bytes) -> {
                            if (!groups.add(row, entries.apply(row), SketchBytes.decode(bytes))) {
                                others.accept(row, bytes);
                            }
                        });
        groups.move(mover);
    }

    private static void select(
            ObjectStore store, ManifestBase base, ManifestFilter filter, SelectedEntries selected)
            throws IOException {
        String path = base.path();
        long size = base.sizeBytes();
        int format = base.entryFormat().orElse(FileEntryCodec.FORMAT);
        if (format != FileEntryCodec.FORMAT) {
            throw Corruption.mismatch(path, 0, "entry format", FileEntryCodec.FORMAT, format);
        }
        boolean knowsTail = base.tailBytes().isPresent();
        ChunkedReader chunks =
                new ChunkedReader(
                        store.open(path, size),
                        size,
                        knowsTail ? FileChecksums.BLOCK_BYTES : ChunkedReader.UNKNOWN_RANGES);
        FileChecksums checksums = checksums(store, base);
        if (knowsTail) {
            int tail = (int) Math.min(size, Math.max(LEAST_TAIL, base.tailBytes().getAsInt()));
            chunks.prepare(size - tail, tail);
        }
        Reader orc = open(new ChecksummedFile(store, chunks, path, size, Optional.of(checksums)));
        ManifestRows rows = ManifestRows.of(orc.getSchema());
        if (rows.isPacked() != base.entryFormat().isPresent()) {
            throw Corruption.mismatch(
                    path,
                    size,
                    "entries, as the manifest says,",
                    base.entryFormat().isPresent() ? "in binary" : "in JSON",
                    rows.isPacked() ? "in binary" : "in JSON");
        }
        Optional<SearchArgument> argument = ManifestConditions.of(filter, rows);
        for (StripePicker.Run run : StripePicker.pick(orc, argument, rows::index)) {
            if (knowsTail) {
                chunks.prepare(run.offset(), run.length());
            }
            Reader.Options options =
                    orc.options()
                            .include(rows.included(filter.sketches()))
                            .range(run.offset(), run.length());
            if (!knowsTail && argument.isPresent()) {
                options.searchArgument(
                        argument.get(), orc.getSchema().getFieldNames().toArray(new String[0]));
            }
            select(orc, options, rows, filter, path, selected);
            if (knowsTail) {
                chunks.forget(run.offset(), run.length());
            }
        }
    }

    private static void select(
            Reader orc,
            Reader.Options options,
            ManifestRows rows,
            ManifestFilter filter,
            String path,
            SelectedEntries selected)
            throws IOException {
        try (RecordReader reader = orc.rows(options)) {
            VectorizedRowBatch batch = orc.getSchema().createRowBatch();
            for (long first = reader.getRowNumber();
                    reader.nextBatch(batch);
                    first = reader.getRowNumber()) {
                for (int row = 0; row < batch.size; row++) {
                    FileEntry file = rows.entry(batch, first, row, filter.sketches(), path);
                    if (filter.matches(file)) {
                        selected.add(first + row, rows.position(batch, row), file);
                    }
                }
            }
        }
    }

    private static FileChecksums checksums(ObjectStore store, ManifestBase base)
            throws IOException {
        if (base.checksums().isEmpty()) {
            return FileChecksums.load(
                    store, base.path(), base.sizeBytes(), FileChecksums.BLOCK_BYTES);
        }
        return FileChecksums.decode(
                base.path(),
                base.sizeBytes(),
                FileChecksums.BLOCK_BYTES,
                "the manifest of " + base.path(),
                Base64.getDecoder().decode(base.checksums().get()));
    }

    /**
     * Opens the sketches of a base, which must have sketches.
     *
     * @param reader of the object
     */
    static Reader openSketches(ObjectStore store, ObjectReader reader, String path, long size)
            throws IOException {
        FileChecksums checksums = FileChecksums.load(store, path, size, FileChecksums.BLOCK_BYTES);
        return open(new ChecksummedFile(store, reader, path, size, Optional.of(checksums)));
    }

    private static Reader open(ChecksummedFile content) throws IOException {
        Configuration configuration = OrcLibrary.configuration();
        return OrcFile.createReader(
                ColumnFileSystem.path(content.path()),
                OrcFile.readerOptions(configuration)
                        .filesystem(new ColumnFileSystem(content, configuration))
                        .maxLength(content.sizeBytes()));
    }

    private Writer createWriter(
            ObjectStore store, String path, ObjectWriter output, TypeDescription schema)
            throws IOException {
        Configuration configuration = OrcLibrary.configuration();
        configuration.setInt(OrcConf.STRIPE_ROW_COUNT.getAttribute(), stripeRows);
        // A hash table has 4,096 buckets for each column of a stripe, which has 500 rows at most
        OrcConf.DICTIONARY_IMPL.setString(configuration, "rbtree");
        // The library requires a file system even if it gets a stream
        ChecksummedFile unread = new ChecksummedFile(store, path, 0, Optional.empty());
        OrcFile.WriterOptions options =
                OrcFile.writerOptions(configuration)
                        .fileSystem(new ColumnFileSystem(unread, configuration))
                        .setSchema(schema)
                        .compress(CompressionKind.ZSTD)
                        .stripeSize(STRIPE_BYTES)
                        // One row group per stripe: without row groups there are no statistics of
                        // stripes
                        .rowIndexStride(Math.max(MIN_STRIDE, stripeRows))
                        .bufferSize(CHUNK_BYTES)
                        .enforceBufferSize()
                        .blockPadding(false)
                        .memory(new StripeOfABatch());
        options.physicalWriter(
                new PhysicalFsWriter(
                        new FSDataOutputStream(
                                new BufferedOutputStream(new FlushOnCloseStream(output), 1 << 16),
                                null),
                        options,
                        new WriterEncryptionVariant[0]));
        return OrcFile.createWriter(ColumnFileSystem.path(path), options);
    }

    /** A writer of the entries at some positions into a batch. */
    @FunctionalInterface
    private interface Stripe {
        void fill(VectorizedRowBatch batch, List<Integer> positions) throws IOException;
    }

    /** A memory manager that makes the writer check after each batch whether its stripe is full. */
    private static final class StripeOfABatch extends OrcLibrary.FixedMemory {
        @Override
        public long checkMemory(long previousAllocation, Callback writer) throws IOException {
            writer.checkMemory(1);
            return previousAllocation;
        }
    }
}
