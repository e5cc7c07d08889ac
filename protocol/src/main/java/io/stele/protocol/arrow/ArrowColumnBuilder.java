package io.stele.protocol.arrow;

import static io.stele.protocol.arrow.GrowingBuffer.INTS;
import static io.stele.protocol.arrow.GrowingBuffer.LONGS;
import static io.stele.protocol.arrow.GrowingBuffer.LONGS_BE;
import static io.stele.protocol.arrow.GrowingBuffer.SHORTS;

import io.stele.protocol.arrow.ArrowType.Form;
import io.stele.protocol.row.BinaryArray;
import io.stele.protocol.row.BinaryMap;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.BinaryValues;
import io.stele.protocol.schema.PhysicalForm;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A builder of one column of an Arrow record batch. Values are appended one after the other, or
 * many at once, in the physical forms of {@link BinaryValues}. Confined to one thread.
 *
 * <p>An array appends its elements to {@link #elements()} and then calls {@link #endList()}; a map
 * appends to {@link #child} 0 (keys) and 1 (values) and calls {@link #endList()}; a row appends one
 * value to each child and calls {@link #endStruct()}.
 */
public final class ArrowColumnBuilder {
    private final ArrowType type;
    private final Form form;
    private final ArrowColumnBuilder[] children;
    private final GrowingBuffer validity = new GrowingBuffer();
    private final GrowingBuffer offsets = new GrowingBuffer();
    private final GrowingBuffer values = new GrowingBuffer();
    private int count;
    private int nullCount;

    private @Nullable BinaryArray arrayView;
    private @Nullable BinaryMap mapView;
    private @Nullable BinaryRow rowView;

    ArrowColumnBuilder(ArrowType type) {
        if (!type.isNative()) {
            throw new IllegalArgumentException(
                    "Expected an Arrow type that Stele writes, found " + type);
        }
        this.type = type;
        this.form = type.form();
        this.children =
                type.children().stream()
                        .map(ArrowColumnBuilder::new)
                        .toArray(ArrowColumnBuilder[]::new);
    }

    /** The number of values appended so far. */
    public int count() {
        return count;
    }

    /** A part of a nested column: element; key or value; or a field. */
    public ArrowColumnBuilder child(int index) {
        return children[index];
    }

    /** The elements of an array column. */
    public ArrowColumnBuilder elements() {
        require(form == Form.LIST);
        return children[0];
    }

    public void appendNull() {
        if (nullCount++ == 0) {
            markAllPresent();
        }
        validity.reserve(bitmapBytes(count + 1) - validity.length);
        switch (form) {
            case BOOLEAN -> values.reserve(bitmapBytes(count + 1) - values.length);
            case BYTES -> appendOffset(values.length);
            case LIST, MAP -> appendOffset(children[0].count);
            case STRUCT -> {
                for (ArrowColumnBuilder child : children) {
                    child.appendNull();
                }
            }
            default -> values.reserve(form.width());
        }
        count++;
    }

    public void appendBoolean(boolean value) {
        require(form == Form.BOOLEAN);
        values.reserve(bitmapBytes(count + 1) - values.length);
        if (value) {
            values.array[count >> 3] |= (byte) (1 << (count & 7));
        }
        present();
    }

    /** Appends a value in the form of {@link BinaryValues#longAt}. */
    public void appendLong(long value) {
        int at = values.reserve(form.width());
        byte[] array = values.array;
        switch (form) {
            case INT64 -> LONGS.set(array, at, value);
            case INT32 -> INTS.set(array, at, (int) value);
            case INT16 -> SHORTS.set(array, at, (short) value);
            case INT8 -> array[at] = (byte) value;
            case DECIMAL128 -> {
                LONGS.set(array, at, value);
                LONGS.set(array, at + 8, value >> 63);
            }
            default -> require(false);
        }
        present();
    }

    public void appendFloat(float value) {
        require(form == Form.FLOAT32);
        int at = values.reserve(4);
        INTS.set(values.array, at, Float.floatToRawIntBits(value));
        present();
    }

    public void appendDouble(double value) {
        require(form == Form.FLOAT64);
        int at = values.reserve(8);
        LONGS.set(values.array, at, Double.doubleToRawLongBits(value));
        present();
    }

    /** Appends a decimal's unscaled value, or a UUID. */
    public void appendInt128(long high, long low) {
        require(form == Form.DECIMAL128 || form == Form.FIXED16);
        int at = values.reserve(16);
        if (form == Form.DECIMAL128) {
            LONGS.set(values.array, at, low);
            LONGS.set(values.array, at + 8, high);
        } else {
            LONGS_BE.set(values.array, at, high);
            LONGS_BE.set(values.array, at + 8, low);
        }
        present();
    }

    /** Appends text (as UTF-8) or binary. */
    public void appendBytes(byte[] source, int offset, int length) {
        require(form == Form.BYTES);
        int at = values.reserve(length);
        System.arraycopy(source, offset, values.array, at, length);
        appendOffset(values.length);
        present();
    }

    /** Appends many values of 64 bits, none null. */
    public void appendLongs(long[] source, int offset, int length) {
        require(form == Form.INT64);
        int at = values.reserve(Math.multiplyExact(length, 8));
        ByteBuffer.wrap(values.array)
                .order(ByteOrder.LITTLE_ENDIAN)
                .position(at)
                .asLongBuffer()
                .put(source, offset, length);
        presentMany(length);
    }

    /** Appends many values of 32 bits (integer, date), none null. */
    public void appendInts(int[] source, int offset, int length) {
        require(form == Form.INT32);
        int at = values.reserve(Math.multiplyExact(length, 4));
        ByteBuffer.wrap(values.array)
                .order(ByteOrder.LITTLE_ENDIAN)
                .position(at)
                .asIntBuffer()
                .put(source, offset, length);
        presentMany(length);
    }

    /** Completes an array or a map whose parts have been appended to the children. */
    public void endList() {
        require(form == Form.LIST || form == Form.MAP);
        appendOffset(children[0].count);
        present();
    }

    /** Completes a row whose fields have been appended to the children. */
    public void endStruct() {
        require(form == Form.STRUCT);
        present();
    }

    /** Appends the value of a row at a position; the types must be equal. */
    public void append(BinaryValues row, int index) {
        if (row.isNull(index)) {
            appendNull();
            return;
        }
        switch (form) {
            case NULL -> require(false);
            case BOOLEAN -> appendBoolean(row.booleanAt(index));
            case INT8, INT16, INT32, INT64 -> appendLong(row.longAt(index));
            case FLOAT32 -> appendFloat(row.floatAt(index));
            case FLOAT64 -> appendDouble(row.doubleAt(index));
            case DECIMAL128 -> {
                if (type.type().form() == PhysicalForm.INT64) {
                    appendLong(row.longAt(index));
                } else {
                    appendInt128(row.highAt(index), row.lowAt(index));
                }
            }
            case FIXED16 -> appendInt128(row.highAt(index), row.lowAt(index));
            case BYTES -> appendBytes(row.array(), row.bytesOffset(index), row.bytesLength(index));
            case LIST -> appendArray(row, index);
            case MAP -> appendMap(row, index);
            case STRUCT -> appendStruct(row, index);
        }
    }

    private void appendArray(BinaryValues row, int index) {
        if (arrayView == null) {
            arrayView = new BinaryArray(row.layout(index).element());
        }
        appendAll(row.arrayAt(index, arrayView), children[0]);
        endList();
    }

    private void appendMap(BinaryValues row, int index) {
        if (mapView == null) {
            mapView = new BinaryMap(row.layout(index));
        }
        BinaryMap map = row.mapAt(index, mapView);
        appendAll(map.keys(), children[0]);
        appendAll(map.values(), children[1]);
        endList();
    }

    private void appendStruct(BinaryValues row, int index) {
        if (rowView == null) {
            rowView = new BinaryRow(row.layout(index).row());
        }
        BinaryRow struct = row.rowAt(index, rowView);
        for (int i = 0; i < children.length; i++) {
            children[i].append(struct, i);
        }
        endStruct();
    }

    private static void appendAll(BinaryArray source, ArrowColumnBuilder target) {
        for (int i = 0; i < source.count(); i++) {
            target.append(source, i);
        }
    }

    /**
     * Adds the nodes and buffers of the column, then those of its children, and resets this
     * builder.
     */
    void finish(List<long[]> nodes, List<ByteBuffer> buffers, List<Long> lengths) {
        nodes.add(new long[] {count, nullCount});
        take(validity, buffers, lengths);
        if (form.hasOffsets()) {
            if (count == 0) {
                offsets.reserve(4);
            }
            take(offsets, buffers, lengths);
        }
        if (form.width() > 0 || form == Form.BOOLEAN || form == Form.BYTES) {
            take(values, buffers, lengths);
        }
        if (form == Form.MAP) {
            nodes.add(new long[] {children[0].count, 0});
            buffers.add(ByteBuffer.allocate(0));
            lengths.add(0L);
        }
        for (ArrowColumnBuilder child : children) {
            child.finish(nodes, buffers, lengths);
        }
        count = 0;
        nullCount = 0;
    }

    /** Discards all values. */
    void discard() {
        validity.discard();
        offsets.discard();
        values.discard();
        for (ArrowColumnBuilder child : children) {
            child.discard();
        }
        count = 0;
        nullCount = 0;
    }

    /** The size of the buffers so far, in bytes. */
    long sizeBytes() {
        long size = (long) validity.length + offsets.length + values.length;
        for (ArrowColumnBuilder child : children) {
            size += child.sizeBytes();
        }
        return size;
    }

    private static void take(GrowingBuffer buffer, List<ByteBuffer> buffers, List<Long> lengths) {
        lengths.add((long) buffer.length);
        buffers.add(buffer.take());
    }

    private void appendOffset(int end) {
        if (count == 0) {
            offsets.reserve(4);
        }
        int at = offsets.reserve(4);
        INTS.set(offsets.array, at, end);
    }

    /** Creates the validity bitmap at the first null, and marks all earlier values as present. */
    private void markAllPresent() {
        validity.reserve(bitmapBytes(count));
        Arrays.fill(validity.array, 0, count >> 3, (byte) 0xFF);
        if ((count & 7) != 0) {
            validity.array[count >> 3] = (byte) ((1 << (count & 7)) - 1);
        }
    }

    private void present() {
        if (nullCount > 0) {
            validity.reserve(bitmapBytes(count + 1) - validity.length);
            validity.array[count >> 3] |= (byte) (1 << (count & 7));
        }
        count++;
    }

    private void presentMany(int added) {
        if (nullCount == 0) {
            count += added;
            return;
        }
        for (int i = 0; i < added; i++) {
            present();
        }
    }

    private static int bitmapBytes(int bits) {
        return (bits + 7) >> 3;
    }

    private void require(boolean matches) {
        if (!matches) {
            throw new IllegalArgumentException(
                    "Expected an append for type " + type.type() + ", found another");
        }
    }
}
