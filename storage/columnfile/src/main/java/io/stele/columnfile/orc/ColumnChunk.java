package io.stele.columnfile.orc;

import static java.util.Objects.requireNonNull;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The decoded values of one column of a column file in consecutive rows, an entry of the
 * decoded-column cache. It is packed as far as packing does not slow reading. With at most {@value
 * #MAX_ENTRIES} different values, a row takes one byte, the id of a dictionary entry. Other
 * integers are stored as their distance to the smallest. Immutable; callers must not write to the
 * returned arrays.
 *
 * <p>A <i>value</i> belongs to a row or, if rows have {@link #ids}, to a dictionary entry. Values
 * are compared by their bits, so NaN and negative zero are preserved. Null is an entry of its own.
 * A dictionary has the values of all rows, also of rows that the reader does not need.
 */
public final class ColumnChunk {
    /**
     * The most rows of a chunk: some hundred microseconds of work, and data that fits in a core's
     * own cache.
     */
    public static final int MAX_ROWS = 4096;

    /** The most entries of a dictionary: their ids are bytes. */
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
     * The assignment of values to rows.
     *
     * @param ids for each row, the number of its value; null: row {@code i} has value {@code i}
     * @param nulls for each value, whether it is null; null: no value is
     */
    record Rows(int rowCount, byte @Nullable [] ids, int valueCount, boolean @Nullable [] nulls) {}

    static ColumnChunk ofLongs(Rows rows, long[] values) {
        PackedLongs packed = PackedLongs.pack(values, rows.valueCount);
        return new ColumnChunk(
                Form.LONGS, rows, packed, null, new double[0], new byte[0], new int[0]);
    }

    /**
     * @param highs the upper words; null if each is the sign of its lower word
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

    /**
     * For each row the number of its value, an unsigned byte; empty: row {@code i} has value {@code
     * i}.
     */
    public Optional<byte[]> ids() {
        return Optional.ofNullable(ids);
    }

    public int valueCount() {
        return valueCount;
    }

    /** For each value, whether it is null; empty: no value is null. */
    public Optional<boolean[]> nulls() {
        return Optional.ofNullable(nulls);
    }

    /**
     * The values of LONGS, or the lower words of INT128; undefined for nulls.
     *
     * @param room for {@link #valueCount} longs; written unless the values are stored as longs
     */
    public long[] longs(long[] room) {
        return longs.unpack(room, valueCount);
    }

    /** The upper words of INT128; empty if each is the sign of its lower word. */
    public Optional<long[]> highs() {
        return Optional.ofNullable(highs);
    }

    /** The values of DOUBLES; undefined for nulls. */
    public double[] doubles() {
        return doubles;
    }

    /** The bytes of all values of TEXT. */
    public byte[] text() {
        return text;
    }

    /** The start of each value of TEXT in {@link #text}, and the end of the last value. */
    public int[] starts() {
        return starts;
    }

    /** The approximate memory that it holds, in bytes. */
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
