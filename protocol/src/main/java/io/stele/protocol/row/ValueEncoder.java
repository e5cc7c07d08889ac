package io.stele.protocol.row;

import static io.stele.protocol.row.GrowingBytes.INTS;
import static io.stele.protocol.row.GrowingBytes.LONGS;
import static io.stele.protocol.row.GrowingBytes.LONGS_BE;
import static io.stele.protocol.row.GrowingBytes.SHORTS;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.schema.PhysicalForm;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * An encoder of the values of a binary row or array. Every value is null until it is set. Confined
 * to one thread; allocates nothing once its buffer and nested encoders exist.
 *
 * <p>Fixed-width values may be set in any order and repeatedly. Values of variable length (text,
 * binary, nested) must be set once, in ascending order of position. A nested value must be finished
 * before its parent is written to again.
 */
public abstract sealed class ValueEncoder permits RowEncoder, ArrayEncoder {
    final GrowingBytes out;
    final @Nullable ValueEncoder parent;

    int base;
    int bitmap;
    int valuesStart;
    private int nextVariable;
    private int openChild = -1;

    ValueEncoder(GrowingBytes out, @Nullable ValueEncoder parent) {
        this.out = out;
        this.parent = parent;
    }

    /** Number of values. */
    public abstract int count();

    /** The layout of the value at a position. */
    public abstract ValueLayout layout(int index);

    abstract PhysicalForm form(int index);

    abstract int slot(int index);

    /** The position of a value among the values of variable length; -1 for other values. */
    abstract int variableOrdinal(int index);

    abstract int variableCount();

    /**
     * The position of the slot of the value at {@code ordinal} among the values of variable length.
     */
    abstract int variableSlot(int ordinal);

    /** The name of a value for messages. */
    abstract String name(int index);

    abstract RowEncoder rowChild(int index);

    abstract ArrayEncoder arrayChild(int index);

    abstract MapEncoder mapChild(int index);

    /**
     * Starts the structure at the end of the buffer: {@code headBytes}, bitmap of all nulls, zeroed
     * slots.
     */
    final void start(int headBytes, int count, int slotBytes) {
        int bitmapBytes = RowLayout.bitmapBytes(count);
        base = out.reserve(Math.addExact(headBytes + bitmapBytes, slotBytes));
        byte[] array = out.array;
        bitmap = base + headBytes;
        Arrays.fill(array, bitmap, bitmap + bitmapBytes, (byte) 0xFF);
        if ((count & 7) != 0) {
            array[bitmap + bitmapBytes - 1] = (byte) ((1 << (count & 7)) - 1);
        }
        valuesStart = bitmap + bitmapBytes + slotBytes;
        Arrays.fill(array, bitmap + bitmapBytes, valuesStart, (byte) 0);
        nextVariable = 0;
        openChild = -1;
    }

    public final void setNull(int index) {
        PhysicalForm form = form(index);
        if (form.isVariable()) {
            if (variableOrdinal(index) < nextVariable) {
                throw outOfOrder(index);
            }
        } else {
            int slot = slot(index);
            Arrays.fill(out.array, slot, slot + form.width(), (byte) 0);
        }
        out.array[bitmap + (index >> 3)] |= (byte) (1 << (index & 7));
    }

    public final void setBoolean(int index, boolean value) {
        check(index, PhysicalForm.BOOLEAN);
        out.array[slot(index)] = (byte) (value ? 1 : 0);
        setPresent(index);
    }

    /**
     * Sets a value in the form of {@link BinaryValues#longAt}; throws TYPE_MISMATCH if the number
     * is out of the type's range.
     */
    public final void setLong(int index, long value) {
        byte[] array = out.array;
        int slot = slot(index);
        switch (form(index)) {
            case INT64 -> LONGS.set(array, slot, value);
            case INT32 -> INTS.set(array, slot, (int) checkRange(index, value, (int) value));
            case INT16 -> SHORTS.set(array, slot, (short) checkRange(index, value, (short) value));
            case INT8 -> array[slot] = (byte) checkRange(index, value, (byte) value);
            default -> throw wrongForm(index, "an integer");
        }
        setPresent(index);
    }

    public final void setFloat(int index, float value) {
        check(index, PhysicalForm.FLOAT32);
        INTS.set(out.array, slot(index), Float.floatToRawIntBits(value));
        setPresent(index);
    }

    public final void setDouble(int index, double value) {
        check(index, PhysicalForm.FLOAT64);
        LONGS.set(out.array, slot(index), Double.doubleToRawLongBits(value));
        setPresent(index);
    }

    /** Sets a long decimal's unscaled value, or a UUID. */
    public final void setInt128(int index, long high, long low) {
        PhysicalForm form = form(index);
        if (form != PhysicalForm.INT128 && form != PhysicalForm.FIXED16) {
            throw wrongForm(index, "16 bytes");
        }
        int slot = slot(index);
        LONGS_BE.set(out.array, slot, high);
        LONGS_BE.set(out.array, slot + 8, low);
        setPresent(index);
    }

    public final void setBytes(int index, byte[] source) {
        setBytes(index, source, 0, source.length);
    }

    /** Sets text (as UTF-8) or binary; a char's trailing spaces are removed. */
    public final void setBytes(int index, byte[] source, int offset, int length) {
        check(index, PhysicalForm.BYTES);
        int kept = length;
        if (layout(index).isChar()) {
            while (kept > 0 && source[offset + kept - 1] == ' ') {
                kept--;
            }
        }
        beginVariable(index);
        out.append(source, offset, kept);
        endVariable(index);
    }

    /** Sets text (as UTF-8) or binary from absolute positions of a buffer. */
    public final void setBytes(int index, ByteBuffer source, int offset, int length) {
        check(index, PhysicalForm.BYTES);
        int kept = length;
        if (layout(index).isChar()) {
            while (kept > 0 && source.get(offset + kept - 1) == ' ') {
                kept--;
            }
        }
        beginVariable(index);
        int at = out.reserve(kept);
        source.get(offset, out.array, at, kept);
        endVariable(index);
    }

    /**
     * Sets text; throws TYPE_MISMATCH if it has a surrogate without its partner, which UTF-8 cannot
     * represent.
     */
    public final void setString(int index, String value) {
        byte[] encoded = value.getBytes(StandardCharsets.UTF_8);
        if (Utf8.isLossy(value, encoded)) {
            throw new SteleException(
                    ErrorCode.TYPE_MISMATCH,
                    "Expected well-formed Unicode in "
                            + name(index)
                            + ", found a surrogate without its partner");
        }
        setBytes(index, encoded);
    }

    /** Copies a value of an equal type, null for null; the bytes do not depend on the position. */
    public final void copy(int index, BinaryValues source, int sourceIndex) {
        if (!layout(index).type().equals(source.layout(sourceIndex).type())) {
            throw wrongForm(index, source.layout(sourceIndex).type().toString());
        }
        copyBytes(index, source, sourceIndex);
    }

    /** Copies a value of a type with equal bytes, null for null. */
    final void copyBytes(int index, BinaryValues source, int sourceIndex) {
        if (source.isNull(sourceIndex)) {
            return;
        }
        if (form(index).isVariable()) {
            beginVariable(index);
            out.append(
                    source.array(),
                    source.bytesOffset(sourceIndex),
                    source.bytesLength(sourceIndex));
            endVariable(index);
        } else {
            System.arraycopy(
                    source.array(),
                    source.slot(sourceIndex),
                    out.array,
                    slot(index),
                    form(index).width());
            setPresent(index);
        }
    }

    /** Starts a nested row, which {@link RowEncoder#end()} ends. */
    public final RowEncoder beginRow(int index) {
        check(index, PhysicalForm.ROW);
        beginVariable(index);
        RowEncoder child = rowChild(index);
        openChild = index;
        child.begin();
        return child;
    }

    /**
     * Starts an array of {@code count} elements, all null, which {@link ArrayEncoder#end()} ends.
     */
    public final ArrayEncoder beginArray(int index, int count) {
        check(index, PhysicalForm.ARRAY);
        beginVariable(index);
        ArrayEncoder child = arrayChild(index);
        openChild = index;
        child.begin(count);
        return child;
    }

    /** Starts a map of {@code count} pairs, which {@link MapEncoder#end()} ends. */
    public final MapEncoder beginMap(int index, int count) {
        check(index, PhysicalForm.MAP);
        beginVariable(index);
        MapEncoder child = mapChild(index);
        openChild = index;
        child.begin(count);
        return child;
    }

    /** Called when the nested structure that was begun last is complete. */
    final void childEnded() {
        if (openChild < 0) {
            throw new IllegalStateException("Expected a nested value begun before it ends");
        }
        int index = openChild;
        openChild = -1;
        endVariable(index);
    }

    /** Fills the ends of the values that were not set. */
    final void finishVariable() {
        if (openChild >= 0) {
            throw new IllegalStateException(
                    "Expected the nested value of " + name(openChild) + " to be ended first");
        }
        fillEnds(variableCount());
    }

    private void beginVariable(int index) {
        int ordinal = variableOrdinal(index);
        if (ordinal < nextVariable || openChild >= 0) {
            throw outOfOrder(index);
        }
        fillEnds(ordinal);
    }

    private void endVariable(int index) {
        INTS.set(out.array, slot(index), out.length - valuesStart);
        nextVariable = variableOrdinal(index) + 1;
        setPresent(index);
    }

    private void fillEnds(int toOrdinal) {
        int end = out.length - valuesStart;
        for (int ordinal = nextVariable; ordinal < toOrdinal; ordinal++) {
            INTS.set(out.array, variableSlot(ordinal), end);
        }
        nextVariable = Math.max(nextVariable, toOrdinal);
    }

    private void setPresent(int index) {
        out.array[bitmap + (index >> 3)] &= (byte) ~(1 << (index & 7));
    }

    private void check(int index, PhysicalForm expected) {
        if (form(index) != expected) {
            throw wrongForm(index, expected.toString());
        }
    }

    private long checkRange(int index, long value, long narrowed) {
        if (value != narrowed) {
            throw new SteleException(
                    ErrorCode.TYPE_MISMATCH,
                    "Expected a value of type "
                            + layout(index).type()
                            + " in "
                            + name(index)
                            + ", found "
                            + value);
        }
        return narrowed;
    }

    private IllegalArgumentException wrongForm(int index, String expected) {
        return new IllegalArgumentException(
                "Expected a value of form "
                        + expected
                        + " for "
                        + name(index)
                        + ", found type "
                        + layout(index).type());
    }

    private IllegalStateException outOfOrder(int index) {
        return new IllegalStateException(
                "Expected values of varying length to be set once and in order, found "
                        + name(index)
                        + " out of order");
    }
}
