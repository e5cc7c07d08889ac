package io.stele.engine.manifest.orc;

import static java.util.Objects.requireNonNull;

import io.stele.columnfile.metadata.ChecksummedFile;
import io.stele.columnfile.metadata.ChecksummingWriter;
import io.stele.columnfile.metadata.FileChecksums;
import io.stele.columnfile.orc.ColumnFileSystem;
import io.stele.columnfile.orc.OrcErrors;
import io.stele.columnfile.orc.OrcLibrary;
import io.stele.columnfile.orc.write.FlushOnCloseStream;
import io.stele.engine.manifest.FileEntry;
import io.stele.engine.manifest.ManifestBase;
import io.stele.engine.manifest.ManifestBaseFormat;
import io.stele.engine.manifest.ManifestFilter;
import io.stele.engine.manifest.SketchReads;
import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.ObjectWriter;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.write.WrittenFile;
import io.stele.protocol.predicate.ColumnSketch;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.Consumer;
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

    private static final Comparator<FileEntry> ORDER =
            Comparator.comparing(FileEntry::tableId)
                    .thenComparing(entry -> entry.partition().orElse(null), keys())
                    .thenComparingInt(FileEntry::level)
                    .thenComparing(entry -> entry.minKey().orElse(null), keys());

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
        List<Integer> order = new ArrayList<>(files.size());
        for (int i = 0; i < files.size(); i++) {
            order.add(i);
        }
        order.sort(Comparator.comparing(files::get, ORDER));
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
                            (batch, position) -> rows.add(batch, position, files.get(position)));
            output.commit();
            return new ManifestBase(
                    version,
                    path,
                    output.position(),
                    files.size(),
                    OptionalInt.of(Math.toIntExact(output.position() - stripesEnd)),
                    Optional.of(Base64.getEncoder().encodeToString(output.checksums())),
                    sketchBytes);
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
                    (batch, position) ->
                            addSketches(batch, reads.read(files.get(position).sketches())));
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
            SketchGroups groups = new SketchGroups(base);
            new OrcSketchReads(store).readAll(base, files.stream().sorted(ORDER).toList(), groups);
            groups.shed();
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
            Row row)
            throws IOException {
        Writer orc = createWriter(store, path, output, schema);
        try (orc) {
            // Each batch becomes a stripe
            VectorizedRowBatch batch = schema.createRowBatch(stripeRows);
            for (int position : order) {
                row.add(batch, position);
                if (batch.size == stripeRows) {
                    orc.addRowBatch(batch);
                    batch.reset();
                }
            }
            orc.addRowBatch(batch);
        }
        StripeInformation last = orc.getStripes().getLast();
        return last.getOffset() + last.getLength();
    }

    @Override
    public List<FileEntry> read(ObjectStore store, ManifestBase base) throws IOException {
        List<FileEntry> files = select(store, base, ManifestFilter.ALL);
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
        Map<Long, FileEntry> byRow = new HashMap<>();
        TreeMap<Long, Long> rowByPosition = new TreeMap<>();
        OrcErrors.translate(
                base.path(),
                () -> {
                    select(store, base, filter, byRow, rowByPosition);
                    return byRow;
                });
        if (filter.sketches() && base.sketchBytes().isPresent() && !byRow.isEmpty()) {
            OrcErrors.translate(
                    base.sketchesPath(),
                    () -> {
                        addSketches(store, base, byRow);
                        return byRow;
                    });
        }
        return rowByPosition.values().stream().map(row -> requireNonNull(byRow.get(row))).toList();
    }

    private static void select(
            ObjectStore store,
            ManifestBase base,
            ManifestFilter filter,
            Map<Long, FileEntry> byRow,
            TreeMap<Long, Long> rowByPosition)
            throws IOException {
        String path = base.path();
        long size = base.sizeBytes();
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
            select(orc, options, rows, filter, byRow, rowByPosition);
        }
    }

    private static void select(
            Reader orc,
            Reader.Options options,
            ManifestRows rows,
            ManifestFilter filter,
            Map<Long, FileEntry> byRow,
            TreeMap<Long, Long> rowByPosition)
            throws IOException {
        try (RecordReader reader = orc.rows(options)) {
            VectorizedRowBatch batch = orc.getSchema().createRowBatch();
            for (long first = reader.getRowNumber();
                    reader.nextBatch(batch);
                    first = reader.getRowNumber()) {
                for (int row = 0; row < batch.size; row++) {
                    FileEntry file = rows.entry(batch, row, filter.sketches());
                    if (filter.matches(file)) {
                        byRow.put(first + row, file);
                        rowByPosition.put(rows.position(batch, row), first + row);
                    }
                }
            }
        }
    }

    private static void addSketches(
            ObjectStore store, ManifestBase base, Map<Long, FileEntry> byRow) throws IOException {
        Reader orc = openSketches(store, base);
        try (RecordReader reader = orc.rows()) {
            VectorizedRowBatch batch = orc.getSchema().createRowBatch();
            for (long next = 0; reader.nextBatch(batch); next += batch.size) {
                for (int row = 0; row < batch.size; row++) {
                    Optional<ByteBuffer> found =
                            ManifestRows.bytes((BytesColumnVector) batch.cols[0], row);
                    found.ifPresent(new Adding(byRow, next + row));
                }
            }
        }
    }

    /** A consumer that adds sketches to the entry of a row, if the entry was selected. */
    private record Adding(Map<Long, FileEntry> byRow, long row) implements Consumer<ByteBuffer> {
        @Override
        public void accept(ByteBuffer sketches) {
            byRow.computeIfPresent(
                    row, (same, file) -> file.withSketches(SketchBytes.decode(sketches)));
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

    /** Opens the sketches of a base, which must have sketches. */
    static Reader openSketches(ObjectStore store, ManifestBase base) throws IOException {
        String path = base.sketchesPath();
        long size = base.sketchBytes().orElseThrow();
        return open(
                new ChecksummedFile(
                        store,
                        path,
                        size,
                        Optional.of(
                                FileChecksums.load(store, path, size, FileChecksums.BLOCK_BYTES))));
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

    /** A writer of one entry into a batch. */
    @FunctionalInterface
    private interface Row {
        void add(VectorizedRowBatch batch, int position) throws IOException;
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
