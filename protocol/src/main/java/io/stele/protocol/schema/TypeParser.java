package io.stele.protocol.schema;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.schema.RowType.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** A recursive-descent parser of Trino's type syntax; used once, by one thread. */
final class TypeParser {
    /** The longest accepted text: enough for a row of 1,000 fields with long names. */
    private static final int MAX_TEXT_LENGTH = 1 << 20;

    private final String text;
    private int position;
    private int depth;

    TypeParser(String text) {
        this.text = text;
    }

    DataType parse() {
        if (text.length() > MAX_TEXT_LENGTH) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected a type of at most "
                            + MAX_TEXT_LENGTH
                            + " characters, found "
                            + text.length());
        }
        DataType type = type();
        skipSpace();
        if (position < text.length()) {
            throw error("the end of the type");
        }
        return type;
    }

    private DataType type() {
        int start = position;
        String name = word();
        DataType type =
                switch (name) {
                    case "boolean" -> ScalarType.BOOLEAN;
                    case "tinyint" -> ScalarType.TINYINT;
                    case "smallint" -> ScalarType.SMALLINT;
                    case "integer", "int" -> ScalarType.INTEGER;
                    case "bigint" -> ScalarType.BIGINT;
                    case "real" -> ScalarType.REAL;
                    case "double" -> doubleType();
                    case "varbinary" -> ScalarType.VARBINARY;
                    case "date" -> ScalarType.DATE;
                    case "uuid" -> ScalarType.UUID;
                    case "json" -> ScalarType.JSON;
                    case "decimal" -> decimal();
                    case "varchar" -> new VarcharType(optionalNumber(VarcharType.UNBOUNDED));
                    case "char" -> new CharType(optionalNumber(1));
                    case "time" -> time();
                    case "timestamp" -> new TimestampType(optionalNumber(3), withTimeZone());
                    case TimestampType.WIDE_NAME ->
                            TimestampType.ofAllYears(optionalNumber(3), withTimeZone());
                    case "array" -> array();
                    case "map" -> map();
                    case "row" -> row();
                    default -> throw unsupported(start);
                };
        return type;
    }

    private DataType doubleType() {
        int before = position;
        if (!(peekIsWord() && word().equals("precision"))) {
            position = before;
        }
        return ScalarType.DOUBLE;
    }

    private DataType decimal() {
        int precision = DecimalType.MAX_PRECISION;
        int scale = 0;
        if (accept('(')) {
            precision = number();
            if (accept(',')) {
                scale = number();
            }
            expect(')');
        }
        return new DecimalType(precision, scale);
    }

    private DataType time() {
        int start = position - "time".length();
        int precision = optionalNumber(3);
        if (withTimeZone()) {
            throw unsupported(start);
        }
        return new TimeType(precision);
    }

    private boolean withTimeZone() {
        int before = position;
        if (peekIsWord() && word().equals("with")) {
            if (word().equals("time") && word().equals("zone")) {
                return true;
            }
            throw error("'with time zone'");
        }
        position = before;
        return false;
    }

    private DataType array() {
        char close = open();
        DataType element = type();
        close(close);
        return new ArrayType(element);
    }

    private DataType map() {
        char close = open();
        DataType key = type();
        expect(',');
        DataType value = type();
        close(close);
        return new MapType(key, value);
    }

    private DataType row() {
        char close = open();
        List<Field> fields = new ArrayList<>();
        do {
            fields.add(field());
        } while (accept(','));
        close(close);
        return new RowType(fields);
    }

    /** A field is {@code name type}, {@code "name" type} or a type alone. */
    private Field field() {
        skipSpace();
        if (position < text.length() && text.charAt(position) == '"') {
            String name = quoted();
            return new Field(Optional.of(name), type());
        }
        int start = position;
        String name = word();
        int afterName = position;
        if (peekIsWord() && !isTypeSuffix(name)) {
            return new Field(
                    Optional.of(text.substring(afterName - name.length(), afterName)), type());
        }
        position = start;
        return new Field(Optional.empty(), type());
    }

    /**
     * Whether the word after {@code name} continues the type's name: {@code timestamp with}, {@code
     * double precision}.
     */
    private boolean isTypeSuffix(String name) {
        int before = position;
        String next = word();
        position = before;
        return (next.equals("with") && isTime(name))
                || (next.equals("precision") && name.equals("double"));
    }

    private static boolean isTime(String name) {
        return switch (name) {
            case "time", "timestamp", TimestampType.WIDE_NAME -> true;
            default -> false;
        };
    }

    private String quoted() {
        StringBuilder name = new StringBuilder();
        position++;
        while (position < text.length()) {
            char next = text.charAt(position++);
            if (next != '"') {
                name.append(next);
            } else if (position < text.length() && text.charAt(position) == '"') {
                name.append('"');
                position++;
            } else {
                return name.toString();
            }
        }
        throw error("a closing quote");
    }

    private char open() {
        if (++depth > DataType.MAX_DEPTH) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected at most "
                            + DataType.MAX_DEPTH
                            + " levels of nested types, found more in "
                            + excerpt());
        }
        if (accept('<')) {
            return '>';
        }
        expect('(');
        return ')';
    }

    private void close(char close) {
        expect(close);
        depth--;
    }

    private int optionalNumber(int absent) {
        if (!accept('(')) {
            return absent;
        }
        int value = number();
        expect(')');
        return value;
    }

    private int number() {
        skipSpace();
        int start = position;
        long value = 0;
        while (position < text.length()
                && text.charAt(position) >= '0'
                && text.charAt(position) <= '9') {
            value = value * 10 + (text.charAt(position) - '0');
            if (value > Integer.MAX_VALUE) {
                throw error("a number of at most " + Integer.MAX_VALUE);
            }
            position++;
        }
        if (position == start) {
            throw error("a number");
        }
        return (int) value;
    }

    private boolean peekIsWord() {
        skipSpace();
        return position < text.length()
                && (isWordPart(text.charAt(position)) || text.charAt(position) == '"');
    }

    private String word() {
        skipSpace();
        int start = position;
        while (position < text.length() && isWordPart(text.charAt(position))) {
            position++;
        }
        if (position == start) {
            throw error("a type name");
        }
        return text.substring(start, position).toLowerCase(Locale.ENGLISH);
    }

    private static boolean isWordPart(char character) {
        return Character.isLetterOrDigit(character) || character == '_' || character == '$';
    }

    private void skipSpace() {
        while (position < text.length() && text.charAt(position) == ' ') {
            position++;
        }
    }

    private boolean accept(char expected) {
        skipSpace();
        if (position < text.length() && text.charAt(position) == expected) {
            position++;
            return true;
        }
        return false;
    }

    private void expect(char expected) {
        if (!accept(expected)) {
            throw error("'" + expected + "'");
        }
    }

    private SteleException unsupported(int start) {
        String found = text.substring(start, Math.min(text.length(), start + 100)).strip();
        return new SteleException(
                ErrorCode.INVALID_ARGUMENT,
                "Expected a type that Stele stores (boolean, tinyint, smallint, integer, bigint, real, double, decimal, "
                        + "varchar, char, varbinary, date, time, timestamp, uuid, json, array, map, row), found "
                        + (found.isEmpty() ? "nothing" : found));
    }

    private SteleException error(String expected) {
        return new SteleException(
                ErrorCode.INVALID_ARGUMENT,
                "Expected " + expected + " at character " + position + " of the type " + excerpt());
    }

    private String excerpt() {
        return text.length() <= 200 ? text : text.substring(0, 200) + "...";
    }
}
