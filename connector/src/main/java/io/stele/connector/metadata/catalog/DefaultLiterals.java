package io.stele.connector.metadata.catalog;

import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;

import io.stele.protocol.SteleException;
import io.stele.protocol.row.InitialRow;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.InitialValue;
import io.trino.spi.TrinoException;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A parser of the literals of {@code ADD COLUMN ... DEFAULT} in Trino's spelling, for the values of
 * existing rows: {@code 7}, {@code 'text'}, {@code DATE '2026-01-01'}. Trino has checked them and
 * passes the text. A connector cannot evaluate it, so any text that is not a plain literal of the
 * column's type is refused. Stateless.
 */
public final class DefaultLiterals {
    private static final Pattern QUOTED =
            Pattern.compile("(?<type>[A-Za-z]*)\\s*'(?<text>.*)'", Pattern.DOTALL);

    private static final String DAY = "(?<year>-?\\d{4,9})-(?<month>\\d{1,2})-(?<day>\\d{1,2})";
    private static final String TIME_OF_DAY =
            "(?<hour>\\d{1,2}):(?<minute>\\d{1,2})(?::(?<second>\\d{1,2})(?:\\.(?<fraction>\\d{1,12}))?)?";
    private static final Pattern DATE = Pattern.compile(DAY);
    private static final Pattern TIME = Pattern.compile(TIME_OF_DAY);
    private static final Pattern TIMESTAMP = Pattern.compile(DAY + "(?: " + TIME_OF_DAY + ")?");
    private static final Pattern INSTANT =
            Pattern.compile(DAY + " (?:" + TIME_OF_DAY + "\\s*)?(?<zone>[^\\s\\d:.].*)");
    private static final int NANO_DIGITS = 9;
    private static final int PICO_DIGITS = 12;

    private DefaultLiterals() {}

    /**
     * The value of the existing rows when the column is added; empty for NULL.
     *
     * @throws TrinoException NOT_SUPPORTED, naming the column: the literal is not a plain one of
     *     the type
     */
    public static Optional<InitialValue> initialValue(
            String column, DataType type, String literal) {
        if (literal.equalsIgnoreCase("null")) {
            return Optional.empty();
        }
        try {
            return Optional.of(InitialRow.value(type, value(type, Literal.of(literal))));
        } catch (SteleException
                | DateTimeException
                | ArithmeticException
                | IllegalArgumentException e) {
            throw new TrinoException(
                    NOT_SUPPORTED,
                    "Expected a plain literal of type %s as the default of the new column '%s', which rows that are there get, found %s; without rows to get it, use ALTER COLUMN ... SET DEFAULT"
                            .formatted(type, column, literal),
                    e);
        }
    }

    private static Object value(DataType type, Literal literal) {
        String text = literal.text();
        return switch (type.kind()) {
            case BOOLEAN -> bool(text);
            case TINYINT, SMALLINT, INTEGER, BIGINT -> new BigDecimal(text).longValueExact();
            case REAL -> Float.parseFloat(text);
            case DOUBLE -> Double.parseDouble(text);
            case DECIMAL -> new BigDecimal(text);
            case VARCHAR -> literal.quoted("VARCHAR");
            case CHAR -> literal.quoted("CHAR").stripTrailing();
            case VARBINARY -> HexFormat.of().parseHex(literal.quoted("X"));
            case DATE -> date(matched(DATE, literal.quoted("DATE")));
            case TIME -> time(matched(TIME, literal.quoted("TIME")));
            case TIMESTAMP -> timestamp(literal.quoted("TIMESTAMP"));
            case TIMESTAMP_WITH_TIME_ZONE -> instant(matched(INSTANT, literal.quoted("TIMESTAMP")));
            case UUID -> UUID.fromString(literal.quoted("UUID"));
            case JSON, ARRAY, MAP, ROW ->
                    throw new IllegalArgumentException("No plain literals of " + type);
        };
    }

    /**
     * The text of a literal.
     *
     * @param type before the quotes, empty without one; null: there are no quotes
     */
    private record Literal(@Nullable String type, String text) {
        static Literal of(String literal) {
            Matcher quoted = QUOTED.matcher(literal);
            return quoted.matches()
                    ? new Literal(quoted.group("type"), quoted.group("text").replace("''", "'"))
                    : new Literal(null, literal);
        }

        /** The text of a quoted literal of a type, or of none. */
        String quoted(String expected) {
            if (type == null || !(type.isEmpty() || type.equalsIgnoreCase(expected))) {
                throw new IllegalArgumentException("Expected " + expected + ", found " + type);
            }
            return text;
        }
    }

    private static boolean bool(String text) {
        if (!List.of("true", "false").contains(text)) {
            throw new IllegalArgumentException("Expected true or false, found " + text);
        }
        return text.equals("true");
    }

    private static Matcher matched(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("Expected " + pattern + ", found " + text);
        }
        return matcher;
    }

    private static LocalDate date(Matcher day) {
        return LocalDate.of(number(day, "year"), number(day, "month"), number(day, "day"));
    }

    private static Object time(Matcher time) {
        LocalTime nanos = nanosOfTime(time);
        return withPicos(nanos, BigDecimal.valueOf(nanos.toNanoOfDay(), NANO_DIGITS), time);
    }

    /** The value of a timestamp, of a class that rows accept. */
    public static Object timestamp(String text) {
        Matcher timestamp = matched(TIMESTAMP, text);
        LocalDateTime local = nanosOfTimestamp(timestamp);
        return withPicos(local, seconds(local.toInstant(ZoneOffset.UTC)), timestamp);
    }

    private static LocalTime nanosOfTime(Matcher time) {
        int nanos = Integer.parseInt(fraction(time).substring(0, NANO_DIGITS));
        return LocalTime.of(
                number(time, "hour"), number(time, "minute"), number(time, "second"), nanos);
    }

    /** The fraction of a second in twelve digits. */
    private static String fraction(Matcher time) {
        String digits = Optional.ofNullable(time.group("fraction")).orElse("");
        return digits + "0".repeat(PICO_DIGITS - digits.length());
    }

    /**
     * The value with nanoseconds, or decimal seconds if it has picoseconds, which Java's time
     * classes do not hold.
     */
    private static Object withPicos(Object nanos, BigDecimal seconds, Matcher time) {
        int picos = Integer.parseInt(fraction(time).substring(NANO_DIGITS));
        return picos == 0 ? nanos : seconds.add(BigDecimal.valueOf(picos, PICO_DIGITS));
    }

    private static BigDecimal seconds(Instant instant) {
        return BigDecimal.valueOf(instant.getEpochSecond())
                .add(BigDecimal.valueOf(instant.getNano(), NANO_DIGITS));
    }

    private static LocalDateTime nanosOfTimestamp(Matcher timestamp) {
        return date(timestamp).atTime(nanosOfTime(timestamp));
    }

    private static Object instant(Matcher instant) {
        LocalDateTime local = nanosOfTimestamp(instant);
        List<ZoneOffset> offsets =
                ZoneId.of(instant.group("zone")).getRules().getValidOffsets(local);
        if (offsets.size() != 1) {
            throw new DateTimeException("Expected a time that was once, found " + local);
        }
        Instant nanos = local.toInstant(offsets.getFirst());
        return withPicos(nanos, seconds(nanos), instant);
    }

    private static int number(Matcher matcher, String group) {
        return Optional.ofNullable(matcher.group(group)).map(Integer::parseInt).orElse(0);
    }
}
