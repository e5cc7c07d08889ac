package io.stele.sidecar.postgresql.trino;

import static java.util.Objects.requireNonNull;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Casts as PostgreSQL writes them, {@code value::type}, as Trino's {@code CAST(value AS type)}:
 * drivers and BI tools write them around every literal. What is cast is the operand right before
 * the colons (PostgreSQL manual, sections 4.1.6 and 4.2.9): a literal, a parameter, a name, a
 * parenthesis, or a call of a function. For one text and one thread.
 */
public final class PostgresCasts {
    /** Words that are no name of a function or a type, though a parenthesis or literal follows. */
    private static final Set<String> RESERVED =
            Set.of(
                    "ALL",
                    "AND",
                    "ANY",
                    "AS",
                    "BETWEEN",
                    "BY",
                    "CROSS",
                    "DISTINCT",
                    "ELSE",
                    "ESCAPE",
                    "EXCEPT",
                    "EXISTS",
                    "FETCH",
                    "FROM",
                    "FULL",
                    "GROUP",
                    "HAVING",
                    "ILIKE",
                    "IN",
                    "INNER",
                    "INTERSECT",
                    "INTO",
                    "IS",
                    "JOIN",
                    "LEFT",
                    "LIKE",
                    "LIMIT",
                    "NOT",
                    "OFFSET",
                    "ON",
                    "OR",
                    "ORDER",
                    "RIGHT",
                    "SELECT",
                    "SET",
                    "SOME",
                    "THEN",
                    "UNION",
                    "USING",
                    "VALUES",
                    "WHEN",
                    "WHERE",
                    "WITH",
                    "ZONE");

    /** Words after a call of a function that belong to it. */
    private static final Set<String> OF_CALLS = Set.of("OVER", "FILTER", "WITHIN");

    /** Of {@code numeric} without a scale, which keeps all digits in PostgreSQL. */
    private static final String ANY_NUMBER = "decimal(38, 10)";

    /** PostgreSQL's names of types that Trino has under others. */
    private static final Map<String, String> TYPES =
            Map.ofEntries(
                    Map.entry("bool", "boolean"),
                    Map.entry("int2", "smallint"),
                    Map.entry("int4", "integer"),
                    Map.entry("int", "integer"),
                    Map.entry("int8", "bigint"),
                    Map.entry("float4", "real"),
                    Map.entry("float8", "double"),
                    Map.entry("float", "double"),
                    Map.entry("double precision", "double"),
                    Map.entry("numeric", ANY_NUMBER),
                    Map.entry("decimal", ANY_NUMBER),
                    Map.entry("text", "varchar"),
                    Map.entry("bpchar", "varchar"),
                    Map.entry("name", "varchar"),
                    Map.entry("character varying", "varchar"),
                    Map.entry("character", "char"),
                    Map.entry("bytea", "varbinary"),
                    Map.entry("jsonb", "json"),
                    Map.entry("time", "time(6)"),
                    Map.entry("timetz", "time(6) with time zone"),
                    Map.entry("timestamp", "timestamp(6)"),
                    Map.entry("timestamptz", "timestamp(6) with time zone"));

    private static final Pattern TYPE =
            Pattern.compile(
                    "\\s*(?:pg_catalog\\s*\\.\\s*)?"
                            + "(?<name>double\\s+precision|character\\s+varying|\\w+|\"[^\"]+\")"
                            + "(?<size>\\s*\\([\\d\\s,]+\\))?"
                            + "(?<zone>\\s+with(?:out)?\\s+time\\s+zone\\b)?"
                            + "(?<array>(?:\\s*\\[\\s*\\d*\\s*])*)",
                    Pattern.CASE_INSENSITIVE);
    private static final Pattern NUMBER = Pattern.compile("[+-]?(\\d+(\\.\\d*)?|\\.\\d+)");
    private static final Pattern HEXADECIMAL = Pattern.compile("\\\\x((?:[0-9a-fA-F]{2})*)");

    private final String text;
    private final StringBuilder out;
    private final Deque<Integer> openings = new ArrayDeque<>(); // where their operands begin
    private int at;
    private int operand = -1; // where in out the last operand begins; -1: there is none
    private int qualified = -1; // where the name begins that a dot was of; -1: there was none
    private String word = ""; // the word right before, in upper case

    private PostgresCasts(String text) {
        this.text = requireNonNull(text, "text is null");
        this.out = new StringBuilder(text.length() + 64);
    }

    /**
     * The text with Trino's casts.
     *
     * @param text without comments
     */
    public static String translate(String text) {
        return text.contains("::") ? new PostgresCasts(text).translate() : text;
    }

    private String translate() {
        while (at < text.length()) {
            char character = text.charAt(at);
            if (text.startsWith("::", at)) {
                cast();
            } else if (Character.isWhitespace(character)) {
                copy(at + 1);
            } else if (character == '\'') {
                literal();
            } else if (character == '(' || character == '[') {
                openings.push(operand >= 0 ? operand : out.length());
                other(at + 1);
            } else if ((character == ')' || character == ']') && !openings.isEmpty()) {
                int opened = openings.pop();
                other(at + 1);
                operand = opened;
            } else if (character == '"') {
                name(quotedEnd('"'));
            } else if (isWordPart(character) || isNumber()) {
                name(wordEnd());
            } else if (character == '.' && operand >= 0) {
                int start = operand;
                other(at + 1);
                qualified = start;
            } else {
                other(at + 1);
            }
        }
        return out.toString();
    }

    private void copy(int end) {
        out.append(text, at, end);
        at = end;
    }

    private void other(int end) {
        copy(end);
        operand = -1;
        qualified = -1;
        word = "";
    }

    /** A text; a word before it that is not reserved is its type. */
    private void literal() {
        int start = word.isEmpty() || operand < 0 ? out.length() : operand;
        other(quotedEnd('\''));
        operand = start;
    }

    private int quotedEnd(char quote) {
        int end = at + 1;
        while (end < text.length()) {
            if (text.charAt(end) != quote) {
                end++;
            } else if (end + 1 < text.length() && text.charAt(end + 1) == quote) {
                end += 2;
            } else {
                return end + 1;
            }
        }
        return end;
    }

    private boolean isNumber() {
        return isDigit(at) || (text.charAt(at) == '.' && operand < 0 && isDigit(at + 1));
    }

    private boolean isDigit(int index) {
        return index < text.length() && Character.isDigit(text.charAt(index));
    }

    private int wordEnd() {
        boolean isNumber = isNumber();
        int end = at;
        while (end < text.length()
                && (isWordPart(text.charAt(end)) || (isNumber && text.charAt(end) == '.'))) {
            end++;
        }
        return end;
    }

    /** A name or a part of one, a keyword, a number or a parameter. */
    private void name(int end) {
        String before = word;
        int operandBefore = operand;
        int qualifiedBefore = qualified;
        int start = out.length();
        String found = text.substring(at, end).toUpperCase(Locale.ENGLISH);
        other(end);
        word = found;
        if (qualifiedBefore >= 0) {
            operand = qualifiedBefore;
        } else if (OF_CALLS.contains(found) || (before + found).equals("WITHINGROUP")) {
            operand = operandBefore;
        } else if (found.equals("CASE")) {
            openings.push(start);
        } else if (found.equals("END") && !openings.isEmpty()) {
            operand = openings.pop();
        } else if (!RESERVED.contains(found)) {
            operand = start;
        }
    }

    private static boolean isWordPart(char character) {
        return Character.isLetterOrDigit(character) || character == '_' || character == '$';
    }

    private void cast() {
        Matcher type = TYPE.matcher(text).region(at + 2, text.length());
        if (operand < 0 || !type.lookingAt()) {
            other(at + 2); // Trino says what is wrong with it
            return;
        }
        int start = operand;
        while (out.length() > start && Character.isWhitespace(out.charAt(out.length() - 1))) {
            out.setLength(out.length() - 1);
        }
        String value = out.substring(start);
        String translated = type(type);
        out.setLength(start);
        out.append(
                constant(value, translated)
                        .orElseGet(() -> "CAST(%s AS %s)".formatted(value, translated)));
        at = type.end();
        word = "";
    }

    private static String type(Matcher found) {
        String name = found.group("name").toLowerCase(Locale.ENGLISH).replaceAll("\\s+", " ");
        String size = Optional.ofNullable(found.group("size")).orElse("").strip();
        boolean hasZone =
                Optional.ofNullable(found.group("zone")).orElse("").strip().startsWith("with ");
        String type = TYPES.getOrDefault(name, found.group("name"));
        if (!size.isEmpty()) {
            // The size stands before a zone
            int open = type.indexOf('(');
            int close = type.indexOf(')');
            type =
                    open < 0
                            ? type + size
                            : type.substring(0, open) + size + type.substring(close + 1);
        }
        type += hasZone ? " with time zone" : "";
        long dimensions = found.group("array").chars().filter(each -> each == '[').count();
        return "array(".repeat((int) dimensions) + type + ")".repeat((int) dimensions);
    }

    /** A constant whose cast would not mean in Trino what it means in PostgreSQL. */
    private static Optional<String> constant(String value, String type) {
        if (value.length() < 2 || value.charAt(0) != '\'') {
            return Optional.empty();
        }
        String content = value.substring(1, value.length() - 1);
        if (type.equals("json")) {
            return Optional.of("JSON " + value); // a cast would make it a text in JSON
        }
        Matcher bytes = HEXADECIMAL.matcher(content);
        if (type.equals("varbinary") && bytes.matches()) {
            return Optional.of("X'%s'".formatted(bytes.group(1)));
        }
        return type.equals(ANY_NUMBER) && NUMBER.matcher(content).matches()
                ? Optional.of("DECIMAL " + value)
                : Optional.empty();
    }
}
