package io.stele.protocol.row;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.schema.DecimalType;
import io.stele.protocol.schema.PhysicalForm;
import io.stele.protocol.schema.TimeType;
import io.stele.protocol.schema.TimestampType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A converter between Java objects and binary rows, for clients and values of SQL statements.
 *
 * <p>boolean Boolean | tinyint..bigint Byte, Short, Integer, Long (any that fits) | real Float |
 * double Double, Float | decimal BigDecimal (exact) | varchar, char, json String | varbinary byte[]
 * | date LocalDate | time LocalTime | timestamp LocalDateTime | timestamp with time zone Instant |
 * uuid UUID | array List | map Map | row List of the fields. Times and timestamps of more digits
 * than nanoseconds are BigDecimal, in seconds since midnight or since 1970 (UTC); the classes above
 * are accepted, too. Reading returns the first class. Any other class, and digits beyond the type's
 * precision, are TYPE_MISMATCH naming the column.
 */
public final class Rows {
    private static final long NANOS_PER_SECOND = 1_000_000_000;
    private static final long MICROS_PER_SECOND = 1_000_000;
    private static final long PICOS_PER_NANO = 1_000;
    private static final int NANOS_DIGITS = 9;
    private static final int PICOS_DIGITS = 12;

    /**
     * The most digits of seconds: more than any time has, and less than 128 bits with the fraction.
     */
    private static final int MAX_DIGITS = 20;

    private Rows() {}

    /** A row of values, one for each column. */
    public static byte[] toBytes(RowLayout layout, @Nullable Object... values) {
        RowEncoder encoder = new RowEncoder(layout);
        encode(encoder, Arrays.asList(values));
        return encoder.finishToArray();
    }

    /** Resets the encoder and writes a row of values, one for each column; returns its length. */
    public static int encode(RowEncoder encoder, List<? extends @Nullable Object> values) {
        RowLayout layout = encoder.rowLayout();
        if (values.size() != layout.count()) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected " + layout.count() + " values, one a column, found " + values.size());
        }
        encoder.reset();
        for (int i = 0; i < layout.count(); i++) {
            Object value = values.get(i);
            if (value != null) {
                set(encoder, i, value, layout.name(i));
            }
        }
        return encoder.finish();
    }

    /** The values of a row, one for each column, null for null. */
    public static List<@Nullable Object> toObjects(BinaryValues row) {
        List<@Nullable Object> values = new ArrayList<>(row.count());
        for (int i = 0; i < row.count(); i++) {
            values.add(objectAt(row, i));
        }
        return values;
    }

    /** One value, null for null. */
    public static @Nullable Object objectAt(BinaryValues row, int index) {
        return row.isNull(index) ? null : presentAt(row, index);
    }

    static Object presentAt(BinaryValues row, int index) {
        ValueLayout layout = row.layout(index);
        return switch (layout.type().kind()) {
            case BOOLEAN -> row.booleanAt(index);
            case TINYINT -> (byte) row.longAt(index);
            case SMALLINT -> (short) row.longAt(index);
            case INTEGER -> (int) row.longAt(index);
            case BIGINT -> row.longAt(index);
            case REAL -> row.floatAt(index);
            case DOUBLE -> row.doubleAt(index);
            case DECIMAL -> decimalAt(row, index, (DecimalType) layout.type());
            case VARCHAR, CHAR, JSON -> row.stringAt(index);
            case VARBINARY -> row.bytesAt(index);
            case DATE -> LocalDate.ofEpochDay(row.longAt(index));
            case TIME -> timeAt(row, index, (TimeType) layout.type());
            case TIMESTAMP, TIMESTAMP_WITH_TIME_ZONE ->
                    timestampAt(row, index, (TimestampType) layout.type());
            case UUID -> new UUID(row.highAt(index), row.lowAt(index));
            case ARRAY -> toObjects(row.arrayAt(index));
            case MAP -> mapAt(row, index);
            case ROW -> toObjects(row.rowAt(index));
        };
    }

    private static BigDecimal decimalAt(BinaryValues row, int index, DecimalType type) {
        return type.isShort()
                ? BigDecimal.valueOf(row.longAt(index), type.scale())
                : new BigDecimal(new BigInteger(row.bytesAt(index)), type.scale());
    }

    private static Object timeAt(BinaryValues row, int index, TimeType type) {
        long value = row.longAt(index);
        return type.isPicos()
                ? BigDecimal.valueOf(value, TimeType.MAX_PRECISION).setScale(type.precision())
                : LocalTime.ofNanoOfDay(value);
    }

    private static Object timestampAt(BinaryValues row, int index, TimestampType type) {
        if (type.precision() > TimestampType.MAX_NANOS_PRECISION) {
            return new BigDecimal(new BigInteger(row.bytesAt(index)), type.unitDigits())
                    .setScale(type.precision());
        }
        Instant instant = instantAt(row, index, type);
        return type.withTimeZone() ? instant : LocalDateTime.ofInstant(instant, ZoneOffset.UTC);
    }

    private static Instant instantAt(BinaryValues row, int index, TimestampType type) {
        if (type.isWide()) {
            BigInteger[] parts =
                    new BigInteger(row.bytesAt(index))
                            .divideAndRemainder(BigInteger.valueOf(NANOS_PER_SECOND));
            return Instant.ofEpochSecond(parts[0].longValueExact(), parts[1].longValueExact());
        }
        long value = row.longAt(index);
        long perSecond = perSecond(type);
        return Instant.ofEpochSecond(
                Math.floorDiv(value, perSecond),
                Math.floorMod(value, perSecond) * (NANOS_PER_SECOND / perSecond));
    }

    private static Map<Object, @Nullable Object> mapAt(BinaryValues row, int index) {
        BinaryMap map = row.mapAt(index);
        Map<Object, @Nullable Object> values = new LinkedHashMap<>();
        for (int i = 0; i < map.count(); i++) {
            values.put(presentAt(map.keys(), i), objectAt(map.values(), i));
        }
        return values;
    }

    /**
     * Sets one value that is not null; a nested value with all its parts.
     *
     * @param name the column, for messages
     */
    public static void set(ValueEncoder encoder, int index, Object value, String name) {
        ValueLayout layout = encoder.layout(index);
        switch (layout.type().kind()) {
            case BOOLEAN -> encoder.setBoolean(index, cast(Boolean.class, value, layout, name));
            case TINYINT, SMALLINT, INTEGER, BIGINT ->
                    encoder.setLong(index, integer(value, layout, name));
            case REAL -> encoder.setFloat(index, cast(Float.class, value, layout, name));
            case DOUBLE ->
                    encoder.setDouble(
                            index,
                            value instanceof Float f ? f : cast(Double.class, value, layout, name));
            case DECIMAL ->
                    setDecimal(encoder, index, cast(BigDecimal.class, value, layout, name), name);
            case VARCHAR, CHAR, JSON ->
                    setText(encoder, index, cast(String.class, value, layout, name), name);
            case VARBINARY -> encoder.setBytes(index, cast(byte[].class, value, layout, name));
            case DATE -> setDate(encoder, index, cast(LocalDate.class, value, layout, name), name);
            case TIME -> setTime(encoder, index, value, name);
            case TIMESTAMP -> {
                if (isSeconds(value, ((TimestampType) layout.type()).precision())) {
                    setSeconds(encoder, index, (BigDecimal) value, name);
                } else {
                    LocalDateTime time = cast(LocalDateTime.class, value, layout, name);
                    setInstant(encoder, index, time.toInstant(ZoneOffset.UTC), value, name);
                }
            }
            case TIMESTAMP_WITH_TIME_ZONE -> {
                if (isSeconds(value, ((TimestampType) layout.type()).precision())) {
                    setSeconds(encoder, index, (BigDecimal) value, name);
                } else {
                    Instant instant = cast(Instant.class, value, layout, name);
                    setInstant(encoder, index, instant, value, name);
                }
            }
            case UUID -> {
                UUID uuid = cast(UUID.class, value, layout, name);
                encoder.setInt128(
                        index, uuid.getMostSignificantBits(), uuid.getLeastSignificantBits());
            }
            case ARRAY -> setArray(encoder, index, cast(List.class, value, layout, name), name);
            case MAP -> setMap(encoder, index, cast(Map.class, value, layout, name), name);
            case ROW -> setRow(encoder, index, cast(List.class, value, layout, name), name);
        }
    }

    private static <T> T cast(Class<T> expected, Object value, ValueLayout layout, String name) {
        if (!expected.isInstance(value)) {
            throw new SteleException(
                    ErrorCode.TYPE_MISMATCH,
                    "Expected a "
                            + expected.getSimpleName()
                            + " for column '"
                            + name
                            + "' of type "
                            + layout.type()
                            + ", found a "
                            + value.getClass().getName());
        }
        return expected.cast(value);
    }

    private static long integer(Object value, ValueLayout layout, String name) {
        if (!(value instanceof Long
                || value instanceof Integer
                || value instanceof Short
                || value instanceof Byte)) {
            return cast(Long.class, value, layout, name);
        }
        long number = ((Number) value).longValue();
        int unusedBits = 64 - 8 * layout.form().width();
        if (number << unusedBits >> unusedBits != number) {
            throw mismatch(value, layout, name);
        }
        return number;
    }

    private static void setDecimal(ValueEncoder encoder, int index, BigDecimal value, String name) {
        ValueLayout layout = encoder.layout(index);
        DecimalType type = (DecimalType) layout.type();
        // Checked before setScale, which would expand the zeros of 1E+1000000000.
        if (value.signum() != 0
                && (long) value.precision() - value.scale() > type.precision() - type.scale()) {
            throw mismatch(value.precision() > 100 ? "more than 100 digits" : value, layout, name);
        }
        BigInteger unscaled = unscaled(value, type, layout, name);
        if (type.isShort()) {
            encoder.setLong(index, unscaled.longValueExact());
        } else {
            encoder.setInt128(index, unscaled.shiftRight(64).longValue(), unscaled.longValue());
        }
    }

    private static BigInteger unscaled(
            BigDecimal value, DecimalType type, ValueLayout layout, String name) {
        if (value.signum() == 0) {
            return BigInteger.ZERO;
        }
        // Digits beyond the type's scale are accepted if they are zeros.
        BigDecimal stripped = value.stripTrailingZeros();
        if (stripped.scale() > type.scale()) {
            throw mismatch(value, layout, name);
        }
        return stripped.setScale(type.scale()).unscaledValue();
    }

    private static void setText(ValueEncoder encoder, int index, String value, String name) {
        ValueLayout layout = encoder.layout(index);
        ValueLimits limits = layout.limits();
        if (value.length() > limits.maxCodePoints || limits.isChar) {
            String kept = limits.isChar ? stripTrailingSpaces(value) : value;
            int codePoints = kept.codePointCount(0, kept.length());
            if (codePoints > limits.maxCodePoints) {
                throw mismatch(codePoints + " characters", layout, name);
            }
        }
        encoder.setString(index, value);
    }

    private static String stripTrailingSpaces(String value) {
        int length = value.length();
        while (length > 0 && value.charAt(length - 1) == ' ') {
            length--;
        }
        return value.substring(0, length);
    }

    private static void setDate(ValueEncoder encoder, int index, LocalDate value, String name) {
        long day = value.toEpochDay();
        if (day != (int) day) {
            throw mismatch(value, encoder.layout(index), name);
        }
        encoder.setLong(index, day);
    }

    /** Whether a value is seconds with a fraction, for a type without a Java class. */
    private static boolean isSeconds(Object value, int precision) {
        return precision > NANOS_DIGITS && value instanceof BigDecimal;
    }

    private static void setTime(ValueEncoder encoder, int index, Object value, String name) {
        ValueLayout layout = encoder.layout(index);
        TimeType type = (TimeType) layout.type();
        if (isSeconds(value, type.precision())) {
            setSeconds(encoder, index, (BigDecimal) value, name);
            return;
        }
        long nanos = cast(LocalTime.class, value, layout, name).toNanoOfDay();
        long number = type.isPicos() ? nanos * PICOS_PER_NANO : nanos;
        encoder.setLong(index, inRange(number, value, layout, name));
    }

    /** Sets seconds since midnight or 1970 for types of picoseconds. */
    private static void setSeconds(
            ValueEncoder encoder, int index, BigDecimal seconds, String name) {
        ValueLayout layout = encoder.layout(index);
        // Checked before the digits are expanded, as of 1E+1000000000
        if (seconds.signum() != 0 && (long) seconds.precision() - seconds.scale() > MAX_DIGITS) {
            throw mismatch("seconds of more than " + MAX_DIGITS + " digits", layout, name);
        }
        if (seconds.signum() != 0 && seconds.stripTrailingZeros().scale() > PICOS_DIGITS) {
            throw mismatch(seconds, layout, name);
        }
        BigInteger units =
                seconds.signum() == 0
                        ? BigInteger.ZERO
                        : seconds.stripTrailingZeros().setScale(PICOS_DIGITS).unscaledValue();
        if (layout.form() == PhysicalForm.INT64) {
            if (units.bitLength() >= Long.SIZE) {
                throw mismatch(seconds, layout, name);
            }
            encoder.setLong(index, inRange(units.longValue(), seconds, layout, name));
            return;
        }
        setWide(encoder, index, units, seconds, name);
    }

    private static void setWide(
            ValueEncoder encoder, int index, BigInteger units, Object value, String name) {
        ValueLayout layout = encoder.layout(index);
        long high = units.shiftRight(Long.SIZE).longValue();
        if (!layout.limits().allows(high, units.longValue())) {
            throw mismatch(value, layout, name);
        }
        encoder.setInt128(index, high, units.longValue());
    }

    private static void setInstant(
            ValueEncoder encoder, int index, Instant instant, Object value, String name) {
        ValueLayout layout = encoder.layout(index);
        TimestampType type = (TimestampType) layout.type();
        if (type.isWide()) {
            BigInteger units =
                    BigInteger.valueOf(instant.getEpochSecond())
                            .multiply(BigInteger.valueOf(NANOS_PER_SECOND))
                            .add(BigInteger.valueOf(instant.getNano()))
                            .multiply(BigInteger.TEN.pow(type.unitDigits() - NANOS_DIGITS));
            setWide(encoder, index, units, value, name);
            return;
        }
        long perSecond = perSecond(type);
        long nanosPerUnit = NANOS_PER_SECOND / perSecond;
        if (instant.getNano() % nanosPerUnit != 0) {
            throw mismatch(value, layout, name);
        }
        try {
            // Moves seconds before 1970 one step towards 1970 first, or the smallest value would
            // overflow.
            long seconds = instant.getEpochSecond();
            long fraction = instant.getNano() / nanosPerUnit;
            long number =
                    seconds < 0
                            ? Math.addExact(
                                    Math.multiplyExact(seconds + 1, perSecond),
                                    fraction - perSecond)
                            : Math.addExact(Math.multiplyExact(seconds, perSecond), fraction);
            encoder.setLong(index, inRange(number, value, layout, name));
        } catch (ArithmeticException | DateTimeException e) {
            throw mismatch(value, layout, name);
        }
    }

    private static long inRange(long number, Object value, ValueLayout layout, String name) {
        if (!layout.limits().allows(number)) {
            throw mismatch(value, layout, name);
        }
        return number;
    }

    private static long perSecond(TimestampType type) {
        return type.isNanos() ? NANOS_PER_SECOND : MICROS_PER_SECOND;
    }

    private static void setArray(ValueEncoder encoder, int index, List<?> values, String name) {
        ArrayEncoder array = encoder.beginArray(index, values.size());
        setElements(array, values, name);
        array.end();
    }

    private static void setElements(ArrayEncoder array, Iterable<?> values, String name) {
        int index = 0;
        for (@Nullable Object value : values) {
            if (value != null) {
                set(array, index, value, name);
            }
            index++;
        }
    }

    private static void setMap(ValueEncoder encoder, int index, Map<?, ?> values, String name) {
        for (@Nullable Object key : values.keySet()) {
            if (key == null) {
                throw new SteleException(
                        ErrorCode.TYPE_MISMATCH,
                        "Expected map keys in column '" + name + "', found null");
            }
        }
        MapEncoder map = encoder.beginMap(index, values.size());
        ArrayEncoder keys = map.beginKeys();
        setElements(keys, values.keySet(), name);
        keys.end();
        ArrayEncoder mapValues = map.beginValues();
        setElements(mapValues, values.values(), name);
        mapValues.end();
        map.end();
    }

    private static void setRow(ValueEncoder encoder, int index, List<?> values, String name) {
        RowEncoder row = encoder.beginRow(index);
        if (values.size() != row.count()) {
            throw new SteleException(
                    ErrorCode.TYPE_MISMATCH,
                    "Expected "
                            + row.count()
                            + " field values in column '"
                            + name
                            + "', found "
                            + values.size());
        }
        for (int i = 0; i < row.count(); i++) {
            Object value = values.get(i);
            if (value != null) {
                set(row, i, value, name);
            }
        }
        row.end();
    }

    private static SteleException mismatch(Object value, ValueLayout layout, String name) {
        return new SteleException(
                ErrorCode.TYPE_MISMATCH,
                "Expected a value of type "
                        + layout.type()
                        + " in column '"
                        + name
                        + "', found "
                        + value);
    }
}
