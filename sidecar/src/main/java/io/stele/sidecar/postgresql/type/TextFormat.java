package io.stele.sidecar.postgresql.type;

import io.stele.sidecar.postgresql.wire.PostgresException;
import io.stele.sidecar.postgresql.wire.SqlState;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.DateTimeParseException;
import java.time.format.ResolverStyle;
import java.time.format.SignStyle;
import java.time.temporal.ChronoField;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The encoder and parser of values in PostgreSQL's text format with DateStyle ISO; {@link
 * PostgresType} defines the classes of values. Stateless.
 */
public final class TextFormat {
    private static final int MAX_NUMBER_DIGITS = 200_000;
    private static final int MAX_EXPONENT = 20_000;

    // Powers of ten between which reals are written without an exponent
    private static final int MIN_FIXED_EXPONENT = -4;
    private static final int MAX_FIXED_FLOAT4 = 5;
    private static final int MAX_FIXED_FLOAT8 = 14;

    private static final DateTimeFormatter DATE_OUT =
            new DateTimeFormatterBuilder()
                    .appendValue(ChronoField.YEAR_OF_ERA, 4, 10, SignStyle.NOT_NEGATIVE)
                    .appendPattern("-MM-dd")
                    .toFormatter(Locale.ROOT);
    private static final DateTimeFormatter TIME_OUT =
            new DateTimeFormatterBuilder()
                    .appendPattern("HH:mm:ss")
                    .appendFraction(ChronoField.NANO_OF_SECOND, 0, 9, true)
                    .toFormatter(Locale.ROOT);
    private static final DateTimeFormatter DATE_IN =
            new DateTimeFormatterBuilder()
                    .appendValue(ChronoField.YEAR, 4, 10, SignStyle.NORMAL)
                    .appendPattern("-M-d")
                    .toFormatter(Locale.ROOT)
                    .withResolverStyle(ResolverStyle.STRICT);
    private static final DateTimeFormatter TIME_IN =
            new DateTimeFormatterBuilder()
                    .appendPattern("H:mm[:ss]")
                    .appendFraction(ChronoField.NANO_OF_SECOND, 0, 9, true)
                    .toFormatter(Locale.ROOT);

    private TextFormat() {}

    /** Returns a value as text. */
    public static String write(Object value) {
        return switch (value) {
            case Boolean truth -> truth ? "t" : "f";
            case BigDecimal number -> number.toPlainString();
            case Float number -> real(number.toString(), MAX_FIXED_FLOAT4);
            case Double number -> real(number.toString(), MAX_FIXED_FLOAT8);
            case byte[] bytes -> "\\x" + HexFormat.of().formatHex(bytes);
            case LocalDate date -> dated(date, "");
            case LocalTime time -> TIME_OUT.format(time);
            case LocalDateTime time ->
                    dated(time.toLocalDate(), " " + TIME_OUT.format(time.toLocalTime()));
            case Instant instant -> {
                LocalDateTime utc = LocalDateTime.ofInstant(instant, ZoneOffset.UTC);
                yield dated(utc.toLocalDate(), " " + TIME_OUT.format(utc.toLocalTime()) + "+00");
            }
            case List<?> elements -> array(elements);
            default -> value.toString();
        };
    }

    private static String dated(LocalDate date, String rest) {
        return DATE_OUT.format(date) + rest + (date.getYear() <= 0 ? " BC" : "");
    }

    /**
     * Writes a number, as Java shows it, with an exponent only where PostgreSQL does: Java does for
     * numbers of 10,000,000 and more, and for those below 0.001.
     */
    private static String real(String number, int maxFixedExponent) {
        if (number.indexOf('E') < 0 && number.indexOf('.') <= maxFixedExponent + 1) {
            // 1.0 is written as 1
            return number.endsWith(".0") ? number.substring(0, number.length() - 2) : number;
        }
        BigDecimal exact = new BigDecimal(number).stripTrailingZeros();
        int exponent = exact.precision() - exact.scale() - 1;
        if (exponent >= MIN_FIXED_EXPONENT && exponent <= maxFixedExponent) {
            return exact.toPlainString();
        }
        String digits = exact.unscaledValue().abs().toString();
        return (exact.signum() < 0 ? "-" : "")
                + digits.charAt(0)
                + (digits.length() > 1 ? "." + digits.substring(1) : "")
                + (exponent < 0 ? "e-" : "e+")
                + (Math.abs(exponent) < 10 ? "0" : "")
                + Math.abs(exponent);
    }

    private static String array(List<?> elements) {
        StringBuilder text = new StringBuilder("{");
        for (Object element : elements) {
            if (text.length() > 1) {
                text.append(',');
            }
            if (element == null) {
                text.append("NULL");
            } else if (element instanceof List<?> nested) {
                text.append(array(nested));
            } else {
                text.append(quoted(write(element)));
            }
        }
        return text.append('}').toString();
    }

    private static String quoted(String element) {
        boolean plain =
                !element.isEmpty()
                        && !element.equalsIgnoreCase("NULL")
                        && element.chars()
                                .noneMatch(
                                        character ->
                                                "{},\"\\".indexOf(character) >= 0
                                                        || Character.isWhitespace(character));
        return plain ? element : '"' + element.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    /**
     * Parses a text.
     *
     * @param zone of timestamps without a zone
     * @throws PostgresException INVALID_TEXT, NUMERIC_OUT_OF_RANGE, DATETIME_OUT_OF_RANGE
     */
    public static Object read(PostgresType type, String text, ZoneId zone) {
        String trimmed = text.strip();
        try {
            return switch (type) {
                case BOOL -> truth(text);
                case INT2 -> Short.parseShort(checkedInteger(type, trimmed));
                case INT4, OID -> Integer.parseInt(checkedInteger(type, trimmed));
                case INT8 -> Long.parseLong(checkedInteger(type, trimmed));
                case FLOAT4 -> {
                    String number = javaFloat(trimmed);
                    float real = Float.parseFloat(number);
                    checkFinite(type, number, Float.isInfinite(real));
                    yield real;
                }
                case FLOAT8 -> {
                    String number = javaFloat(trimmed);
                    double real = Double.parseDouble(number);
                    checkFinite(type, number, Double.isInfinite(real));
                    yield real;
                }
                case NUMERIC -> number(trimmed);
                case TEXT, VARCHAR, BPCHAR, NAME, CHAR, UNKNOWN, JSON, JSONB -> text;
                case BYTEA -> bytes(text);
                case DATE -> {
                    LocalDate date = date(trimmed);
                    int unused = BinaryFormat.days(date);
                    yield date;
                }
                case TIME -> time(trimmed);
                case TIMESTAMP -> {
                    LocalDateTime time = timestamp(trimmed);
                    long unused = BinaryFormat.micros(time.toInstant(ZoneOffset.UTC));
                    yield time;
                }
                case TIMESTAMPTZ -> {
                    Instant instant = instant(trimmed, zone);
                    long unused = BinaryFormat.micros(instant);
                    yield instant;
                }
                case UUID -> uuid(trimmed);
            };
        } catch (NumberFormatException e) {
            throw integerOutOfRange(type, trimmed);
        } catch (DateTimeException e) {
            throw isUnreadable(e) ? invalid(type, text) : datetimeOutOfRange(type, text);
        } catch (IllegalArgumentException e) {
            throw invalid(type, text);
        }
    }

    /** Whether a text is no date or time at all; others have a field that is out of its range. */
    private static boolean isUnreadable(DateTimeException failure) {
        return failure instanceof DateTimeParseException && failure.getCause() == null;
    }

    private static PostgresException datetimeOutOfRange(PostgresType type, String text) {
        return new PostgresException(
                SqlState.DATETIME_OUT_OF_RANGE,
                "Expected a value in the range of %s, found '%s'"
                        .formatted(type.sqlName(), shown(text)));
    }

    /** Refuses an infinity that the text does not name. */
    private static void checkFinite(PostgresType type, String text, boolean isInfinite) {
        if (isInfinite && !text.endsWith("Infinity")) {
            throw new PostgresException(
                    SqlState.NUMERIC_OUT_OF_RANGE,
                    "Expected a value in the range of %s, found '%s'"
                            .formatted(type.sqlName(), shown(text)));
        }
    }

    private static Boolean truth(String text) {
        return switch (text.strip().toLowerCase(Locale.ENGLISH)) {
            case "t", "true", "y", "yes", "on", "1" -> true;
            case "f", "false", "n", "no", "off", "0" -> false;
            default -> throw invalid(PostgresType.BOOL, text);
        };
    }

    private static String checkedInteger(PostgresType type, String text) {
        int start = text.startsWith("-") || text.startsWith("+") ? 1 : 0;
        if (text.length() == start) {
            throw invalid(type, text);
        }
        for (int i = start; i < text.length(); i++) {
            if (!isDigit(text.charAt(i))) {
                throw invalid(type, text);
            }
        }
        return text;
    }

    private static PostgresException integerOutOfRange(PostgresType type, String text) {
        return type.isNumber() && type != PostgresType.FLOAT4 && type != PostgresType.FLOAT8
                ? new PostgresException(
                        SqlState.NUMERIC_OUT_OF_RANGE,
                        "Expected a value in the range of %s, found '%s'"
                                .formatted(type.sqlName(), shown(text)))
                : invalid(type, text);
    }

    private static boolean isDigit(char character) {
        return character >= '0' && character <= '9';
    }

    private static String javaFloat(String text) {
        if (text.isEmpty() || !Character.isLetter(text.charAt(text.length() - 1))) {
            return text;
        }
        return switch (text.toLowerCase(Locale.ENGLISH)) {
            case "infinity", "inf", "+infinity" -> "Infinity";
            case "-infinity", "-inf" -> "-Infinity";
            case "nan" -> "NaN";
            default -> throw new IllegalArgumentException(); // Java takes 1f and 1d
        };
    }

    private static BigDecimal number(String text) {
        if (text.length() > MAX_NUMBER_DIGITS) {
            throw new PostgresException(
                    SqlState.NUMERIC_OUT_OF_RANGE,
                    "Expected a number of at most %s characters, found one of %s"
                            .formatted(MAX_NUMBER_DIGITS, text.length()));
        }
        BigDecimal number;
        try {
            number = new BigDecimal(text);
        } catch (NumberFormatException e) {
            throw invalid(PostgresType.NUMERIC, text);
        }
        if (Math.abs((long) number.scale()) > MAX_EXPONENT) {
            throw new PostgresException(
                    SqlState.NUMERIC_OUT_OF_RANGE,
                    "Expected an exponent of at most %s, found '%s'"
                            .formatted(MAX_EXPONENT, shown(text)));
        }
        return number;
    }

    /** Parses a bytea: hexadecimal after {@code \x}, or characters with octal escapes. */
    private static byte[] bytes(String text) {
        if (text.startsWith("\\x")) {
            return HexFormat.of().parseHex(text.substring(2));
        }
        byte[] from = text.getBytes(StandardCharsets.UTF_8);
        byte[] to = new byte[from.length];
        int size = 0;
        for (int i = 0; i < from.length; i++) {
            if (from[i] != '\\') {
                to[size++] = from[i];
            } else if (i + 1 < from.length && from[i + 1] == '\\') {
                to[size++] = '\\';
                i++;
            } else if (i + 3 < from.length) {
                to[size++] = (byte) Integer.parseInt(text(from, i + 1, 3), 8);
                i += 3;
            } else {
                throw new IllegalArgumentException();
            }
        }
        return java.util.Arrays.copyOf(to, size);
    }

    private static String text(byte[] from, int start, int length) {
        return new String(from, start, length, StandardCharsets.US_ASCII);
    }

    private static LocalDate date(String text) {
        if (isPlainDate(text)) {
            return LocalDate.of(digits(text, 0, 4), digits(text, 5, 7), digits(text, 8, 10));
        }
        boolean beforeChrist = text.endsWith(" BC");
        LocalDate date =
                LocalDate.parse(
                        beforeChrist ? text.substring(0, text.length() - 3) : firstWord(text),
                        DATE_IN);
        return beforeChrist ? date.withYear(1 - date.getYear()) : date;
    }

    /** The form that nearly all dates have, which a formatter reads ten times slower. */
    private static boolean isPlainDate(String text) {
        return text.length() == 10
                && text.charAt(4) == '-'
                && text.charAt(7) == '-'
                && areDigits(text, 0, 4)
                && areDigits(text, 5, 7)
                && areDigits(text, 8, 10);
    }

    /** The same of a time without a fraction; the formatter knows what 24 hours are. */
    private static boolean isPlainTime(String text) {
        return text.length() == 8
                && text.charAt(2) == ':'
                && text.charAt(5) == ':'
                && !text.startsWith("24")
                && areDigits(text, 0, 2)
                && areDigits(text, 3, 5)
                && areDigits(text, 6, 8);
    }

    private static boolean areDigits(String text, int from, int to) {
        for (int i = from; i < to; i++) {
            if (!isDigit(text.charAt(i))) {
                return false;
            }
        }
        return true;
    }

    private static int digits(String text, int from, int to) {
        return Integer.parseInt(text, from, to, 10);
    }

    private static LocalTime time(String text) {
        return isPlainTime(text)
                ? LocalTime.of(digits(text, 0, 2), digits(text, 3, 5), digits(text, 6, 8))
                : LocalTime.parse(text, TIME_IN);
    }

    private static String firstWord(String text) {
        int end = timeStart(text);
        return end < 0 ? text : text.substring(0, end);
    }

    private static int timeStart(String text) {
        int space = text.indexOf(' ');
        return space >= 0 ? space : text.indexOf('T');
    }

    /** Parses a timestamp; a zone in it has no effect, as in PostgreSQL. */
    private static LocalDateTime timestamp(String text) {
        return split(text).local;
    }

    private static Instant instant(String text, ZoneId zone) {
        Split split = split(text);
        if (split.offset == null) {
            return split.local.atZone(zone).toInstant();
        }
        return OffsetDateTime.of(split.local, split.offset).toInstant();
    }

    private record Split(LocalDateTime local, @Nullable ZoneOffset offset) {}

    private static Split split(String text) {
        boolean beforeChrist = text.endsWith(" BC");
        String rest = beforeChrist ? text.substring(0, text.length() - 3).strip() : text;
        int at = timeStart(rest);
        String date = at < 0 ? rest : rest.substring(0, at);
        LocalDate day = date(beforeChrist ? date + " BC" : date);
        if (at < 0) {
            return new Split(day.atStartOfDay(), null);
        }
        String time = rest.substring(at + 1).strip();
        int zoneAt = zoneStart(time);
        LocalTime clock = time(time.substring(0, zoneAt).strip());
        String zone = time.substring(zoneAt).strip();
        return new Split(day.atTime(clock), zone.isEmpty() ? null : offset(zone));
    }

    private static int zoneStart(String time) {
        for (int i = 0; i < time.length(); i++) {
            char character = time.charAt(i);
            if (character == '+' || character == '-' || Character.isLetter(character)) {
                return i;
            }
        }
        return time.length();
    }

    private static ZoneOffset offset(String zone) {
        if (zone.equalsIgnoreCase("Z") || zone.equalsIgnoreCase("UTC")) {
            return ZoneOffset.UTC;
        }
        try {
            return ZoneOffset.of(zone);
        } catch (DateTimeException e) {
            throw new IllegalArgumentException(e);
        }
    }

    private static UUID uuid(String text) {
        String hex = text.replace("-", "").replace("{", "").replace("}", "");
        byte[] bytes = HexFormat.of().parseHex(hex);
        if (bytes.length != 16) {
            throw new IllegalArgumentException();
        }
        java.nio.ByteBuffer buffer = java.nio.ByteBuffer.wrap(bytes);
        return new UUID(buffer.getLong(), buffer.getLong());
    }

    /**
     * Parses the elements of a one-dimensional array, {@code {a,"b c",NULL}}.
     *
     * @throws PostgresException INVALID_TEXT
     */
    public static List<@Nullable Object> readArray(PostgresType element, String text, ZoneId zone) {
        String inner = text.strip();
        if (!inner.startsWith("{") || !inner.endsWith("}") || inner.length() < 2) {
            throw invalid(element, text);
        }
        List<@Nullable Object> elements = new ArrayList<>();
        int i = 1;
        int end = inner.length() - 1;
        while (i < end) {
            StringBuilder part = new StringBuilder();
            boolean quoted = inner.charAt(i) == '"';
            if (quoted) {
                i++;
                while (i < end && inner.charAt(i) != '"') {
                    if (inner.charAt(i) == '\\') {
                        i++;
                    }
                    part.append(inner.charAt(i++));
                }
                i++;
            } else {
                while (i < end && inner.charAt(i) != ',') {
                    part.append(inner.charAt(i++));
                }
            }
            String found = quoted ? part.toString() : part.toString().strip();
            elements.add(
                    !quoted && found.equalsIgnoreCase("NULL") ? null : read(element, found, zone));
            if (i < end && inner.charAt(i) != ',') {
                throw invalid(element, text);
            }
            i++;
        }
        return elements;
    }

    private static PostgresException invalid(PostgresType type, String text) {
        return new PostgresException(
                SqlState.INVALID_TEXT,
                "Expected a value of type %s, found '%s'".formatted(type.sqlName(), shown(text)));
    }

    private static String shown(String text) {
        return text.length() <= 100 ? text : text.substring(0, 100) + "...";
    }
}
