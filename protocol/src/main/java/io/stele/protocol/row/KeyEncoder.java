package io.stele.protocol.row;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.PhysicalForm;
import io.stele.protocol.schema.TableSchema;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An order-preserving codec of keys of several columns: the unsigned order of the bytes
 * (Arrays.compareUnsigned) is the order of the columns, first column first. Immutable; the encoding
 * of the first k columns is a prefix of the encoding of all.
 *
 * <pre>
 * key       := component per column
 * component := value                       columns of a primary key and of a distribution key within it
 *            | 0x01 value | 0x02           columns that may be null; null sorts last
 * value     := fixed width: as {@link ValueCodec}
 *            | text, binary: as {@link ValueCodec}, each 0x00 written as 0x00 0xFF, then 0x00 0x00
 * row id    := 8 bytes, big-endian, sign bit flipped       key of tables without a primary key
 * </pre>
 */
public final class KeyEncoder {
    /** 64 KiB: a block and an index must hold several keys. */
    public static final int MAX_KEY_BYTES = 64 << 10;

    private static final byte PRESENT = 1;
    private static final byte NULL = 2;
    private static final byte ESCAPE = (byte) 0xFF;

    private final List<ColumnSchema> columns;
    private final int[] indexes;
    private final ValueCodec[] codecs;

    /** The layouts of rows of one key column each, by which Java values are encoded. */
    private final RowLayout[] layouts;

    private final boolean nullMarkers;

    private KeyEncoder(TableSchema schema, List<ColumnSchema> columns, boolean nullMarkers) {
        this(schema.columns(), columns, nullMarkers);
    }

    private KeyEncoder(
            List<ColumnSchema> rowColumns, List<ColumnSchema> columns, boolean nullMarkers) {
        this.columns = columns;
        this.nullMarkers = nullMarkers;
        this.indexes = new int[columns.size()];
        this.codecs = new ValueCodec[columns.size()];
        this.layouts = new RowLayout[columns.size()];
        for (int i = 0; i < codecs.length; i++) {
            indexes[i] = indexOf(rowColumns, columns.get(i).id());
            codecs[i] = ValueCodec.of(columns.get(i).type());
            layouts[i] = RowLayout.of(List.of(columns.get(i)));
        }
    }

    /**
     * A codec of a table's primary keys; throws INVALID_ARGUMENT for a table without a primary key,
     * whose keys are {@link #rowIdKey}.
     */
    public static KeyEncoder forPrimaryKey(TableSchema schema) {
        if (!schema.hasPrimaryKey()) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected a table with a primary key, found "
                            + schema.qualifiedName()
                            + ", which has none");
        }
        return new KeyEncoder(schema, schema.primaryKeyColumns(), false);
    }

    /**
     * A codec of primary keys of rows that have only some columns of the table, including the
     * primary key.
     */
    static KeyEncoder forPrimaryKey(TableSchema schema, List<ColumnSchema> rowColumns) {
        return new KeyEncoder(rowColumns, schema.primaryKeyColumns(), false);
    }

    private static int indexOf(List<ColumnSchema> columns, int columnId) {
        for (int i = 0; i < columns.size(); i++) {
            if (columns.get(i).id() == columnId) {
                return i;
            }
        }
        throw new SteleException(
                ErrorCode.COLUMN_NOT_FOUND, "Expected a column of the row, found id " + columnId);
    }

    /**
     * An encoder of the key that {@link io.stele.protocol.schema.ShardRouter} hashes, for a table
     * with a distribution or primary key.
     */
    public static KeyEncoder forDistribution(TableSchema schema) {
        if (schema.distributionColumns().isEmpty()) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected a table with a distribution key, found "
                            + schema.qualifiedName()
                            + ", which has none");
        }
        return new KeyEncoder(schema, schema.distributionColumns(), !schema.hasPrimaryKey());
    }

    /**
     * A codec of sort keys, partitions and index keys: any orderable columns, each with a marker
     * for null.
     */
    public static KeyEncoder forColumns(TableSchema schema, List<Integer> columnIds) {
        return new KeyEncoder(schema, schema.columns(columnIds), true);
    }

    /** A codec of any orderable columns, for rows that have only some columns of the table. */
    static KeyEncoder forColumns(List<ColumnSchema> rowColumns, List<ColumnSchema> columns) {
        return new KeyEncoder(rowColumns, columns, true);
    }

    /** The columns, in key order. */
    public List<ColumnSchema> columns() {
        return columns;
    }

    /** The key of a row of the whole schema. */
    public byte[] encode(BinaryRow row) {
        GrowingBytes target = GrowingBytes.forKey();
        encode(row, target);
        return target.toByteArray();
    }

    /**
     * Appends the key of a row of the whole schema; allocates nothing.
     *
     * @throws SteleException NULL_KEY or KEY_TOO_LARGE
     */
    public void encode(BinaryRow row, GrowingBytes target) {
        for (int i = 0; i < indexes.length; i++) {
            component(i, row, indexes[i], target);
        }
    }

    /**
     * The key of Java values of the classes of {@link Rows}, one for each key column, or of the
     * first columns (a prefix).
     */
    public byte[] encodeObjects(List<? extends @Nullable Object> values) {
        if (values.size() > columns.size()) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected at most " + columns.size() + " key values, found " + values.size());
        }
        GrowingBytes target = GrowingBytes.forKey();
        for (int i = 0; i < values.size(); i++) {
            RowLayout layout = layouts[i];
            RowEncoder encoder = new RowEncoder(layout);
            Object value = values.get(i);
            if (value != null) {
                Rows.set(encoder, 0, value, columns.get(i).name());
            }
            byte[] row = encoder.finishToArray();
            component(i, new BinaryRow(layout).wrap(row), 0, target);
        }
        return target.toByteArray();
    }

    /** The Java values of a key. */
    public List<@Nullable Object> decode(byte[] key) {
        List<@Nullable Object> values = new ArrayList<>(columns.size());
        int at = 0;
        for (int i = 0; i < codecs.length; i++) {
            int end = componentEnd(i, key, at, key.length);
            values.add(decodeComponent(i, key, at, end));
            at = end;
        }
        checkEnd(at, key.length);
        return values;
    }

    /** The parts of a key in {@link ValueCodec} forms; absent for null. */
    public List<Optional<byte[]>> split(byte[] key) {
        List<Optional<byte[]>> parts = new ArrayList<>(columns.size());
        int at = 0;
        for (int i = 0; i < codecs.length; i++) {
            int end = componentEnd(i, key, at, key.length);
            parts.add(Optional.ofNullable(valueOf(i, key, at, end)));
            at = end;
        }
        checkEnd(at, key.length);
        return parts;
    }

    /**
     * The key of parts in {@link ValueCodec} forms, absent for null: the inverse of {@link #split}.
     */
    public byte[] join(List<Optional<byte[]>> parts) {
        if (parts.size() != columns.size()) {
            throw new IllegalArgumentException(
                    "Expected " + columns.size() + " parts, found " + parts.size());
        }
        return joinPrefix(parts);
    }

    /**
     * The beginning of all keys with the parts of the first columns, as {@link #join} has them.
     *
     * @throws SteleException KEY_TOO_LARGE
     */
    public byte[] joinPrefix(List<Optional<byte[]>> parts) {
        GrowingBytes target = GrowingBytes.forKey();
        for (int i = 0; i < parts.size(); i++) {
            if (parts.get(i).isEmpty()) {
                if (!nullMarkers) {
                    throw new IllegalArgumentException(
                            "Expected a value of key column '%s', found none"
                                    .formatted(columns.get(i).name()));
                }
                marker(NULL, target);
                continue;
            }
            if (nullMarkers) {
                marker(PRESENT, target);
            }
            byte[] value = parts.get(i).get();
            int start = target.length;
            target.append(value, 0, value.length);
            if (codecs[i].layout().form().isVariable()) {
                terminate(target, start);
            }
        }
        return target.toByteArray();
    }

    /**
     * Checks that bytes are a key of these columns; throws CORRUPT_DATA or KEY_TOO_LARGE if not.
     */
    public void validate(byte[] bytes, int offset, int length) {
        if (offset < 0 || length < 0 || offset > bytes.length - length) {
            throw new IllegalArgumentException(
                    "Expected a range within "
                            + bytes.length
                            + " bytes, found "
                            + length
                            + " bytes at "
                            + offset);
        }
        if (length > MAX_KEY_BYTES) {
            throw new SteleException(
                    ErrorCode.KEY_TOO_LARGE,
                    "Expected a key of at most " + MAX_KEY_BYTES + " bytes, found " + length);
        }
        int at = offset;
        int end = offset + length;
        for (int i = 0; i < codecs.length; i++) {
            at = componentEnd(i, bytes, at, end);
        }
        checkEnd(at - offset, length);
    }

    /**
     * The length of the key of these columns that starts at {@code offset}; bytes after it are
     * ignored. Throws CORRUPT_DATA if it does not end by {@code limit}.
     */
    public int length(byte[] bytes, int offset, int limit) {
        int at = offset;
        for (int i = 0; i < codecs.length; i++) {
            at = componentEnd(i, bytes, at, limit);
        }
        return at - offset;
    }

    /** The key of a row of a table without a primary key. */
    public static byte[] rowIdKey(long rowId) {
        byte[] key = new byte[8];
        GrowingBytes.LONGS_BE.set(key, 0, rowId ^ Long.MIN_VALUE);
        return key;
    }

    /** The inverse of {@link #rowIdKey}. */
    public static long rowId(byte[] key, int offset, int length) {
        if (length != 8) {
            throw new SteleException(
                    ErrorCode.CORRUPT_DATA,
                    "Expected a row id key of 8 bytes, found " + length + " bytes");
        }
        return (long) GrowingBytes.LONGS_BE.get(key, offset) ^ Long.MIN_VALUE;
    }

    /**
     * The end of a component that starts at {@code from}; throws CORRUPT_DATA if it does not end by
     * {@code limit}.
     */
    int componentEnd(int component, byte[] key, int from, int limit) {
        int at = from;
        if (nullMarkers) {
            if (at >= limit || (key[at] != PRESENT && key[at] != NULL)) {
                throw corrupt(component, "a null marker", at);
            }
            if (key[at++] == NULL) {
                return at;
            }
        }
        PhysicalForm form = codecs[component].layout().form();
        if (!form.isVariable()) {
            if (form.width() > limit - at) {
                throw corrupt(component, form.width() + " bytes", at);
            }
            return at + form.width();
        }
        while (at < limit) {
            if (key[at++] == 0) {
                if (at == limit || (key[at] != 0 && key[at] != ESCAPE)) {
                    throw corrupt(component, "an escaped zero or an end", at);
                }
                if (key[at++] == 0) {
                    return at;
                }
            }
        }
        throw corrupt(component, "an end", at);
    }

    private void component(int component, BinaryValues row, int index, GrowingBytes target) {
        if (row.isNull(index)) {
            if (!nullMarkers) {
                throw new SteleException(
                        ErrorCode.NULL_KEY,
                        "Expected a value in key column '"
                                + columns.get(component).name()
                                + "', found null");
            }
            marker(NULL, target);
            return;
        }
        if (nullMarkers) {
            marker(PRESENT, target);
        }
        int start = target.length;
        codecs[component].append(row, index, target);
        if (codecs[component].layout().form().isVariable()) {
            terminate(target, start);
        }
    }

    private static void marker(byte marker, GrowingBytes target) {
        int at = target.reserve(1);
        target.array[at] = marker;
    }

    /** Escapes the zeros written since {@code start} and writes the terminator. */
    private static void terminate(GrowingBytes target, int start) {
        int zeros = 0;
        int end = target.length;
        byte[] array = target.array;
        for (int i = start; i < end; i++) {
            if (array[i] == 0) {
                zeros++;
            }
        }
        target.reserve(zeros + 2);
        array = target.array;
        int to = end + zeros;
        array[to] = 0;
        array[to + 1] = 0;
        for (int from = end - 1; to > from + 1; from--) {
            byte value = array[from];
            if (value == 0) {
                array[--to] = ESCAPE;
            }
            array[--to] = value;
        }
    }

    private @Nullable Object decodeComponent(int component, byte[] key, int from, int end) {
        byte[] value = valueOf(component, key, from, end);
        return value == null ? null : codecs[component].decode(value);
    }

    /** The component without marker, escapes and terminator; null for null. */
    private byte @Nullable [] valueOf(int component, byte[] key, int from, int end) {
        int start = from;
        if (nullMarkers && key[start++] == NULL) {
            return null;
        }
        if (!codecs[component].layout().form().isVariable()) {
            return Arrays.copyOfRange(key, start, end);
        }
        byte[] value = new byte[end - start - 2];
        int length = 0;
        for (int at = start; at < end - 2; at++) {
            value[length++] = key[at];
            if (key[at] == 0) {
                at++;
            }
        }
        return Arrays.copyOf(value, length);
    }

    private static void checkEnd(int found, int length) {
        if (found != length) {
            throw new SteleException(
                    ErrorCode.CORRUPT_DATA,
                    "Expected a key of " + found + " bytes, found " + length + " bytes");
        }
    }

    private SteleException corrupt(int component, String expected, int at) {
        return new SteleException(
                ErrorCode.CORRUPT_DATA,
                "Expected "
                        + expected
                        + " of key column '"
                        + columns.get(component).name()
                        + "' at byte "
                        + at
                        + ", found none");
    }
}
