package io.stele.protocol.arrow;

import io.stele.protocol.schema.ArrayType;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.DecimalType;
import io.stele.protocol.schema.MapType;
import io.stele.protocol.schema.PhysicalForm;
import io.stele.protocol.schema.RowType;
import io.stele.protocol.schema.ScalarType;
import io.stele.protocol.schema.TimeType;
import io.stele.protocol.schema.TimestampType;
import java.util.List;
import java.util.Optional;

/**
 * The layout of a type's values in Arrow buffers: a tree as deep as the type. Stele writes one form
 * of each type ({@link #of}). It reads some more: other units of time, and 64-bit offsets.
 *
 * @param form the set of buffers
 * @param type the type that the values have in Stele
 * @param multiplier units of the physical form in one unit in the buffer: 1, or a power of ten for
 *     coarser times
 * @param largeOffsets whether offsets are 64 bits wide
 * @param children element; key and value; or fields
 */
public record ArrowType(
        Form form, DataType type, long multiplier, boolean largeOffsets, List<ArrowType> children) {
    /** Which buffers follow the validity bitmap. */
    public enum Form {
        /** No buffers at all: every value is null. Read, but not written. */
        NULL(0),
        /** One bit a value. */
        BOOLEAN(0),
        INT8(1),
        INT16(2),
        INT32(4),
        INT64(8),
        FLOAT32(4),
        FLOAT64(8),
        /**
         * 16 bytes, little-endian two's complement: all decimals, and times of more digits than
         * nanoseconds.
         */
        DECIMAL128(16),
        /** 16 bytes as they are: UUID. */
        FIXED16(16),
        /** Offsets and bytes. */
        BYTES(0),
        /** Offsets, and the elements as a child. */
        LIST(0),
        /** Offsets, and a struct of keys and values as a child. */
        MAP(0),
        /** The fields as children. */
        STRUCT(0);

        private final int width;

        Form(int width) {
            this.width = width;
        }

        /** Bytes of a value; 0 where values are bits, differ in length or are in children. */
        public int width() {
            return width;
        }

        boolean hasOffsets() {
            return this == BYTES || this == LIST || this == MAP;
        }
    }

    private static final int MILLIS_DIGITS = 3;

    /** Of the picoseconds of a day. */
    private static final int TIME_DIGITS = 17;

    public ArrowType {
        children = List.copyOf(children);
    }

    ArrowType(Form form, DataType type) {
        this(form, type, 1, false, List.of());
    }

    /** The form in which Stele writes a type. */
    public static ArrowType of(DataType type) {
        if (type instanceof ArrayType array) {
            return new ArrowType(Form.LIST, type, 1, false, List.of(of(array.element())));
        }
        if (type instanceof MapType map) {
            return new ArrowType(Form.MAP, type, 1, false, List.of(of(map.key()), of(map.value())));
        }
        if (type instanceof RowType row) {
            return new ArrowType(
                    Form.STRUCT,
                    type,
                    1,
                    false,
                    row.fields().stream().map(field -> of(field.type())).toList());
        }
        return new ArrowType(
                decimal(type).isPresent() ? Form.DECIMAL128 : scalarForm(type.form()), type);
    }

    /**
     * The form with milliseconds of a time or timestamp of three digits, for parameters: drivers
     * that know no other unit say so. Empty for another type.
     */
    public static Optional<ArrowType> inMillis(DataType type) {
        if (type instanceof TimestampType timestamp && timestamp.precision() == MILLIS_DIGITS) {
            return Optional.of(new ArrowType(Form.INT64, type, 1_000, false, List.of()));
        }
        return type instanceof TimeType time && time.precision() == MILLIS_DIGITS
                ? Optional.of(new ArrowType(Form.INT32, type, 1_000_000, false, List.of()))
                : Optional.empty();
    }

    /**
     * The decimal whose unscaled value is the physical value of a type, if Arrow has the type as
     * one: decimals, and as seconds since midnight or 1970 the times that Arrow has no unit for.
     */
    static Optional<DecimalType> decimal(DataType type) {
        if (type instanceof DecimalType decimal) {
            return Optional.of(decimal);
        }
        if (type instanceof TimestampType timestamp && timestamp.isWide()) {
            return Optional.of(new DecimalType(DecimalType.MAX_PRECISION, timestamp.scale()));
        }
        return type instanceof TimeType time && time.isPicos()
                ? Optional.of(new DecimalType(TIME_DIGITS, TimeType.MAX_PRECISION))
                : Optional.empty();
    }

    private static Form scalarForm(PhysicalForm form) {
        return switch (form) {
            case BOOLEAN -> Form.BOOLEAN;
            case INT8 -> Form.INT8;
            case INT16 -> Form.INT16;
            case INT32 -> Form.INT32;
            case INT64 -> Form.INT64;
            case FLOAT32 -> Form.FLOAT32;
            case FLOAT64 -> Form.FLOAT64;
            case INT128 -> Form.DECIMAL128;
            case FIXED16 -> Form.FIXED16;
            case BYTES -> Form.BYTES;
            case ARRAY -> Form.LIST;
            case MAP -> Form.MAP;
            case ROW -> Form.STRUCT;
        };
    }

    /** Whether Arrow calls the bytes text. */
    boolean isText() {
        return form == Form.BYTES && type != ScalarType.VARBINARY;
    }

    /** Whether the buffers are as Stele writes them for this type. */
    boolean isNative() {
        return form != Form.NULL
                && multiplier == 1
                && !largeOffsets
                && children.stream().allMatch(ArrowType::isNative);
    }
}
