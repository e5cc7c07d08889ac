package io.stele.protocol.row;

import static io.stele.protocol.row.GrowingBytes.INTS;
import static io.stele.protocol.row.GrowingBytes.LONGS;
import static io.stele.protocol.row.GrowingBytes.LONGS_BE;
import static io.stele.protocol.row.GrowingBytes.SHORTS;

import io.stele.protocol.schema.PhysicalForm;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A reusable view of encoded values: the columns of a {@link BinaryRow} or the elements of a {@link
 * BinaryArray}. Access is O(1) and copies nothing. Confined to one thread.
 *
 * <p>The bytes must be valid (see {@link RowLayout#validate}). A null value reads as zero or as no
 * bytes. An accessor for another form than the value's throws IllegalArgumentException.
 */
public abstract sealed class BinaryValues permits BinaryRow, BinaryArray {
    private static final byte[] EMPTY = new byte[0];

    byte[] bytes = EMPTY;
    int bitmap;
    int valuesStart;

    /** Number of values. */
    public abstract int count();

    /** The layout of the value at a position. */
    public abstract ValueLayout layout(int index);

    abstract PhysicalForm form(int index);

    /** The width of an integer-like value in bytes; 0 for other forms. */
    abstract int longWidth(int index);

    /** Position of the slot in {@link #bytes}. */
    abstract int slot(int index);

    /** The start of the value's bytes, counted from the start of the values. */
    abstract int start(int index);

    public final boolean isNull(int index) {
        return (bytes[bitmap + (index >> 3)] & 1 << (index & 7)) != 0;
    }

    public final boolean booleanAt(int index) {
        check(index, PhysicalForm.BOOLEAN);
        return bytes[slot(index)] != 0;
    }

    /**
     * The value as a long: integers of every width, dates (days), times (nano- or picoseconds),
     * timestamps of 64 bits (micro- or nanoseconds), unscaled decimals of up to 18 digits.
     */
    public final long longAt(int index) {
        int slot = slot(index);
        return switch (longWidth(index)) {
            case 8 -> (long) LONGS.get(bytes, slot);
            case 4 -> (int) INTS.get(bytes, slot);
            case 2 -> (short) SHORTS.get(bytes, slot);
            case 1 -> bytes[slot];
            default -> throw wrongForm(index, "an integer");
        };
    }

    public final float floatAt(int index) {
        check(index, PhysicalForm.FLOAT32);
        return Float.intBitsToFloat((int) INTS.get(bytes, slot(index)));
    }

    public final double doubleAt(int index) {
        check(index, PhysicalForm.FLOAT64);
        return Double.longBitsToDouble((long) LONGS.get(bytes, slot(index)));
    }

    /** The upper 64 bits of a long decimal, wide timestamp or UUID. */
    public final long highAt(int index) {
        check16(index);
        return (long) LONGS_BE.get(bytes, slot(index));
    }

    /** The lower 64 bits of a long decimal, wide timestamp or UUID. */
    public final long lowAt(int index) {
        check16(index);
        return (long) LONGS_BE.get(bytes, slot(index) + 8);
    }

    /** The array to which {@link #bytesOffset} refers. */
    public final byte[] array() {
        return bytes;
    }

    /**
     * The start of a value in {@link #array()}: of text, binary, nested structures, and the 16
     * bytes of decimals and UUIDs.
     */
    public final int bytesOffset(int index) {
        PhysicalForm form = form(index);
        if (form.isVariable()) {
            return valuesStart + start(index);
        }
        check16(index);
        return slot(index);
    }

    /** Length of the value at {@link #bytesOffset}. */
    public final int bytesLength(int index) {
        PhysicalForm form = form(index);
        if (form.isVariable()) {
            return (int) INTS.get(bytes, slot(index)) - start(index);
        }
        check16(index);
        return 16;
    }

    /** A copy of the value at {@link #bytesOffset}. */
    public final byte[] bytesAt(int index) {
        int offset = bytesOffset(index);
        return Arrays.copyOfRange(bytes, offset, offset + bytesLength(index));
    }

    /** The value as text; allocates. */
    public final String stringAt(int index) {
        check(index, PhysicalForm.BYTES);
        return new String(bytes, bytesOffset(index), bytesLength(index), StandardCharsets.UTF_8);
    }

    /** Points a view at a nested row; the view must have the layout {@code layout(index).row()}. */
    public final BinaryRow rowAt(int index, BinaryRow view) {
        check(index, PhysicalForm.ROW);
        return view.wrap(bytes, bytesOffset(index), bytesLength(index));
    }

    public final BinaryRow rowAt(int index) {
        return rowAt(index, new BinaryRow(layout(index).row()));
    }

    /** Points a view at an array; the view must have the layout {@code layout(index).element()}. */
    public final BinaryArray arrayAt(int index, BinaryArray view) {
        check(index, PhysicalForm.ARRAY);
        return view.wrap(bytes, bytesOffset(index));
    }

    public final BinaryArray arrayAt(int index) {
        return arrayAt(index, new BinaryArray(layout(index).element()));
    }

    /** Points a view at a map; the view must have the layout {@code layout(index)}. */
    public final BinaryMap mapAt(int index, BinaryMap view) {
        check(index, PhysicalForm.MAP);
        return view.wrap(bytes, bytesOffset(index));
    }

    public final BinaryMap mapAt(int index) {
        return mapAt(index, new BinaryMap(layout(index)));
    }

    private void check(int index, PhysicalForm expected) {
        if (form(index) != expected) {
            throw wrongForm(index, expected.toString());
        }
    }

    private void check16(int index) {
        PhysicalForm form = form(index);
        if (form != PhysicalForm.INT128 && form != PhysicalForm.FIXED16) {
            throw wrongForm(index, "16 bytes or more");
        }
    }

    private IllegalArgumentException wrongForm(int index, String expected) {
        return new IllegalArgumentException(
                "Expected a value of form "
                        + expected
                        + " at position "
                        + index
                        + ", found type "
                        + layout(index).type());
    }
}
