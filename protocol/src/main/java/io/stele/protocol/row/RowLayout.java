package io.stele.protocol.row;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.PhysicalForm;
import io.stele.protocol.schema.RowType;
import java.util.Arrays;
import java.util.List;

/**
 * The binary row format for one list of columns: the position of each column in a row's bytes, and
 * the validation of rows. Immutable; created once per schema version.
 *
 * <pre>
 * row    := nulls | slots | values                     all numbers little-endian unless said otherwise
 * nulls  := ceil(columns / 8) bytes; bit (i % 8) of byte i / 8 is 1 when column i is null; unused bits are 0
 * slots  := one per column, in column order, without padding
 *           boolean, tinyint 1 | smallint 2 | integer, date, real 4 | bigint, double, time, timestamp, decimal to 18 digits 8
 *           decimal from 19 digits, wide timestamp, uuid 16, big-endian | any other type 4: end of its value, counted from the start of values
 *           a null column's slot is 0, or the end of the value before it
 * values := the values of other types, in column order, end to end
 *           varchar, char, json: UTF-8 | varbinary: bytes | array, map, row: see below
 * array  := count 4 | nulls of count elements | count slots | values        as a row whose columns are the elements
 * map    := length of keys 4 | keys: array | values: array                   equal counts, no null key
 * </pre>
 *
 * <p>One value has one encoding, so equal rows are equal bytes.
 */
public final class RowLayout {
    /** 16 MiB: several rows must fit into a batch, a block and a frame. */
    public static final int MAX_ROW_BYTES = 16 << 20;

    /**
     * The greatest row in files. Widening makes a row of {@link #MAX_ROW_BYTES} up to this large
     * (tinyint to bigint in an array); initial values of later columns also enlarge it. Readers
     * accept it; writers of new rows refuse more than {@link #MAX_ROW_BYTES}.
     */
    public static final int MAX_STORED_ROW_BYTES = 8 * MAX_ROW_BYTES;

    private final List<ColumnSchema> columns;
    private final String[] names;
    private final boolean[] nullable;
    private final ValueLayout[] values;
    private final int fixedSize;

    // Package-private arrays, because every access to a row reads them.
    final PhysicalForm[] forms;
    final byte[] longWidths;
    final int[] offsets;
    final int[] previousEnds;
    final int[] variableColumns;
    final int[] variableOrdinals;
    final byte[] notNullMask;

    private RowLayout(
            List<ColumnSchema> columns, String[] names, DataType[] types, boolean[] nullable) {
        int count = names.length;
        this.columns = columns;
        this.names = names;
        this.nullable = nullable;
        this.values = new ValueLayout[count];
        this.forms = new PhysicalForm[count];
        this.longWidths = new byte[count];
        this.offsets = new int[count];
        this.previousEnds = new int[count];
        this.variableOrdinals = new int[count];
        this.notNullMask = new byte[bitmapBytes(count)];
        int[] variable = new int[count];
        int variableCount = 0;
        int offset = notNullMask.length;
        int previousEnd = -1;
        for (int i = 0; i < count; i++) {
            ValueLayout value = new ValueLayout(types[i]);
            values[i] = value;
            forms[i] = value.form();
            longWidths[i] = (byte) (value.form().isLong() ? value.form().width() : 0);
            offsets[i] = offset;
            previousEnds[i] = previousEnd;
            variableOrdinals[i] = -1;
            if (value.form().isVariable()) {
                variableOrdinals[i] = variableCount;
                variable[variableCount++] = i;
                previousEnd = offset;
            }
            if (!nullable[i]) {
                notNullMask[i >> 3] |= (byte) (1 << (i & 7));
            }
            offset += value.slotWidth();
        }
        this.variableColumns = Arrays.copyOf(variable, variableCount);
        this.fixedSize = offset;
    }

    /** The layout of rows with these columns. */
    public static RowLayout of(List<ColumnSchema> columns) {
        int count = columns.size();
        String[] names = new String[count];
        DataType[] types = new DataType[count];
        boolean[] nullable = new boolean[count];
        for (int i = 0; i < count; i++) {
            names[i] = columns.get(i).name();
            types[i] = columns.get(i).type();
            nullable[i] = columns.get(i).nullable();
        }
        return new RowLayout(List.copyOf(columns), names, types, nullable);
    }

    /** The layout of values of a row type: all fields may be null. */
    static RowLayout ofFields(RowType type) {
        int count = type.fields().size();
        String[] names = new String[count];
        DataType[] types = new DataType[count];
        boolean[] nullable = new boolean[count];
        for (int i = 0; i < count; i++) {
            names[i] = type.fields().get(i).name().orElse("field" + i);
            types[i] = type.fields().get(i).type();
            nullable[i] = true;
        }
        return new RowLayout(List.of(), names, types, nullable);
    }

    static int bitmapBytes(int count) {
        return (count + 7) >> 3;
    }

    /** Number of columns. */
    public int count() {
        return names.length;
    }

    /** The columns; empty for the layout of a nested row. */
    public List<ColumnSchema> columns() {
        return columns;
    }

    public String name(int index) {
        return names[index];
    }

    public DataType type(int index) {
        return values[index].type();
    }

    public boolean nullable(int index) {
        return nullable[index];
    }

    public ValueLayout value(int index) {
        return values[index];
    }

    /** The position of the column with an id; throws COLUMN_NOT_FOUND if there is none. */
    public int indexOf(int columnId) {
        for (int i = 0; i < columns.size(); i++) {
            if (columns.get(i).id() == columnId) {
                return i;
            }
        }
        throw new SteleException(
                ErrorCode.COLUMN_NOT_FOUND, "Expected a column of the row, found id " + columnId);
    }

    /** The bytes of a row before its values, which are also the size of the smallest row. */
    public int fixedSize() {
        return fixedSize;
    }

    /**
     * Checks that bytes from an untrusted source are a row of this layout: structure, bounds, NOT
     * NULL, and the range of every value (text is UTF-8 and not too long, decimals and times in
     * range).
     *
     * @throws SteleException ROW_TOO_LARGE, CORRUPT_DATA, NULL_KEY or TYPE_MISMATCH, naming the
     *     column
     */
    public void validate(byte[] bytes, int offset, int length) {
        RowValidator.validate(this, bytes, offset, length, true);
    }

    /** Checks a row as {@link #validate} does, but not the content of texts. */
    public void validateStructure(byte[] bytes, int offset, int length) {
        RowValidator.validate(this, bytes, offset, length, false);
    }
}
