package io.stele.protocol.arrow;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.arrow.ArrowType.Form;
import io.stele.protocol.schema.DataType;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/**
 * A decoded column of an Arrow record batch, with access to values by position and to the raw
 * little-endian buffers for bulk copies. It is immutable if its body is, and several threads may
 * read it. The decoder has validated the offsets; the buffers check bounds at each access.
 */
public final class ArrowColumn {
    private final ArrowType type;
    private final Form form;
    private final int count;
    private final int nullCount;
    private final ByteBuffer validity;
    private final ByteBuffer offsets;
    private final ByteBuffer values;
    private final List<ArrowColumn> children;

    ArrowColumn(
            ArrowType type,
            int count,
            int nullCount,
            ByteBuffer validity,
            ByteBuffer offsets,
            ByteBuffer values,
            List<ArrowColumn> children) {
        this.type = type;
        this.form = type.form();
        this.count = count;
        this.nullCount = nullCount;
        this.validity = validity;
        this.offsets = offsets;
        this.values = values;
        this.children = List.copyOf(children);
    }

    public ArrowType arrowType() {
        return type;
    }

    public DataType type() {
        return type.type();
    }

    /** Number of values. */
    public int count() {
        return count;
    }

    /** Whether any value is null. */
    public boolean hasNulls() {
        return nullCount > 0;
    }

    public int nullCount() {
        return nullCount;
    }

    /**
     * One bit for each value, 1 for present, least significant first; empty if there are no nulls.
     */
    public ByteBuffer validity() {
        return view(validity);
    }

    /**
     * {@code count + 1} positions (32 bits; 64 if {@link ArrowType#largeOffsets}) in the values or
     * the child; may be empty if count is 0.
     */
    public ByteBuffer offsets() {
        return view(offsets);
    }

    /** The values: fixed-width values, bits, or the bytes that the offsets refer to. */
    public ByteBuffer values() {
        return view(values);
    }

    /**
     * The children: the element; key and value; or fields. A child of a list may have values before
     * and after the values that the offsets refer to.
     */
    public List<ArrowColumn> children() {
        return children;
    }

    public ArrowColumn child(int index) {
        return children.get(index);
    }

    public boolean isNull(int index) {
        return form == Form.NULL
                || (nullCount > 0 && (validity.get(index >> 3) & 1 << (index & 7)) == 0);
    }

    public boolean booleanAt(int index) {
        require(form == Form.BOOLEAN);
        return (values.get(index >> 3) & 1 << (index & 7)) != 0;
    }

    /**
     * The value in the form of {@link io.stele.protocol.row.BinaryValues#longAt}; throws
     * TYPE_MISMATCH if it does not fit 64 bits.
     */
    public long longAt(int index) {
        long value =
                switch (form) {
                    case INT64 -> values.getLong(index * 8);
                    case INT32 -> values.getInt(index * 4);
                    case INT16 -> values.getShort(index * 2);
                    case INT8 -> values.get(index);
                    case DECIMAL128 -> shortDecimalAt(index);
                    default -> throw wrongForm();
                };
        return type.multiplier() == 1 ? value : scaled(value);
    }

    private long shortDecimalAt(int index) {
        long low = lowAt(index);
        if (highAt(index) != low >> 63) {
            throw overflow();
        }
        return low;
    }

    private long scaled(long value) {
        long scaled = value * type.multiplier();
        if (Math.multiplyHigh(value, type.multiplier()) != scaled >> 63) {
            throw overflow();
        }
        return scaled;
    }

    public float floatAt(int index) {
        require(form == Form.FLOAT32);
        return values.getFloat(index * 4);
    }

    public double doubleAt(int index) {
        require(form == Form.FLOAT64);
        return values.getDouble(index * 8);
    }

    /** The upper 64 bits of a decimal or UUID. */
    public long highAt(int index) {
        if (form == Form.FIXED16) {
            return Long.reverseBytes(values.getLong(index * 16));
        }
        require(form == Form.DECIMAL128);
        return values.getLong(index * 16 + 8);
    }

    /** The lower 64 bits of a decimal or UUID. */
    public long lowAt(int index) {
        if (form == Form.FIXED16) {
            return Long.reverseBytes(values.getLong(index * 16 + 8));
        }
        require(form == Form.DECIMAL128);
        return values.getLong(index * 16);
    }

    /** The start of a value: in {@link #values} for bytes, in the child for arrays and maps. */
    public int startAt(int index) {
        return type.largeOffsets() ? (int) offsets.getLong(index * 8) : offsets.getInt(index * 4);
    }

    /** The end of a value. */
    public int endAt(int index) {
        return startAt(index + 1);
    }

    /** A copy of text (UTF-8) or binary. */
    public byte[] bytesAt(int index) {
        require(form == Form.BYTES);
        int start = startAt(index);
        byte[] copy = new byte[endAt(index) - start];
        values.get(start, copy);
        return copy;
    }

    /**
     * Sets {@code nulls[i]} to whether value {@code i} is null; the array has at least {@code
     * count} elements.
     */
    public void readNulls(boolean[] nulls) {
        for (int i = 0; i < count; i++) {
            nulls[i] = isNull(i);
        }
    }

    /** Copies all values in the form of {@link #longAt}; the elements of nulls are undefined. */
    public void readLongs(long[] target) {
        if (form == Form.INT64 && type.multiplier() == 1) {
            view(values).asLongBuffer().get(target, 0, count);
            return;
        }
        for (int i = 0; i < count; i++) {
            target[i] = isNull(i) ? 0 : longAt(i);
        }
    }

    /** Copies all values of 32 bits: integer, date, or the bits of real. */
    public void readInts(int[] target) {
        require((form == Form.INT32 && type.multiplier() == 1) || form == Form.FLOAT32);
        view(values).asIntBuffer().get(target, 0, count);
    }

    /** Copies the bits of all values of type double. */
    public void readDoubleBits(long[] target) {
        require(form == Form.FLOAT64);
        view(values).asLongBuffer().get(target, 0, count);
    }

    /** Copies the {@code count + 1} offsets. */
    public void readOffsets(int[] target) {
        require(form.hasOffsets());
        if (count == 0) {
            target[0] = 0;
        } else if (type.largeOffsets()) {
            for (int i = 0; i <= count; i++) {
                target[i] = startAt(i);
            }
        } else {
            view(offsets).asIntBuffer().get(target, 0, count + 1);
        }
    }

    /** The values buffer itself; callers must not change its position. */
    ByteBuffer rawValues() {
        return values;
    }

    private static ByteBuffer view(ByteBuffer buffer) {
        return buffer.duplicate().order(ByteOrder.LITTLE_ENDIAN);
    }

    private void require(boolean matches) {
        if (!matches) {
            throw wrongForm();
        }
    }

    private IllegalArgumentException wrongForm() {
        return new IllegalArgumentException(
                "Expected an accessor of type " + type() + ", found another");
    }

    private SteleException overflow() {
        return new SteleException(
                ErrorCode.TYPE_MISMATCH,
                "Expected a value of type " + type() + " in 64 bits, found a larger one");
    }
}
