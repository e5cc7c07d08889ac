package io.stele.storage.orc;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.WrittenFile;
import io.stele.protocol.predicate.ColumnSketch;
import io.stele.protocol.schema.SchemaJson;
import io.stele.storage.format.ChecksummedFile;
import io.stele.storage.format.ChecksummingWriter;
import io.stele.storage.format.FileChecksums;
import io.stele.storage.manifest.FileEntry;
import io.stele.storage.manifest.ManifestBase;
import io.stele.storage.manifest.ManifestBases;
import io.stele.storage.manifest.ManifestFilter;
import io.stele.storage.objectstore.ObjectStore;
import io.stele.storage.objectstore.ObjectWriter;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.hive.ql.exec.vector.BytesColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.LongColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.VectorizedRowBatch;
import org.apache.hadoop.hive.ql.io.sarg.PredicateLeaf;
import org.apache.hadoop.hive.ql.io.sarg.SearchArgument;
import org.apache.hadoop.hive.ql.io.sarg.SearchArgumentFactory;
import org.apache.orc.CompressionKind;
import org.apache.orc.OrcFile;
import org.apache.orc.Reader;
import org.apache.orc.RecordReader;
import org.apache.orc.TypeDescription;
import org.apache.orc.Writer;
import org.apache.orc.impl.PhysicalFsWriter;
import org.apache.orc.impl.writer.WriterEncryptionVariant;
import org.jspecify.annotations.Nullable;

/**
 * The files of a manifest as ORC, one row each, sorted by table, partition, level and smallest key,
 * so that those of a partition lie together and a reader of them skips the other row groups.
 *
 * <pre>
 * position int         place in the manifest's order
 * table_id bigint
 * partition string     encoded values, each byte as the character of its number; null: none
 * level int
 * min_key string       in the same way; null: not known
 * max_key string
 * entry binary         the JSON of the entry without its sketches
 * sketches binary      null: none; else for each, little-endian: column id 4, value bytes 8,
 *                      length 4, the sketch
 * </pre>
 *
 * Beside it are its checksums ({@link FileChecksums}). Thread-safe.
 */
public final class OrcManifestBases implements ManifestBases {
    public static final OrcManifestBases INSTANCE = new OrcManifestBases();

    private static final TypeDescription SCHEMA =
            TypeDescription.fromString(
                    "struct<position:int,table_id:bigint,partition:string,level:int,min_key:string,"
                            + "max_key:string,entry:binary,sketches:binary>");
    private static final String[] COLUMN_NAMES = SCHEMA.getFieldNames().toArray(new String[0]);
    private static final int POSITION = 0;
    private static final int TABLE_ID = 1;
    private static final int PARTITION = 2;
    private static final int LEVEL = 3;
    private static final int MIN_KEY = 4;
    private static final int MAX_KEY = 5;
    private static final int ENTRY = 6;
    private static final int SKETCHES = 7;

    private static final Comparator<FileEntry> ORDER =
            Comparator.comparing(FileEntry::tableId)
                    .thenComparing(entry -> entry.partition().orElse(null), keys())
                    .thenComparingInt(FileEntry::level)
                    .thenComparing(entry -> entry.minKey().orElse(null), keys());

    /** The fewest that the library takes: a reader of one partition wants some ten rows. */
    private static final int ROW_GROUP_ROWS = 1_000;

    private static final int STRIPE_BYTES = 64 << 20;
    private static final int CHUNK_BYTES = 32 << 10;

    private final ObjectMapper mapper = SchemaJson.mapper();

    private OrcManifestBases() {}

    private static Comparator<byte @Nullable []> keys() {
        return Comparator.nullsFirst(Arrays::compareUnsigned);
    }

    @Override
    public List<String> paths(String path) {
        return List.of(path, WrittenFile.checksumsPath(path));
    }

    @Override
    public ManifestBase write(ObjectStore store, String path, long version, List<FileEntry> files)
            throws IOException {
        List<Integer> order = new ArrayList<>(files.size());
        for (int i = 0; i < files.size(); i++) {
            order.add(i);
        }
        order.sort(Comparator.comparing(files::get, ORDER));
        try (ObjectWriter output = ChecksummingWriter.create(store, path)) {
            try (Writer orc = createWriter(store, path, output)) {
                VectorizedRowBatch batch = SCHEMA.createRowBatch();
                for (int position : order) {
                    add(batch, position, files.get(position));
                    if (batch.size == batch.getMaxSize()) {
                        orc.addRowBatch(batch);
                        batch.reset();
                    }
                }
                orc.addRowBatch(batch);
            }
            output.commit();
            return new ManifestBase(version, path, output.position(), files.size());
        }
    }

    private void add(VectorizedRowBatch batch, int position, FileEntry file) throws IOException {
        int row = batch.size++;
        ((LongColumnVector) batch.cols[POSITION]).vector[row] = position;
        ((LongColumnVector) batch.cols[TABLE_ID]).vector[row] = file.tableId().value();
        setText(batch, PARTITION, row, file.partition());
        ((LongColumnVector) batch.cols[LEVEL]).vector[row] = file.level();
        setText(batch, MIN_KEY, row, file.minKey());
        setText(batch, MAX_KEY, row, file.maxKey());
        set(batch, ENTRY, row, Optional.of(mapper.writeValueAsBytes(file.withSketches(Map.of()))));
        set(
                batch,
                SKETCHES,
                row,
                file.sketches().isEmpty()
                        ? Optional.empty()
                        : Optional.of(encode(file.sketches())));
    }

    private static void setText(
            VectorizedRowBatch batch, int column, int row, Optional<byte[]> bytes) {
        set(batch, column, row, bytes.map(OrcManifestBases::text).map(it -> it.getBytes(UTF_8)));
    }

    /** In the order of the bytes, as UTF-8 as well. */
    private static String text(byte[] bytes) {
        return new String(bytes, ISO_8859_1);
    }

    private static void set(VectorizedRowBatch batch, int column, int row, Optional<byte[]> bytes) {
        BytesColumnVector vector = (BytesColumnVector) batch.cols[column];
        if (bytes.isPresent()) {
            vector.setRef(row, bytes.get(), 0, bytes.get().length);
        } else {
            vector.noNulls = false;
            vector.isNull[row] = true;
        }
    }

    private static byte[] encode(Map<Integer, ColumnSketch> sketches) {
        int size = 0;
        for (ColumnSketch sketch : sketches.values()) {
            size += Integer.BYTES + Long.BYTES + Integer.BYTES + sketch.distinct().length;
        }
        ByteBuffer buffer = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
        sketches.forEach(
                (column, sketch) ->
                        buffer.putInt(column)
                                .putLong(sketch.valueBytes())
                                .putInt(sketch.distinct().length)
                                .put(sketch.distinct()));
        return buffer.array();
    }

    private static Map<Integer, ColumnSketch> decode(ByteBuffer buffer) {
        Map<Integer, ColumnSketch> sketches = new TreeMap<>();
        buffer.order(ByteOrder.LITTLE_ENDIAN);
        while (buffer.hasRemaining()) {
            int column = buffer.getInt();
            long valueBytes = buffer.getLong();
            byte[] distinct = new byte[buffer.getInt()];
            buffer.get(distinct);
            sketches.put(column, new ColumnSketch(distinct, valueBytes));
        }
        return sketches;
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
        String path = base.path();
        long size = base.sizeBytes();
        ChecksummedFile content =
                new ChecksummedFile(
                        store,
                        new ChunkedReader(store.open(path, size), size),
                        path,
                        size,
                        Optional.of(
                                FileChecksums.load(store, path, size, FileChecksums.BLOCK_BYTES)));
        Configuration configuration = OrcLibrary.configuration();
        return OrcErrors.translate(
                base.path(),
                () -> {
                    Reader orc =
                            OrcFile.createReader(
                                    ColumnFileSystem.path(base.path()),
                                    OrcFile.readerOptions(configuration)
                                            .filesystem(
                                                    new ColumnFileSystem(content, configuration))
                                            .maxLength(base.sizeBytes()));
                    return select(orc, filter);
                });
    }

    private List<FileEntry> select(Reader orc, ManifestFilter filter) throws IOException {
        boolean[] included = new boolean[SCHEMA.getMaximumId() + 1];
        Arrays.fill(included, true);
        included[SKETCHES + 1] = filter.sketches(); // the root is the first
        Reader.Options options = orc.options().include(included);
        searchArgument(filter)
                .ifPresent(argument -> options.searchArgument(argument, COLUMN_NAMES));
        TreeMap<Long, FileEntry> found = new TreeMap<>();
        try (RecordReader rows = orc.rows(options)) {
            VectorizedRowBatch batch = orc.getSchema().createRowBatch();
            while (rows.nextBatch(batch)) {
                for (int row = 0; row < batch.size; row++) {
                    FileEntry file = entry(batch, row, filter);
                    if (filter.matches(file)) {
                        found.put(number(batch, POSITION, row), file);
                    }
                }
            }
        }
        return List.copyOf(found.values());
    }

    private FileEntry entry(VectorizedRowBatch batch, int row, ManifestFilter filter)
            throws IOException {
        ByteBuffer json = bytes(batch, ENTRY, row).orElseThrow();
        FileEntry file =
                mapper.readValue(
                        json.array(),
                        json.arrayOffset() + json.position(),
                        json.remaining(),
                        FileEntry.class);
        Optional<ByteBuffer> sketches =
                filter.sketches() ? bytes(batch, SKETCHES, row) : Optional.empty();
        return sketches.isPresent() ? file.withSketches(decode(sketches.get())) : file;
    }

    private static long number(VectorizedRowBatch batch, int column, int row) {
        LongColumnVector vector = (LongColumnVector) batch.cols[column];
        return vector.vector[vector.isRepeating ? 0 : row];
    }

    private static Optional<ByteBuffer> bytes(VectorizedRowBatch batch, int column, int row) {
        BytesColumnVector vector = (BytesColumnVector) batch.cols[column];
        int at = vector.isRepeating ? 0 : row;
        return !vector.noNulls && vector.isNull[at]
                ? Optional.empty()
                : Optional.of(
                        ByteBuffer.wrap(vector.vector[at], vector.start[at], vector.length[at])
                                .slice());
    }

    private static Optional<SearchArgument> searchArgument(ManifestFilter filter) {
        SearchArgument.Builder builder = SearchArgumentFactory.newBuilder().startAnd();
        int terms = 0;
        if (filter.tableId().isPresent()) {
            long id = filter.tableId().get().value();
            builder.equals("table_id", PredicateLeaf.Type.LONG, id);
            terms++;
        }
        if (filter.partition().isPresent()) {
            builder.equals("partition", PredicateLeaf.Type.STRING, text(filter.partition().get()));
            terms++;
        }
        if (filter.level().isPresent()) {
            builder.equals("level", PredicateLeaf.Type.LONG, (long) filter.level().getAsInt());
            terms++;
        }
        if (filter.fromKey().isPresent()) {
            builder.startOr()
                    .isNull("max_key", PredicateLeaf.Type.STRING)
                    .startNot()
                    .lessThan("max_key", PredicateLeaf.Type.STRING, text(filter.fromKey().get()))
                    .end()
                    .end();
            terms++;
        }
        if (filter.toKey().isPresent()) {
            builder.startOr()
                    .isNull("min_key", PredicateLeaf.Type.STRING)
                    .lessThanEquals(
                            "min_key", PredicateLeaf.Type.STRING, text(filter.toKey().get()))
                    .end();
            terms++;
        }
        return terms == 0 ? Optional.empty() : Optional.of(builder.end().build());
    }

    private static Writer createWriter(ObjectStore store, String path, ObjectWriter output)
            throws IOException {
        Configuration configuration = OrcLibrary.configuration();
        // The library asks for a file system even where it is given the stream
        ChecksummedFile unread = new ChecksummedFile(store, path, 0, Optional.empty());
        OrcFile.WriterOptions options =
                OrcFile.writerOptions(configuration)
                        .fileSystem(new ColumnFileSystem(unread, configuration))
                        .setSchema(SCHEMA)
                        .compress(CompressionKind.ZSTD)
                        .stripeSize(STRIPE_BYTES)
                        .rowIndexStride(ROW_GROUP_ROWS)
                        .bufferSize(CHUNK_BYTES)
                        .enforceBufferSize()
                        .blockPadding(false)
                        .memory(OrcLibrary.fixedMemory());
        options.physicalWriter(
                new PhysicalFsWriter(
                        new FSDataOutputStream(
                                new BufferedOutputStream(new Unclosed(output), 1 << 16), null),
                        options,
                        new WriterEncryptionVariant[0]));
        return OrcFile.createWriter(ColumnFileSystem.path(path), options);
    }
}
