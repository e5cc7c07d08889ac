package io.stele.engine.manifest.orc;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.stele.columnfile.bytes.ByteSink;
import io.stele.engine.manifest.FileEntry;
import io.stele.engine.manifest.FileEntryCodec;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.predicate.ColumnStats;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.hadoop.hive.ql.exec.vector.BytesColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.LongColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.VectorizedRowBatch;
import org.apache.orc.TypeDescription;

/**
 * The codec between manifest entries and the ORC rows in which manifest bases store them.
 *
 * <pre>
 * position int         place in the manifest's order
 * table_id bigint
 * partition string     encoded values, each byte as the character of its number; null: none
 * level int
 * schema_version int
 * min_key string       the smallest of the stripe, as partition; null: not known of some file
 * max_key string       the greatest of the stripe
 * min_N, max_N string  the same of each column N that some file has bounds of; null: not known of
 *                      some file, or there may be NaN
 * packed_entry binary  {@link FileEntryCodec}
 * </pre>
 *
 * Only position and packed_entry are read. The others are there for the statistics of stripes, by
 * which stripes are picked. Older bases have JSON instead of packed_entry ({@link JsonEntries}).
 * Immutable and thread-safe.
 */
final class ManifestRows {
    static final String TABLE_ID = "table_id";
    static final String PARTITION = "partition";
    static final String LEVEL = "level";
    static final String SCHEMA_VERSION = "schema_version";
    static final String MIN_KEY = "min_key";
    static final String MAX_KEY = "max_key";

    private static final String POSITION = "position";
    private static final String PACKED_ENTRY = "packed_entry";
    private static final String MIN_PREFIX = "min_";
    private static final String MAX_PREFIX = "max_";

    /**
     * Bounds of further columns are in the entries only, since each column costs some 100 bytes per
     * stripe.
     */
    private static final int MAX_BOUNDED_COLUMNS = 32;

    private final TypeDescription schema;
    private final Map<String, Integer> indexes = new HashMap<>();
    private final SortedSet<Integer> bounded = new TreeSet<>(); // ids of columns
    private final boolean packed;
    private final JsonEntries json = new JsonEntries(this);
    private final int position; // of the column of positions
    private final int entry; // of the column of entries

    private ManifestRows(TypeDescription schema) {
        this.schema = schema;
        List<String> names = schema.getFieldNames();
        for (int i = 0; i < names.size(); i++) {
            indexes.put(names.get(i), i);
            if (names.get(i).startsWith(MIN_PREFIX) && !names.get(i).equals(MIN_KEY)) {
                bounded.add(Integer.parseInt(names.get(i).substring(MIN_PREFIX.length())));
            }
        }
        this.packed = has(PACKED_ENTRY);
        this.position = index(POSITION);
        this.entry = index(packed ? PACKED_ENTRY : JsonEntries.ENTRY);
    }

    /** The rows of files that are to be written. */
    static ManifestRows of(List<FileEntry> files) {
        SortedSet<Integer> columns = new TreeSet<>();
        for (FileEntry file : files) {
            file.columnStats()
                    .forEach(
                            (id, stats) -> {
                                if (hasBounds(stats)) {
                                    columns.add(id);
                                }
                            });
        }
        StringBuilder bounds = new StringBuilder();
        columns.stream()
                .limit(MAX_BOUNDED_COLUMNS)
                .forEach(
                        id ->
                                bounds.append(minOf(id))
                                        .append(":string,")
                                        .append(maxOf(id))
                                        .append(":string,"));
        return new ManifestRows(
                TypeDescription.fromString(
                        "struct<position:int,table_id:bigint,partition:string,level:int,"
                                + "schema_version:int,min_key:string,max_key:string,"
                                + bounds
                                + PACKED_ENTRY
                                + ":binary>"));
    }

    /** The rows of a file with the given schema. */
    static ManifestRows of(TypeDescription schema) {
        return new ManifestRows(schema);
    }

    static String minOf(int columnId) {
        return MIN_PREFIX + columnId;
    }

    static String maxOf(int columnId) {
        return MAX_PREFIX + columnId;
    }

    /** Whether statistics have bounds that hold for every value; NaN is in no bounds. */
    private static boolean hasBounds(ColumnStats stats) {
        return !stats.hasNaN() && stats.min().isPresent() && stats.max().isPresent();
    }

    /** Bytes as text, one character for each, whose order in UTF-8 is the order of the bytes. */
    static String text(byte[] bytes) {
        return new String(bytes, ISO_8859_1);
    }

    TypeDescription schema() {
        return schema;
    }

    /** Whether entries are in binary. */
    boolean isPacked() {
        return packed;
    }

    boolean has(String column) {
        return indexes.containsKey(column);
    }

    /** The position of a column. */
    int index(String column) {
        Integer index = indexes.get(column);
        if (index == null) {
            throw new IllegalArgumentException(
                    "Expected one of the columns " + schema + ", found " + column);
        }
        return index;
    }

    /** Whether the bounds of a table column are columns here. */
    boolean isBounded(int columnId) {
        return bounded.contains(columnId);
    }

    /** The ids of table columns whose bounds are columns here. */
    SortedSet<Integer> bounded() {
        return Collections.unmodifiableSortedSet(bounded);
    }

    /** The columns to read, as the ORC library expects them. */
    boolean[] included(boolean sketches) {
        boolean[] included = new boolean[schema.getMaximumId() + 1]; // the root is the first
        if (packed) {
            included[0] = true;
            included[position + 1] = true;
            included[entry + 1] = true;
            return included;
        }
        Arrays.fill(included, true);
        if (has(JsonEntries.SKETCHES)) {
            included[index(JsonEntries.SKETCHES) + 1] = sketches;
        }
        return included;
    }

    /**
     * Fills a batch, which becomes a stripe.
     *
     * @param positions of the stripe's files among all files
     */
    void fill(VectorizedRowBatch batch, List<Integer> positions, List<FileEntry> files) {
        StripeBounds keys = new StripeBounds();
        Map<Integer, StripeBounds> columns = new TreeMap<>();
        bounded.forEach(id -> columns.put(id, new StripeBounds()));
        for (int at : positions) {
            FileEntry file = files.get(at);
            add(batch, at, file);
            file.minKey().ifPresent(min -> keys.add(min, file.maxKey().orElseThrow()));
            file.columnStats()
                    .forEach(
                            (id, stats) -> {
                                StripeBounds bounds = columns.get(id);
                                if (bounds != null && hasBounds(stats)) {
                                    bounds.add(
                                            stats.min().orElseThrow(), stats.max().orElseThrow());
                                }
                            });
        }
        keys.set(batch.cols[index(MIN_KEY)], batch.cols[index(MAX_KEY)], batch.size);
        columns.forEach(
                (id, bounds) ->
                        bounds.set(
                                batch.cols[index(minOf(id))],
                                batch.cols[index(maxOf(id))],
                                batch.size));
    }

    private void add(VectorizedRowBatch batch, int at, FileEntry file) {
        int row = batch.size++;
        setNumber(batch, POSITION, row, at);
        setNumber(batch, TABLE_ID, row, file.tableId().value());
        set(
                (BytesColumnVector) batch.cols[index(PARTITION)],
                row,
                file.partition().map(ManifestRows::text).map(it -> it.getBytes(UTF_8)));
        setNumber(batch, LEVEL, row, file.level());
        setNumber(batch, SCHEMA_VERSION, row, file.schemaVersion());
        ByteSink sink = new ByteSink(256);
        FileEntryCodec.encode(file, sink);
        ((BytesColumnVector) batch.cols[entry]).setRef(row, sink.array(), 0, sink.size());
    }

    long position(VectorizedRowBatch batch, int row) {
        LongColumnVector vector = (LongColumnVector) batch.cols[position];
        return vector.vector[vector.isRepeating ? 0 : row];
    }

    /**
     * The entry of a row, with sketches if they are in the row and were read.
     *
     * @param firstRow of the batch
     * @param path of the base, for messages
     */
    FileEntry entry(VectorizedRowBatch batch, long firstRow, int row, boolean sketches, String path)
            throws IOException {
        if (!packed) {
            return json.decode(batch, row, sketches);
        }
        BytesColumnVector vector = (BytesColumnVector) batch.cols[entry];
        int at = vector.isRepeating ? 0 : row;
        if (!vector.noNulls && vector.isNull[at]) {
            throw new SteleException(
                    ErrorCode.CORRUPT_DATA,
                    "Expected an entry in row %d of %s, found none"
                            .formatted(firstRow + row, path));
        }
        return FileEntryCodec.decode(
                vector.vector[at], vector.start[at], vector.length[at], path, firstRow + row);
    }

    private void setNumber(VectorizedRowBatch batch, String column, int row, long value) {
        ((LongColumnVector) batch.cols[index(column)]).vector[row] = value;
    }

    static void set(BytesColumnVector vector, int row, Optional<byte[]> bytes) {
        if (bytes.isPresent()) {
            vector.setRef(row, bytes.get(), 0, bytes.get().length);
        } else {
            vector.noNulls = false;
            vector.isNull[row] = true;
        }
    }

    static Optional<ByteBuffer> bytes(BytesColumnVector vector, int row) {
        int at = vector.isRepeating ? 0 : row;
        return !vector.noNulls && vector.isNull[at]
                ? Optional.empty()
                : Optional.of(
                        ByteBuffer.wrap(vector.vector[at], vector.start[at], vector.length[at])
                                .slice());
    }
}
