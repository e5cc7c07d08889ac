package io.stele.columnfile.orc;

import static java.util.Objects.requireNonNull;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The decoded values of one column of a file in consecutive rows, packed in memory as far as
 * packing makes reading no slower. With at most {@value #MAX_ENTRIES} different values, a row takes
 * one byte, the id of a dictionary entry. Other integers are stored as their distance to the
 * smallest. Immutable; callers must not write to the returned arrays.
 *
 * <p>A <i>value</i> is that of a row or, where rows have {@link #ids}, that of a dictionary entry.
 * Values are compared by their bits, so NaN and negative zero are preserved. Null is an entry of
 * its own. A dictionary has the values of all rows, also of rows that the reader does not need.
 */
public final class ColumnChunk {
    /** Most rows of a chunk: some hundred microseconds of work, and well in a core's own cache. */
    public static final int MAX_ROWS = 4096;

    /** Most entries of a dictionary: their ids are bytes. */
    static final int MAX_ENTRIES = 256;

    private static final int OBJECT_BYTES = 96; // the chunk and its arrays' heads, about

    /** The forms of values in memory. */
    public enum Form {
        /** {@link #longs}. */
        LONGS,
        /** {@link #doubles}. */
        DOUBLES,
        /** Numbers of 128 bits: {@link #longs} are the lower words, {@link #highs} the upper. */
        INT128,
        /** {@link #text} and {@link #starts}. */
        TEXT
    }

    private final Form form;
    private final int rowCount;
    private final byte @Nullable [] ids;
    private final int valueCount;
    private final boolean @Nullable [] nulls;
    private final PackedLongs longs; // empty where there are none
    private final long @Nullable [] highs; // null where all are the sign of the lower word
    private final double[] doubles;
    private final byte[] text;
    private final int[] starts;

    private ColumnChunk(
            Form form,
            Rows rows,
            PackedLongs longs,
            long @Nullable [] highs,
            double[] doubles,
            byte[] text,
            int[] starts) {
        this.form = requireNonNull(form, "form is null");
        this.rowCount = rows.rowCount;
        this.ids = rows.ids;
        this.valueCount = rows.valueCount;
        this.nulls = rows.nulls;
        this.longs = requireNonNull(longs, "longs is null");
        this.highs = highs;
        this.doubles = doubles;
        this.text = text;
        this.starts = starts;
    }

    /**
     * Which value each row has.
     *
     * @param ids of each row its value; null: values are those of rows
     * @param nulls of values; null: none is
     */
    record Rows(int rowCount, byte @Nullable [] ids, int valueCount, boolean @Nullable [] nulls) {}

    static ColumnChunk ofLongs(Rows rows, long[] values) {
        PackedLongs packed = PackedLongs.pack(values, rows.valueCount);
        return new ColumnChunk(
                Form.LONGS, rows, packed, null, new double[0], new byte[0], new int[0]);
    }

    /**
     * @param highs null where all are the sign of the lower word
     */
    static ColumnChunk ofInt128(Rows rows, long[] lows, long @Nullable [] highs) {
        PackedLongs packed = PackedLongs.pack(lows, rows.valueCount);
        return new ColumnChunk(
                Form.INT128, rows, packed, highs, new double[0], new byte[0], new int[0]);
    }

    static ColumnChunk ofDoubles(Rows rows, double[] values) {
        return new ColumnChunk(
                Form.DOUBLES, rows, PackedLongs.NONE, null, values, new byte[0], new int[0]);
    }

    static ColumnChunk ofText(Rows rows, byte[] text, int[] starts) {
        return new ColumnChunk(
                Form.TEXT, rows, PackedLongs.NONE, null, new double[0], text, starts);
    }

    public Form form() {
        return form;
    }

    public int rowCount() {
        return rowCount;
    }

    /** Of each row the number of its value, a byte without sign; empty: row and value are one. */
    public Optional<byte[]> ids() {
        return Optional.ofNullable(ids);
    }

    public int valueCount() {
        return valueCount;
    }

    /** Which values are null; empty: none is. */
    public Optional<boolean[]> nulls() {
        return Optional.ofNullable(nulls);
    }

    /**
     * The values of LONGS and INT128; where null without meaning.
     *
     * @param room for {@link #valueCount} longs, written unless they are there as they are
     */
    public long[] longs(long[] room) {
        return longs.unpack(room, valueCount);
    }

    /** The upper words of INT128; empty where all are the sign of the lower word. */
    public Optional<long[]> highs() {
        return Optional.ofNullable(highs);
    }

    /** The values of DOUBLES; where null without meaning. */
    public double[] doubles() {
        return doubles;
    }

    /** The bytes of all values of TEXT. */
    public byte[] text() {
        return text;
    }

    /** The start of each value of TEXT, and the end of the last one. */
    public int[] starts() {
        return starts;
    }

    /** About the memory that it takes. */
    public long retainedBytes() {
        return OBJECT_BYTES
                + (ids == null ? 0 : ids.length)
                + (nulls == null ? 0 : nulls.length)
                + longs.retainedBytes()
                + (highs == null ? 0 : (long) Long.BYTES * highs.length)
                + (long) Double.BYTES * doubles.length
                + text.length
                + (long) Integer.BYTES * starts.length;
    }
}
