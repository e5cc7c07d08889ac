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
 * The description of how Arrow buffers store a type's values, as a tree as deep as the type, for
 * encoders and decoders. Stele writes one form of each type ({@link #of}), and reads additional
 * ones: other units of time, and 64-bit offsets.
 *
 * @param form the set of buffers
 * @param type the type that the values have in Stele
 * @param multiplier units of the physical form in one unit of the buffer: 1, or a power of ten for
 *     coarser times
 * @param largeOffsets whether offsets are 64 bits wide
 * @param children element; key and value; or fields
 */
public record ArrowType(
        Form form, DataType type, long multiplier, boolean largeOffsets, List<ArrowType> children) {
    /** The kinds of buffers that follow the validity bitmap. */
    public enum Form {
        /** No buffers: every value is null. Read, but not written. */
        NULL(0),
        /** One bit for each value. */
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
        /** 16 bytes, unchanged: UUID. */
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

        /** The bytes of a value; 0 if values are bits, have variable length or are in children. */
        public int width() {
            return width;
        }

        boolean hasOffsets() {
            return this == BYTES || this == LIST || this == MAP;
        }
    }

    private static final int MILLIS_DIGITS = 3;

    /** The digits of the picoseconds of a day. */
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
     * The form in milliseconds of a time or timestamp of three digits, for statement parameters,
     * because some drivers declare no other unit. Empty for another type.
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
     * The decimal type whose unscaled values are the physical values of a type, if Arrow stores it
     * as decimal: decimals, and times for which Arrow has no unit, as seconds since midnight or
     * 1970.
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

    /** Whether the bytes are text in Arrow. */
    boolean isText() {
        return form == Form.BYTES && type != ScalarType.VARBINARY;
    }

    /** Whether this is the form that Stele writes for the type. */
    boolean isNative() {
        return form != Form.NULL
                && multiplier == 1
                && !largeOffsets
                && children.stream().allMatch(ArrowType::isNative);
    }
}
