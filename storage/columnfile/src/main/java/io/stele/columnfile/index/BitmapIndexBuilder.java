package io.stele.columnfile.index;

import io.stele.objectstore.ObjectStore;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.roaringbitmap.RoaringBitmap;

/**
 * A builder of the bitmap index of one new column file, which maps values of some columns to row
 * ordinals (the bitmap columns of Hologres). It gathers the bitmaps in memory.
 *
 * <p>{@link #write} stores the index as an SST file of its own:
 *
 * <pre>
 * key := column id 4, big-endian | 0x00                  the column is indexed; row: its type as text, UTF-8
 *      | column id 4, big-endian | 0x01 | value          value as {@code ValueCodec}; row: Roaring bitmap of ordinals
 *      | column id 4, big-endian | 0x02                  row: Roaring bitmap of the ordinals of nulls
 * </pre>
 *
 * <p>A column with too many or too long values has no entry; a scan then reads the file as if it
 * had no index. Confined to one thread.
 */
public final class BitmapIndexBuilder {
    /** With more values, each selects so few rows that statistics and key indexes are as good. */
    public static final int MAX_VALUES = 1 << 16;

    /** Longer values are seldom compared by equality. */
    public static final int MAX_VALUE_BYTES = 1 << 10;

    static final byte INDEXED = 0;
    static final byte VALUE = 1;
    static final byte NULL = 2;

    private static final long BYTES_PER_VALUE = 200;

    private final Map<Integer, Column> columns = new TreeMap<>();
    private long retainedBytes;

    /**
     * @param indexed the columns to index, of orderable types
     */
    public BitmapIndexBuilder(List<ColumnSchema> indexed) {
        indexed.forEach(column -> columns.put(column.id(), new Column(column.type())));
    }

    /**
     * Adds the value of row {@code ordinal}.
     *
     * @param ordinal at least the ordinal of the last call for the column
     */
    public void add(int columnId, byte[] bytes, int offset, int length, int ordinal) {
        Column column = columns.get(columnId);
        if (column == null) {
            return;
        }
        RoaringBitmap rows = column.values.get(column.probe.set(bytes, offset, length));
        if (rows == null) {
            if (column.values.size() == MAX_VALUES || length > MAX_VALUE_BYTES) {
                columns.remove(columnId);
                return;
            }
            rows = new RoaringBitmap();
            column.values.put(column.probe.copy(), rows);
            retainedBytes += BYTES_PER_VALUE + length;
        }
        rows.add(ordinal);
        retainedBytes += Short.BYTES;
    }

    /** Adds the null of row {@code ordinal}. */
    public void addNull(int columnId, int ordinal) {
        Column column = columns.get(columnId);
        if (column != null) {
            column.nulls.add(ordinal);
            retainedBytes += Short.BYTES;
        }
    }

    /** The approximate memory that this holds, in bytes. */
    public long retainedBytes() {
        return retainedBytes;
    }

    /**
     * Writes the index, durable and visible when the call returns.
     *
     * @return the size of the object in bytes; empty if no column is indexed: then nothing is
     *     written
     */
    public OptionalLong write(ObjectStore store, String path) throws IOException {
        if (columns.isEmpty()) {
            return OptionalLong.empty();
        }
        try (SstFileWriter file = SstFileWriter.create(store, path, BlockFileOptions.DEFAULT)) {
            for (Map.Entry<Integer, Column> entry : columns.entrySet()) {
                write(file, entry.getKey(), entry.getValue());
            }
            return OptionalLong.of(file.finish().sizeBytes());
        }
    }

    private static void write(SstFileWriter file, int columnId, Column column) throws IOException {
        file.add(key(columnId, INDEXED, new byte[0]), 0, typeText(column.type));
        List<Value> values = column.values.keySet().stream().sorted().toList();
        for (Value value : values) {
            RoaringBitmap rows = column.values.get(value);
            if (rows != null) {
                file.add(key(columnId, VALUE, value.bytes()), 0, serialized(rows));
            }
        }
        if (!column.nulls.isEmpty()) {
            file.add(key(columnId, NULL, new byte[0]), 0, serialized(column.nulls));
        }
    }

    static byte[] typeText(DataType type) {
        return type.text().getBytes(StandardCharsets.UTF_8);
    }

    static byte[] key(int columnId, byte kind, byte[] value) {
        byte[] key = new byte[Integer.BYTES + 1 + value.length];
        for (int i = 0; i < Integer.BYTES; i++) {
            key[i] = (byte) (columnId >>> (Byte.SIZE * (Integer.BYTES - 1 - i)));
        }
        key[Integer.BYTES] = kind;
        System.arraycopy(value, 0, key, Integer.BYTES + 1, value.length);
        return key;
    }

    private static byte[] serialized(RoaringBitmap rows) {
        rows.runOptimize();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(rows.serializedSizeInBytes());
        try {
            rows.serialize(new DataOutputStream(bytes));
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot write to memory", e);
        }
        return bytes.toByteArray();
    }

    /** The values of one column. */
    private static final class Column {
        private final DataType type;
        private final Map<Value, RoaringBitmap> values = new HashMap<>();
        private final RoaringBitmap nulls = new RoaringBitmap();
        private final Value probe = new Value(new byte[0], 0, 0);

        private Column(DataType type) {
            this.type = type;
        }
    }

    /** A range of bytes, compared as unsigned; mutable, but only the probe is ever changed. */
    private static final class Value implements Comparable<Value> {
        private byte[] array;
        private int offset;
        private int length;

        private Value(byte[] array, int offset, int length) {
            this.array = array;
            this.offset = offset;
            this.length = length;
        }

        private Value set(byte[] newArray, int newOffset, int newLength) {
            array = newArray;
            offset = newOffset;
            length = newLength;
            return this;
        }

        private Value copy() {
            return new Value(bytes(), 0, length);
        }

        private byte[] bytes() {
            return Arrays.copyOfRange(array, offset, offset + length);
        }

        @Override
        public int compareTo(Value other) {
            return Arrays.compareUnsigned(
                    array,
                    offset,
                    offset + length,
                    other.array,
                    other.offset,
                    other.offset + other.length);
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Value value && compareTo(value) == 0;
        }

        @Override
        public int hashCode() {
            int hash = 1;
            for (int i = offset; i < offset + length; i++) {
                hash = 31 * hash + array[i];
            }
            return hash;
        }
    }
}
