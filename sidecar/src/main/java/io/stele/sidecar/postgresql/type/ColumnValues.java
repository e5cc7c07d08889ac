package io.stele.sidecar.postgresql.type;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.row.Rows;
import io.stele.protocol.schema.ArrayType;
import io.stele.protocol.schema.CharType;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.DecimalType;
import io.stele.protocol.schema.MapType;
import io.stele.protocol.schema.RowType;
import io.stele.protocol.schema.TimeType;
import io.stele.protocol.schema.TimestampType;
import io.stele.protocol.schema.VarcharType;
import io.stele.sidecar.postgresql.wire.PostgresException;
import io.stele.sidecar.postgresql.wire.SqlState;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A converter between values of Stele's columns, in the classes of {@link Rows}, and PostgreSQL's
 * values, in the classes of {@link PostgresType}. Stateless.
 */
public final class ColumnValues {
    private static final ObjectMapper JSON =
            new ObjectMapper().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS);
    private static final int MAX_DIGITS = 9; // digits of nanoseconds
    private static final BigDecimal NANOS = BigDecimal.valueOf(1_000_000_000);

    private ColumnValues() {}

    /** Converts a column's value to the class of its PostgreSQL type. */
    public static Object toPostgres(DataType type, Object value) {
        return switch (type.kind()) {
            case TINYINT -> (short) (byte) (Byte) value;
            case TIME -> value instanceof BigDecimal seconds ? timeOf(seconds) : value;
            case TIMESTAMP ->
                    value instanceof BigDecimal seconds
                            ? LocalDateTime.ofInstant(instantOf(seconds), ZoneOffset.UTC)
                            : value;
            case TIMESTAMP_WITH_TIME_ZONE ->
                    value instanceof BigDecimal seconds ? instantOf(seconds) : value;
            case ARRAY, MAP, ROW -> json(type, value);
            default -> value;
        };
    }

    private static LocalTime timeOf(BigDecimal seconds) {
        return LocalTime.ofNanoOfDay(seconds.multiply(NANOS).longValue());
    }

    private static Instant instantOf(BigDecimal seconds) {
        BigDecimal whole = seconds.setScale(0, RoundingMode.FLOOR);
        return Instant.ofEpochSecond(
                whole.longValue(), seconds.subtract(whole).multiply(NANOS).longValue());
    }

    private static String json(DataType type, Object value) {
        try {
            return JSON.writeValueAsString(plain(type, value));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("A value of type " + type + " is no JSON", e);
        }
    }

    private static @Nullable Object plain(DataType type, @Nullable Object value) {
        if (value == null) {
            return null;
        }
        return switch (type) {
            case ArrayType array -> {
                List<@Nullable Object> elements = new ArrayList<>();
                ((List<?>) value).forEach(element -> elements.add(plain(array.element(), element)));
                yield elements;
            }
            case MapType map -> {
                Map<String, @Nullable Object> entries = new LinkedHashMap<>();
                ((Map<?, ?>) value)
                        .forEach(
                                (key, mapped) ->
                                        entries.put(
                                                String.valueOf(plain(map.key(), key)),
                                                plain(map.value(), mapped)));
                yield entries;
            }
            case RowType row -> {
                Map<String, @Nullable Object> fields = new LinkedHashMap<>();
                List<?> values = (List<?>) value;
                for (int i = 0; i < values.size(); i++) {
                    RowType.Field field = row.fields().get(i);
                    fields.put(
                            field.name().orElse("field" + i), plain(field.type(), values.get(i)));
                }
                yield fields;
            }
            default -> {
                Object shown = toPostgres(type, value);
                yield shown instanceof Number || shown instanceof Boolean || shown instanceof String
                        ? shown
                        : TextFormat.write(shown);
            }
        };
    }

    /**
     * Converts a value to a column's type, as PostgreSQL casts in assignments: numbers are rounded,
     * texts are parsed.
     *
     * @param zone of timestamps without a zone
     * @throws PostgresException DATATYPE_MISMATCH, INVALID_TEXT, or a state for a value out of the
     *     type's range
     */
    public static Object toColumn(DataType type, Object value, ZoneId zone, String column) {
        Object found =
                value instanceof String text && !PostgresType.of(type).isText()
                        ? read(type, text, zone)
                        : value;
        return switch (type.kind()) {
            case TINYINT, SMALLINT, INTEGER, BIGINT -> integer(type, found, column);
            case REAL -> {
                if (found instanceof Number number) {
                    yield finite(type, number, number.floatValue(), column);
                }
                throw mismatch(type, found, column);
            }
            case DOUBLE -> {
                if (found instanceof Number number) {
                    yield finite(type, number, number.doubleValue(), column);
                }
                throw mismatch(type, found, column);
            }
            case DECIMAL -> decimal((DecimalType) type, found, column);
            case VARCHAR, CHAR -> found instanceof String text ? text : TextFormat.write(found);
            case JSON ->
                    checkedJson(
                            type, found instanceof String text ? text : TextFormat.write(found));
            case BOOLEAN -> require(Boolean.class, type, found, column);
            case VARBINARY -> require(byte[].class, type, found, column);
            case DATE ->
                    switch (found) {
                        case LocalDateTime time -> time.toLocalDate();
                        case Instant instant -> LocalDate.ofInstant(instant, zone);
                        default -> require(LocalDate.class, type, found, column);
                    };
            case TIME -> {
                LocalTime time =
                        found instanceof LocalDateTime both
                                ? both.toLocalTime()
                                : (LocalTime) require(LocalTime.class, type, found, column);
                yield time.plusNanos(rounding(time.getNano(), ((TimeType) type).precision()));
            }
            case TIMESTAMP -> {
                LocalDateTime time =
                        switch (found) {
                            case LocalDate date -> date.atStartOfDay();
                            case Instant instant -> LocalDateTime.ofInstant(instant, zone);
                            default ->
                                    (LocalDateTime)
                                            require(LocalDateTime.class, type, found, column);
                        };
                yield time.plusNanos(rounding(time.getNano(), ((TimestampType) type).precision()));
            }
            case TIMESTAMP_WITH_TIME_ZONE -> {
                Instant instant =
                        switch (found) {
                            case LocalDate date -> date.atStartOfDay(zone).toInstant();
                            case LocalDateTime time -> time.atZone(zone).toInstant();
                            default -> (Instant) require(Instant.class, type, found, column);
                        };
                yield instant.plusNanos(
                        rounding(instant.getNano(), ((TimestampType) type).precision()));
            }
            case UUID -> require(UUID.class, type, found, column);
            case ARRAY, MAP, ROW -> found;
        };
    }

    /**
     * Returns the number of nanoseconds to add, so that the sum has no more digits than the
     * precision.
     */
    private static long rounding(int nanos, int precision) {
        if (precision >= MAX_DIGITS) {
            return 0;
        }
        int unit = 1;
        for (int digit = precision; digit < MAX_DIGITS; digit++) {
            unit *= 10;
        }
        int rest = nanos % unit;
        return 2L * rest >= unit ? unit - rest : -rest;
    }

    /**
     * Whether comparisons of a column with another type can be expressed in values of the column,
     * so that they may become keys and bounds. If not, values are compared row by row.
     */
    public static boolean isComparableAs(DataType column, PostgresType other) {
        PostgresType own = PostgresType.of(column);
        if (own == other) {
            return true;
        }
        if (own.isText() && other.isText()) {
            // In a comparison with a char, blanks at the end are not significant, but keys of other
            // text types contain them
            return own == PostgresType.BPCHAR || other != PostgresType.BPCHAR;
        }
        return switch (own) {
            case INT2, INT4, INT8, NUMERIC ->
                    other.isNumber()
                            && other != PostgresType.FLOAT4
                            && other != PostgresType.FLOAT8;
            case FLOAT8 -> other.isNumber();
            default -> false;
        };
    }

    /** Converts a value as {@link #toColumn}; empty if no value of the column equals it. */
    public static Optional<Object> toEqual(DataType type, Object value, ZoneId zone) {
        if (value instanceof BigDecimal || value instanceof Double || value instanceof Float) {
            BigDecimal exact = decimalOf((Number) value);
            if (exact == null) {
                return PostgresType.of(type) == PostgresType.FLOAT4
                                || PostgresType.of(type) == PostgresType.FLOAT8
                        ? Optional.of(toColumn(type, value, zone, "key"))
                        : Optional.empty();
            }
            boolean isWhole = exact.stripTrailingZeros().scale() <= 0;
            if (PostgresType.of(type).isNumber() && !isWhole && isInteger(type)) {
                return Optional.empty();
            }
            if (type instanceof DecimalType decimal
                    && exact.stripTrailingZeros().scale() > decimal.scale()) {
                return Optional.empty();
            }
        }
        if (value instanceof String text
                && type instanceof VarcharType varchar
                && text.codePointCount(0, text.length()) > varchar.length()) {
            return Optional.empty();
        }
        if (value instanceof String text
                && type instanceof CharType character
                && withoutBlanks(text).codePointCount(0, withoutBlanks(text).length())
                        > character.length()) {
            return Optional.empty();
        }
        try {
            Object found = toColumn(type, value, zone, "key");
            return isRounded(value, found) ? Optional.empty() : Optional.of(found);
        } catch (PostgresException outside) {
            if (outside.state() == SqlState.NUMERIC_OUT_OF_RANGE) {
                return Optional.empty();
            }
            throw outside;
        }
    }

    /** Returns a text without blanks at the end, as in a char column. */
    public static String withoutBlanks(String text) {
        int length = text.length();
        while (length > 0 && text.charAt(length - 1) == ' ') {
            length--;
        }
        return text.substring(0, length);
    }

    /** Whether a time has lost digits in its column's type. */
    private static boolean isRounded(Object value, Object found) {
        return switch (found) {
            case LocalTime time -> value instanceof LocalTime other && !other.equals(time);
            case LocalDateTime time -> value instanceof LocalDateTime other && !other.equals(time);
            case Instant instant -> value instanceof Instant other && !other.equals(instant);
            default -> false;
        };
    }

    private static boolean isInteger(DataType type) {
        return switch (PostgresType.of(type)) {
            case INT2, INT4, INT8 -> true;
            default -> false;
        };
    }

    private static @Nullable BigDecimal decimalOf(Number number) {
        return switch (number) {
            case BigDecimal decimal -> decimal;
            case Double real ->
                    Double.isNaN(real) || Double.isInfinite(real) ? null : new BigDecimal(real);
            case Float real ->
                    Float.isNaN(real) || Float.isInfinite(real) ? null : new BigDecimal(real);
            default -> BigDecimal.valueOf(number.longValue());
        };
    }

    private static Object read(DataType type, String text, ZoneId zone) {
        return switch (type.kind()) {
            case ARRAY, MAP, ROW -> nested(type, text, zone);
            case TINYINT, SMALLINT, INTEGER, BIGINT ->
                    TextFormat.read(PostgresType.INT8, text, zone);
            default -> TextFormat.read(PostgresType.of(type), text, zone);
        };
    }

    private static Object nested(DataType type, String text, ZoneId zone) {
        try {
            Object tree = JSON.readValue(text, Object.class);
            if (tree == null) {
                throw invalidJson(type, text);
            }
            return typed(type, tree, zone);
        } catch (JsonProcessingException | ClassCastException e) {
            throw invalidJson(type, text);
        }
    }

    /** Returns a text, which must be one value of JSON. */
    private static String checkedJson(DataType type, String text) {
        try (JsonParser parser = JSON.createParser(text)) {
            boolean isThere = parser.nextToken() != null;
            parser.skipChildren();
            if (!isThere || parser.nextToken() != null) {
                throw invalidJson(type, text);
            }
            return text;
        } catch (IOException e) {
            throw invalidJson(type, text);
        }
    }

    private static PostgresException invalidJson(DataType type, String text) {
        return new PostgresException(
                SqlState.INVALID_TEXT,
                "Expected JSON of a value of type %s, found '%s'"
                        .formatted(type, text.length() <= 100 ? text : text.substring(0, 100)));
    }

    private static Object typed(DataType type, Object tree, ZoneId zone) {
        return switch (type) {
            case ArrayType array -> {
                List<@Nullable Object> elements = new ArrayList<>();
                for (Object element : (List<?>) tree) {
                    elements.add(element == null ? null : typed(array.element(), element, zone));
                }
                yield elements;
            }
            case MapType map -> {
                Map<Object, @Nullable Object> entries = new LinkedHashMap<>();
                ((Map<?, ?>) tree)
                        .forEach(
                                (key, value) ->
                                        entries.put(
                                                typed(map.key(), key, zone),
                                                value == null
                                                        ? null
                                                        : typed(map.value(), value, zone)));
                yield entries;
            }
            case RowType row -> {
                Map<?, ?> fields = (Map<?, ?>) tree;
                List<@Nullable Object> values = new ArrayList<>();
                for (int i = 0; i < row.fields().size(); i++) {
                    RowType.Field field = row.fields().get(i);
                    Object value = fields.get(field.name().orElse("field" + i));
                    values.add(value == null ? null : typed(field.type(), value, zone));
                }
                yield values;
            }
            default -> toColumn(type, tree, zone, "element");
        };
    }

    private static <T extends Number> T finite(DataType type, Number from, T real, String column) {
        if (Double.isInfinite(real.doubleValue()) && !Double.isInfinite(from.doubleValue())) {
            throw outOfRange(type, from, column);
        }
        return real;
    }

    private static Object integer(DataType type, Object value, String column) {
        if (!(value instanceof Number number)) {
            throw mismatch(type, value, column);
        }
        long whole =
                switch (number) {
                    case Long one -> one;
                    case Integer one -> one;
                    case Short one -> one;
                    default -> whole(type, number, column);
                };
        int unused = Long.SIZE - 8 * type.form().width();
        if (whole << unused >> unused != whole) {
            throw outOfRange(type, value, column);
        }
        return whole;
    }

    private static long whole(DataType type, Number number, String column) {
        BigDecimal exact = decimalOf(number);
        try {
            if (exact == null) {
                throw new ArithmeticException();
            }
            return exact.setScale(
                            0,
                            number instanceof Double || number instanceof Float
                                    ? RoundingMode.HALF_EVEN
                                    : RoundingMode.HALF_UP)
                    .longValueExact();
        } catch (ArithmeticException e) {
            throw outOfRange(type, number, column);
        }
    }

    private static Object decimal(DecimalType type, Object value, String column) {
        if (!(value instanceof Number number)) {
            throw mismatch(type, value, column);
        }
        BigDecimal exact =
                number instanceof Double || number instanceof Float
                        ? new BigDecimal(number.toString())
                        : decimalOf(number);
        if (exact == null) {
            throw outOfRange(type, value, column);
        }
        BigDecimal rounded = exact.setScale(type.scale(), RoundingMode.HALF_UP);
        if (rounded.precision() - rounded.scale() > type.precision() - type.scale()) {
            throw outOfRange(type, value, column);
        }
        return rounded;
    }

    private static Object require(Class<?> expected, DataType type, Object value, String column) {
        if (!expected.isInstance(value)) {
            throw mismatch(type, value, column);
        }
        return value;
    }

    private static PostgresException mismatch(DataType type, Object value, String column) {
        return new PostgresException(
                SqlState.DATATYPE_MISMATCH,
                "Expected a value of type %s for column '%s', found a %s"
                        .formatted(type, column, value.getClass().getSimpleName()));
    }

    private static PostgresException outOfRange(DataType type, Object value, String column) {
        return new PostgresException(
                SqlState.NUMERIC_OUT_OF_RANGE,
                "Expected a value in the range of %s for column '%s', found %s"
                        .formatted(type, column, value));
    }

    /** Returns the PostgreSQL error for a value that was refused when its row was encoded. */
    public static PostgresException refused(SteleException failure) {
        return failure.code() == ErrorCode.TYPE_MISMATCH
                ? new PostgresException(
                        SqlState.STRING_TOO_LONG, String.valueOf(failure.getMessage()))
                : PostgresException.of(failure);
    }
}
