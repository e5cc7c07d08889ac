package io.stele.engine.manifest.orc;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.stele.engine.manifest.FileEntry;
import io.stele.protocol.predicate.ColumnStats;
import io.stele.protocol.schema.SchemaJson;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
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
 * min_key string       as partition; null: not known
 * max_key string
 * min_N, max_N string  of each column N that some file has bounds of, as partition; null: not known,
 *                      or there may be NaN
 * entry binary         the JSON of the entry without its sketches, and without bounds that are
 *                      columns here
 * </pre>
 *
 * Older bases have neither schema_version nor bounds, and have the sketches as their last column.
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
    private static final String ENTRY = "entry";
    private static final String SKETCHES = "sketches";
    private static final String MIN_PREFIX = "min_";
    private static final String MAX_PREFIX = "max_";

    /**
     * Bounds of further columns are in the entries only, since each column costs some 100 bytes per
     * stripe.
     */
    private static final int MAX_BOUNDED_COLUMNS = 32;

    private static final ObjectMapper MAPPER = SchemaJson.mapper();

    private final TypeDescription schema;
    private final Map<String, Integer> indexes = new HashMap<>();
    private final SortedSet<Integer> bounded = new TreeSet<>(); // ids of columns

    private ManifestRows(TypeDescription schema) {
        this.schema = schema;
        List<String> names = schema.getFieldNames();
        for (int i = 0; i < names.size(); i++) {
            indexes.put(names.get(i), i);
            if (names.get(i).startsWith(MIN_PREFIX) && !names.get(i).equals(MIN_KEY)) {
                bounded.add(Integer.parseInt(names.get(i).substring(MIN_PREFIX.length())));
            }
        }
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
                                + "entry:binary>"));
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

    /** The columns to read, as the ORC library expects them. */
    boolean[] included(boolean sketches) {
        boolean[] included = new boolean[schema.getMaximumId() + 1];
        Arrays.fill(included, true);
        if (has(SKETCHES)) {
            included[index(SKETCHES) + 1] = sketches; // the root is the first
        }
        return included;
    }

    void add(VectorizedRowBatch batch, int position, FileEntry file) throws IOException {
        int row = batch.size++;
        setNumber(batch, POSITION, row, position);
        setNumber(batch, TABLE_ID, row, file.tableId().value());
        setText(batch, PARTITION, row, file.partition());
        setNumber(batch, LEVEL, row, file.level());
        setNumber(batch, SCHEMA_VERSION, row, file.schemaVersion());
        setText(batch, MIN_KEY, row, file.minKey());
        setText(batch, MAX_KEY, row, file.maxKey());
        Map<Integer, ColumnStats> others = new TreeMap<>(file.columnStats());
        for (int id : bounded) {
            Optional<ColumnStats> stats =
                    Optional.ofNullable(others.get(id)).filter(ManifestRows::hasBounds);
            setText(batch, minOf(id), row, stats.flatMap(ColumnStats::min));
            setText(batch, maxOf(id), row, stats.flatMap(ColumnStats::max));
            stats.ifPresent(
                    known ->
                            others.put(
                                    id,
                                    new ColumnStats(
                                            Optional.empty(),
                                            Optional.empty(),
                                            known.nullCount(),
                                            false)));
        }
        FileEntry rest = file.withSketches(Map.of()).withColumnStats(others);
        set(batch, ENTRY, row, Optional.of(MAPPER.writeValueAsBytes(rest)));
    }

    long position(VectorizedRowBatch batch, int row) {
        LongColumnVector vector = (LongColumnVector) batch.cols[index(POSITION)];
        return vector.vector[vector.isRepeating ? 0 : row];
    }

    /** The entry of a row, with sketches if they are in the row and were read. */
    FileEntry entry(VectorizedRowBatch batch, int row, boolean sketches) throws IOException {
        ByteBuffer json = bytes(batch, ENTRY, row).orElseThrow();
        FileEntry file =
                MAPPER.readValue(
                        json.array(),
                        json.arrayOffset() + json.position(),
                        json.remaining(),
                        FileEntry.class);
        if (!bounded.isEmpty()) {
            Map<Integer, ColumnStats> stats = new TreeMap<>(file.columnStats());
            for (int id : bounded) {
                Optional<byte[]> min = text(batch, minOf(id), row);
                Optional<byte[]> max = text(batch, maxOf(id), row);
                if (min.isPresent()) {
                    stats.computeIfPresent(
                            id, (same, rest) -> new ColumnStats(min, max, rest.nullCount(), false));
                }
            }
            file = file.withColumnStats(stats);
        }
        if (sketches && has(SKETCHES)) {
            Optional<ByteBuffer> stored = bytes(batch, SKETCHES, row);
            return stored.isPresent() ? file.withSketches(SketchBytes.decode(stored.get())) : file;
        }
        return file;
    }

    private void setNumber(VectorizedRowBatch batch, String column, int row, long value) {
        ((LongColumnVector) batch.cols[index(column)]).vector[row] = value;
    }

    private void setText(VectorizedRowBatch batch, String column, int row, Optional<byte[]> bytes) {
        set(batch, column, row, bytes.map(ManifestRows::text).map(it -> it.getBytes(UTF_8)));
    }

    private void set(VectorizedRowBatch batch, String column, int row, Optional<byte[]> bytes) {
        set((BytesColumnVector) batch.cols[index(column)], row, bytes);
    }

    static void set(BytesColumnVector vector, int row, Optional<byte[]> bytes) {
        if (bytes.isPresent()) {
            vector.setRef(row, bytes.get(), 0, bytes.get().length);
        } else {
            vector.noNulls = false;
            vector.isNull[row] = true;
        }
    }

    private Optional<byte[]> text(VectorizedRowBatch batch, String column, int row) {
        return bytes(batch, column, row)
                .map(
                        utf8 ->
                                new String(
                                                utf8.array(),
                                                utf8.arrayOffset() + utf8.position(),
                                                utf8.remaining(),
                                                UTF_8)
                                        .getBytes(ISO_8859_1));
    }

    private Optional<ByteBuffer> bytes(VectorizedRowBatch batch, String column, int row) {
        return bytes((BytesColumnVector) batch.cols[index(column)], row);
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
