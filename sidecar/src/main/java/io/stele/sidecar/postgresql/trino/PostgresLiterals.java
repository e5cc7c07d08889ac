package io.stele.sidecar.postgresql.trino;

import io.stele.sidecar.postgresql.type.PostgresType;
import io.stele.sidecar.postgresql.type.TextFormat;
import io.stele.sidecar.postgresql.wire.PostgresException;
import io.stele.sidecar.postgresql.wire.SqlState;
import java.io.ByteArrayOutputStream;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A converter of PostgreSQL's literals to Trino's syntax, for the translation of statements.
 * Stateless.
 */
final class PostgresLiterals {
    private static final int MAX_DECIMAL_DIGITS = 38;
    private static final int MAX_CODE_POINT = 0x10FFFF;
    private static final Pattern NUMBER =
            Pattern.compile(
                    "[+-]?(\\d+(\\.\\d*)?|\\.\\d+)(e[+-]?\\d{1,3})?", Pattern.CASE_INSENSITIVE);

    /** An interval of one unit, with at most six digits, so that weeks as days do not overflow. */
    private static final Pattern INTERVAL =
            Pattern.compile("\\s*(?<sign>[+-]?)(?<count>\\d{1,6})\\s*(?<unit>[A-Za-z]+)\\s*");

    private PostgresLiterals() {}

    /** Returns a text as a literal, with control characters escaped. */
    static String text(String content) {
        if (content.chars().noneMatch(Character::isISOControl)) {
            return "'" + content.replace("'", "''") + "'";
        }
        StringBuilder escaped = new StringBuilder("U&'");
        for (char character : content.toCharArray()) {
            if (Character.isISOControl(character)) {
                escaped.append("\\%04x".formatted((int) character));
            } else if (character == '\'' || character == '\\') {
                escaped.append(character).append(character);
            } else {
                escaped.append(character);
            }
        }
        return escaped.append('\'').toString();
    }

    /**
     * Returns the bytes of a text in one of bytea's two formats, as a literal.
     *
     * @throws PostgresException INVALID_TEXT
     */
    static String bytes(String content) {
        byte[] bytes = (byte[]) TextFormat.read(PostgresType.BYTEA, content, ZoneOffset.UTC);
        return "X'%s'".formatted(HexFormat.of().withUpperCase().formatHex(bytes));
    }

    /**
     * Returns a decimal literal with all digits of a number; empty if Trino's decimal cannot hold
     * them, or if the text is no number.
     */
    static Optional<String> decimal(String content) {
        String stripped = content.strip();
        if (!NUMBER.matcher(stripped).matches()) {
            return Optional.empty();
        }
        boolean hasExponent = stripped.toLowerCase(Locale.ENGLISH).indexOf('e') >= 0;
        String plain = hasExponent ? new BigDecimal(stripped).toPlainString() : stripped;
        return plain.chars().filter(Character::isDigit).count() <= MAX_DECIMAL_DIGITS
                ? Optional.of("DECIMAL '%s'".formatted(plain))
                : Optional.empty();
    }

    /**
     * Returns an interval literal of one unit; empty if the interval has several units or a
     * fraction.
     */
    static Optional<String> interval(String content) {
        Matcher found = INTERVAL.matcher(content);
        if (!found.matches()) {
            return Optional.empty();
        }
        int count = Integer.parseInt(found.group("count"));
        String unit =
                switch (found.group("unit").toLowerCase(Locale.ENGLISH)) {
                    case "s", "sec", "secs", "second", "seconds" -> "SECOND";
                    case "m", "min", "mins", "minute", "minutes" -> "MINUTE";
                    case "h", "hr", "hrs", "hour", "hours" -> "HOUR";
                    case "d", "day", "days" -> "DAY";
                    case "w", "week", "weeks" -> "WEEK";
                    case "mon", "mons", "month", "months" -> "MONTH";
                    case "y", "yr", "yrs", "year", "years" -> "YEAR";
                    default -> "";
                };
        boolean isWeeks = unit.equals("WEEK");
        String sign = found.group("sign").equals("-") ? "-" : "";
        return unit.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        "INTERVAL %s'%s' %s"
                                .formatted(
                                        sign, isWeeks ? 7 * count : count, isWeeks ? "DAY" : unit));
    }

    /**
     * Returns the content of an escape string (PostgreSQL manual, section 4.1.2.2).
     *
     * @param escaped between the quotes
     * @throws PostgresException INVALID_TEXT if an escape is incomplete, or if its bytes are no
     *     UTF-8
     */
    static String unescaped(String escaped) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(escaped.length());
        int at = 0;
        while (at < escaped.length()) {
            char character = escaped.charAt(at);
            if (character == '\\' && at + 1 < escaped.length()) {
                at = escape(escaped, at + 1, bytes);
            } else if (character == '\'') {
                bytes.write('\'');
                at += 2; // a quote is doubled
            } else {
                int codePoint = escaped.codePointAt(at);
                write(codePoint, bytes);
                at += Character.charCount(codePoint);
            }
        }
        try {
            // A new decoder fails on invalid UTF-8; String's constructor would replace it
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes.toByteArray()))
                    .toString();
        } catch (CharacterCodingException e) {
            throw invalid(escaped);
        }
    }

    /**
     * Writes the character or byte of the escape after a backslash; returns the index behind the
     * escape.
     */
    private static int escape(String escaped, int at, ByteArrayOutputStream bytes) {
        char kind = escaped.charAt(at);
        switch (kind) {
            case 'b' -> bytes.write('\b');
            case 'f' -> bytes.write('\f');
            case 'n' -> bytes.write('\n');
            case 'r' -> bytes.write('\r');
            case 't' -> bytes.write('\t');
            case 'u', 'U' -> {
                return unicode(escaped, at + 1, kind == 'u' ? 4 : 8, bytes);
            }
            default -> {
                boolean isHexadecimal = kind == 'x' && digits(escaped, at + 1, 2, 16) > 0;
                int start = isHexadecimal ? at + 1 : at;
                int radix = isHexadecimal ? 16 : 8;
                int count = digits(escaped, start, isHexadecimal ? 2 : 3, radix);
                if (count == 0) {
                    int codePoint = escaped.codePointAt(at);
                    write(codePoint, bytes);
                    return at + Character.charCount(codePoint);
                }
                int value = Integer.parseInt(escaped.substring(start, start + count), radix) & 0xFF;
                if (value == 0) {
                    throw invalid(escaped); // PostgreSQL's texts have no such character
                }
                bytes.write(value);
                return start + count;
            }
        }
        return at + 1;
    }

    private static int unicode(String escaped, int at, int length, ByteArrayOutputStream bytes) {
        int end = at + length;
        if (digits(escaped, at, length, 16) < length) {
            throw invalid(escaped);
        }
        long value = Long.parseLong(escaped.substring(at, end), 16);
        if (value == 0 || value > MAX_CODE_POINT) {
            throw invalid(escaped);
        }
        int codePoint = (int) value;
        boolean isPair =
                Character.isBmpCodePoint(codePoint)
                        && Character.isHighSurrogate((char) codePoint)
                        && escaped.startsWith("\\u", end)
                        && digits(escaped, end + 2, 4, 16) == 4;
        if (isPair) {
            char low = (char) Integer.parseInt(escaped.substring(end + 2, end + 6), 16);
            if (!Character.isLowSurrogate(low)) {
                throw invalid(escaped);
            }
            codePoint = Character.toCodePoint((char) codePoint, low);
            end += 6;
        }
        if (Character.getType(codePoint) == Character.SURROGATE) {
            throw invalid(escaped);
        }
        write(codePoint, bytes);
        return end;
    }

    private static int digits(String text, int start, int max, int radix) {
        int count = 0;
        while (count < max
                && start + count < text.length()
                && text.charAt(start + count) < 128
                && Character.digit(text.charAt(start + count), radix) >= 0) {
            count++;
        }
        return count;
    }

    private static void write(int codePoint, ByteArrayOutputStream bytes) {
        bytes.writeBytes(Character.toString(codePoint).getBytes(StandardCharsets.UTF_8));
    }

    private static PostgresException invalid(String escaped) {
        return new PostgresException(
                SqlState.INVALID_TEXT,
                "Expected escapes of characters in UTF-8, found E'%s'"
                        .formatted(
                                escaped.length() <= 100
                                        ? escaped
                                        : escaped.substring(0, 100) + "..."));
    }
}
