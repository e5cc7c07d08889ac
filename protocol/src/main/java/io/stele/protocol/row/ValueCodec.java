package io.stele.protocol.row;

import static io.stele.protocol.row.GrowingBytes.INTS_BE;
import static io.stele.protocol.row.GrowingBytes.LONGS_BE;
import static io.stele.protocol.row.GrowingBytes.SHORTS_BE;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.schema.CharType;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.PhysicalForm;
import java.util.Arrays;
import java.util.List;

/**
 * An order-preserving codec of single values, whose bytes have the unsigned order of the values,
 * for statistics, predicates and (text and binary escaped) key columns. Immutable.
 *
 * <pre>
 * boolean              1 byte, 0 or 1
 * integers, date, time, timestamp, decimal   big-endian two's complement of slot width, sign bit flipped
 * real, double         big-endian IEEE 754; sign bit flipped if clear, else all bits flipped; -0.0 as 0.0; every NaN as the
 *                      one 0x7ff8..., above +infinity
 * varchar, varbinary   the bytes
 * char(n)              UTF-8 padded with spaces to n code points
 * uuid                 16 bytes
 * </pre>
 */
public final class ValueCodec {
    private static final int CANONICAL_FLOAT_NAN = 0x7FC0_0000;
    private static final long CANONICAL_DOUBLE_NAN = 0x7FF8_0000_0000_0000L;

    private final ValueLayout layout;
    private final PhysicalForm form;
    private final int charLength;
    private final RowLayout single;

    ValueCodec(ValueLayout layout) {
        DataType type = layout.type();
        if (!type.isOrderable()) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected an orderable type, found " + type + ", which has no order");
        }
        this.layout = layout;
        this.form = layout.form();
        this.charLength = type instanceof CharType character ? character.length() : -1;
        this.single = RowLayout.of(List.of(new ColumnSchema(1, "value", type).notNull()));
    }

    /** The codec of an orderable type (see {@link DataType#isOrderable}). */
    public static ValueCodec of(DataType type) {
        return new ValueCodec(new ValueLayout(type));
    }

    public DataType type() {
        return layout.type();
    }

    /** Encodes the value at a position; it must not be null and must have this codec's type. */
    public byte[] encode(BinaryValues row, int index) {
        GrowingBytes target = scratch();
        append(row, index, target);
        return target.toByteArray();
    }

    /** Appends the encoding of the value at a position, not null, to {@code target}. */
    public void append(BinaryValues row, int index, GrowingBytes target) {
        switch (form) {
            case BOOLEAN -> appendByte(row.booleanAt(index) ? 1 : 0, target);
            case INT8, INT16, INT32, INT64 -> appendLong(row.longAt(index), target);
            case FLOAT32 -> appendInt(orderedBits(row.floatAt(index)), target);
            case FLOAT64 -> appendBits(orderedBits(row.doubleAt(index)), target);
            case INT128 ->
                    appendInt128(row.highAt(index) ^ Long.MIN_VALUE, row.lowAt(index), target);
            case FIXED16 -> appendInt128(row.highAt(index), row.lowAt(index), target);
            default -> {
                int length = row.bytesLength(index);
                target.append(row.array(), row.bytesOffset(index), length);
                appendPadding(row.array(), row.bytesOffset(index), length, target);
            }
        }
    }

    /** Encodes a Java value of the classes of {@link Rows}. */
    public byte[] encodeObject(Object value) {
        RowEncoder encoder = new RowEncoder(single);
        Rows.set(encoder, 0, value, "value");
        int length = encoder.finish();
        return encode(new BinaryRow(single).wrap(encoder.array(), 0, length), 0);
    }

    public byte[] encodeBoolean(boolean value) {
        require(form == PhysicalForm.BOOLEAN);
        return new byte[] {(byte) (value ? 1 : 0)};
    }

    /** Encodes a value in the form of {@link BinaryValues#longAt}. */
    public byte[] encodeLong(long value) {
        require(form.isLong());
        GrowingBytes target = scratch();
        appendLong(value, target);
        return target.toByteArray();
    }

    public byte[] encodeFloat(float value) {
        require(form == PhysicalForm.FLOAT32);
        byte[] bytes = new byte[4];
        INTS_BE.set(bytes, 0, orderedBits(value));
        return bytes;
    }

    public byte[] encodeDouble(double value) {
        require(form == PhysicalForm.FLOAT64);
        byte[] bytes = new byte[8];
        LONGS_BE.set(bytes, 0, orderedBits(value));
        return bytes;
    }

    /** Encodes a long decimal's unscaled value, a wide timestamp or a UUID. */
    public byte[] encodeInt128(long high, long low) {
        require(form == PhysicalForm.INT128 || form == PhysicalForm.FIXED16);
        byte[] bytes = new byte[16];
        LONGS_BE.set(bytes, 0, form == PhysicalForm.INT128 ? high ^ Long.MIN_VALUE : high);
        LONGS_BE.set(bytes, 8, low);
        return bytes;
    }

    /** Encodes text (as UTF-8) or binary. */
    public byte[] encodeBytes(byte[] source, int offset, int length) {
        require(form == PhysicalForm.BYTES);
        GrowingBytes target = scratch();
        target.append(source, offset, length);
        appendPadding(source, offset, length, target);
        return target.toByteArray();
    }

    public boolean decodeBoolean(byte[] encoded) {
        require(form == PhysicalForm.BOOLEAN);
        checkLength(encoded, 1);
        return encoded[0] != 0;
    }

    /** The inverse of {@link #encodeLong}. */
    public long decodeLong(byte[] encoded) {
        require(form.isLong());
        checkLength(encoded, form.width());
        return switch (form.width()) {
            case 8 -> (long) LONGS_BE.get(encoded, 0) ^ Long.MIN_VALUE;
            case 4 -> (int) INTS_BE.get(encoded, 0) ^ Integer.MIN_VALUE;
            case 2 -> (short) ((short) SHORTS_BE.get(encoded, 0) ^ Short.MIN_VALUE);
            default -> (byte) (encoded[0] ^ Byte.MIN_VALUE);
        };
    }

    public float decodeFloat(byte[] encoded) {
        require(form == PhysicalForm.FLOAT32);
        checkLength(encoded, 4);
        int bits = (int) INTS_BE.get(encoded, 0);
        return Float.intBitsToFloat(bits < 0 ? bits ^ Integer.MIN_VALUE : ~bits);
    }

    public double decodeDouble(byte[] encoded) {
        require(form == PhysicalForm.FLOAT64);
        checkLength(encoded, 8);
        long bits = (long) LONGS_BE.get(encoded, 0);
        return Double.longBitsToDouble(bits < 0 ? bits ^ Long.MIN_VALUE : ~bits);
    }

    /** The upper 64 bits of a value encoded by {@link #encodeInt128}. */
    public long decodeHigh(byte[] encoded) {
        require(form == PhysicalForm.INT128 || form == PhysicalForm.FIXED16);
        checkLength(encoded, 16);
        long high = (long) LONGS_BE.get(encoded, 0);
        return form == PhysicalForm.INT128 ? high ^ Long.MIN_VALUE : high;
    }

    /** The lower 64 bits of a value encoded by {@link #encodeInt128}. */
    public long decodeLow(byte[] encoded) {
        require(form == PhysicalForm.INT128 || form == PhysicalForm.FIXED16);
        checkLength(encoded, 16);
        return (long) LONGS_BE.get(encoded, 8);
    }

    /** Decodes text (a char without its trailing spaces) or binary. */
    public byte[] decodeBytes(byte[] encoded) {
        require(form == PhysicalForm.BYTES);
        int length = encoded.length;
        while (charLength >= 0 && length > 0 && encoded[length - 1] == ' ') {
            length--;
        }
        return Arrays.copyOf(encoded, length);
    }

    /** The Java value, of the classes of {@link Rows}. */
    public Object decode(byte[] encoded) {
        RowEncoder encoder = new RowEncoder(single);
        switch (form) {
            case BOOLEAN -> encoder.setBoolean(0, decodeBoolean(encoded));
            case INT8, INT16, INT32, INT64 -> encoder.setLong(0, decodeLong(encoded));
            case FLOAT32 -> encoder.setFloat(0, decodeFloat(encoded));
            case FLOAT64 -> encoder.setDouble(0, decodeDouble(encoded));
            case INT128, FIXED16 -> encoder.setInt128(0, decodeHigh(encoded), decodeLow(encoded));
            default -> encoder.setBytes(0, decodeBytes(encoded));
        }
        int length = encoder.finish();
        return Rows.presentAt(new BinaryRow(single).wrap(encoder.array(), 0, length), 0);
    }

    ValueLayout layout() {
        return layout;
    }

    private void appendLong(long value, GrowingBytes target) {
        switch (form.width()) {
            case 8 -> appendBits(value ^ Long.MIN_VALUE, target);
            case 4 -> appendInt((int) value ^ Integer.MIN_VALUE, target);
            case 2 -> {
                int at = target.reserve(2);
                SHORTS_BE.set(target.array, at, (short) (value ^ Short.MIN_VALUE));
            }
            default -> appendByte((int) value ^ Byte.MIN_VALUE, target);
        }
    }

    private static void appendByte(int bits, GrowingBytes target) {
        int at = target.reserve(1);
        target.array[at] = (byte) bits;
    }

    private static void appendInt(int bits, GrowingBytes target) {
        int at = target.reserve(4);
        INTS_BE.set(target.array, at, bits);
    }

    private static void appendBits(long bits, GrowingBytes target) {
        int at = target.reserve(8);
        LONGS_BE.set(target.array, at, bits);
    }

    private static void appendInt128(long high, long low, GrowingBytes target) {
        int at = target.reserve(16);
        LONGS_BE.set(target.array, at, high);
        LONGS_BE.set(target.array, at + 8, low);
    }

    private void appendPadding(byte[] source, int offset, int length, GrowingBytes target) {
        if (charLength < 0) {
            return;
        }
        int missing = charLength - Utf8.countCodePoints(source, offset, length);
        if (missing > 0) {
            int at = target.reserve(missing);
            Arrays.fill(target.array, at, at + missing, (byte) ' ');
        }
    }

    private static int orderedBits(float value) {
        int bits = Float.isNaN(value) ? CANONICAL_FLOAT_NAN : Float.floatToRawIntBits(value + 0.0f);
        return bits < 0 ? ~bits : bits ^ Integer.MIN_VALUE;
    }

    private static long orderedBits(double value) {
        long bits =
                Double.isNaN(value)
                        ? CANONICAL_DOUBLE_NAN
                        : Double.doubleToRawLongBits(value + 0.0);
        return bits < 0 ? ~bits : bits ^ Long.MIN_VALUE;
    }

    /** A buffer for a statistic or a bound, which may be any value of a row. */
    private static GrowingBytes scratch() {
        return GrowingBytes.forStored("value");
    }

    private void require(boolean matches) {
        if (!matches) {
            throw new IllegalArgumentException(
                    "Expected a method for values of type " + type() + ", found another");
        }
    }

    private void checkLength(byte[] encoded, int expected) {
        if (encoded.length != expected) {
            throw new SteleException(
                    ErrorCode.CORRUPT_DATA,
                    "Expected "
                            + expected
                            + " bytes of an encoded "
                            + type()
                            + ", found "
                            + encoded.length);
        }
    }
}
