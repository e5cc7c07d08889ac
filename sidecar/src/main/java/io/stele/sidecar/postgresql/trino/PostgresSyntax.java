package io.stele.sidecar.postgresql.trino;

import static java.util.Objects.requireNonNull;

import io.stele.sidecar.postgresql.type.PostgresType;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A one-pass translator of a PostgreSQL client's statement to Trino's syntax, where the two differ.
 * For one text and one thread.
 *
 * <ul>
 *   <li>Casts {@code value::type}, which drivers and BI tools write around every literal, become
 *       {@code CAST(value AS type)}. The operand of a cast is directly before the colons
 *       (PostgreSQL manual, sections 4.1.6 and 4.2.9): a literal, a parameter, a name, a
 *       parenthesis, or a call of a function.
 *   <li>A cast to JSON parses a text, as {@code json_parse(CAST(value AS varchar))}, because
 *       Trino's own cast would make a JSON string. A value that is already JSON, but not recognized
 *       as JSON here, should not be cast, because Trino casts no JSON objects or arrays to texts.
 *   <li>Escape strings {@code E'...'} become standard literals; intervals of one unit become
 *       Trino's intervals.
 *   <li>A LIKE whose pattern is a literal with a backslash gets the backslash as escape.
 *   <li>A descending order gets NULLS FIRST.
 *   <li>{@code FROM stele.changes(...)} becomes a call of the catalog's table function {@code
 *       system.table_changes}.
 * </ul>
 */
public final class PostgresSyntax {
    /** Words that are no names of functions or types, even before a parenthesis or literal. */
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

    /** Words that continue a pattern of LIKE, or declare its escape. */
    private static final Set<String> OF_PATTERNS = Set.of("ESCAPE", "COLLATE", "AT");

    private static final Pattern NUMBER =
            Pattern.compile("(\\d[\\w.]*?|\\.\\d\\w*?)([eE][+-]?\\d+)?(?![\\w.])");
    private static final Pattern CHANGES =
            Pattern.compile(
                    "(?<=\\b(?:FROM|JOIN)\\p{javaWhitespace}{1,96})stele\\s*\\.\\s*changes\\s*",
                    Pattern.CASE_INSENSITIVE);
    private static final Pattern NULLS = Pattern.compile("\\s+NULLS\\b", Pattern.CASE_INSENSITIVE);

    private enum Kind {
        NONE,
        LITERAL,
        NUMBER,
        PARAMETER,
        JSON,
        OTHER
    }

    /**
     * The operand to which a cast that follows would apply.
     *
     * @param start its index in the translated text
     * @param value the content of a literal, the digits of a number or a parameter
     */
    private record Operand(int start, Kind kind, String value) {
        static final Operand NONE = new Operand(-1, Kind.NONE, "");

        static Operand of(int start) {
            return new Operand(start, Kind.OTHER, "");
        }

        boolean exists() {
            return kind != Kind.NONE;
        }
    }

    /**
     * An open parenthesis, bracket or CASE.
     *
     * @param isOrdered whether an ORDER BY is around it
     * @param isChanges whether it encloses the arguments of {@code stele.changes}
     */
    private record Opening(int start, boolean isOrdered, boolean isChanges) {}

    private final String text;
    private final StringBuilder out;
    private final Deque<Opening> openings = new ArrayDeque<>();
    private final Map<Integer, PostgresType> casts = new HashMap<>();
    private int at;
    private Operand operand = Operand.NONE;
    private int qualified = -1; // the start of the name before a dot; -1: no dot
    private String word = ""; // the word right before, in upper case
    private boolean isOrdered; // an ORDER BY was in this parenthesis
    private int pattern = -1; // the end of a pattern that needs an escape; -1: none does

    private PostgresSyntax(String text) {
        this.text = requireNonNull(text, "text is null");
        this.out = new StringBuilder(text.length() + 64);
    }

    /**
     * Translates a text to Trino's syntax; parts that are not understood stay unchanged.
     *
     * @param text without comments
     * @throws io.stele.sidecar.postgresql.wire.PostgresException INVALID_TEXT if an escape string
     *     or a literal of bytea is invalid
     */
    public static TranslatedStatement translate(String text) {
        return new PostgresSyntax(text).translate();
    }

    private TranslatedStatement translate() {
        while (at < text.length()) {
            char character = text.charAt(at);
            if (text.startsWith("::", at)) {
                cast();
            } else if (Character.isWhitespace(character)) {
                copy(at + 1);
            } else {
                endPattern(character);
                token(character);
            }
        }
        endPattern(';');
        return new TranslatedStatement(out.toString(), casts);
    }

    private void token(char character) {
        if (character == '\'') {
            literal();
        } else if (character == '(' || character == '[') {
            int start = operand.exists() ? operand.start() : out.length();
            boolean isChanges =
                    character == '('
                            && CHANGES.matcher(out)
                                    .region(start, out.length())
                                    .useTransparentBounds(true) // FROM is before the region
                                    .matches();
            if (isChanges) {
                out.setLength(start);
                out.append("TABLE(system.table_changes");
            }
            openings.push(new Opening(start, isOrdered, isChanges));
            isOrdered = false;
            other(at + 1);
        } else if ((character == ')' || character == ']') && !openings.isEmpty()) {
            other(at + 1);
            close();
        } else if (character == '"') {
            name(quotedEnd('"', false));
        } else if (isNumber()) {
            number();
        } else if (isWordPart(character)) {
            name(wordEnd());
        } else if (character == '.' && operand.exists()) {
            int start = operand.start();
            other(at + 1);
            qualified = start;
        } else {
            other(at + 1);
        }
    }

    private void close() {
        Opening opened = openings.pop();
        if (opened.isChanges()) {
            out.append(')');
        }
        operand = Operand.of(opened.start());
        isOrdered = opened.isOrdered();
    }

    private void copy(int end) {
        out.append(text, at, end);
        at = end;
    }

    private void other(int end) {
        copy(end);
        operand = Operand.NONE;
        qualified = -1;
        word = "";
    }

    /** Translates a text literal; a word directly before it that is not reserved is its type. */
    private void literal() {
        boolean isUntyped = word.isEmpty() || !operand.exists();
        boolean isPattern = word.equals("LIKE");
        boolean isInterval = word.equals("INTERVAL");
        int start = isUntyped ? out.length() : operand.start();
        int end = quotedEnd('\'', false);
        String written = text.substring(at, end);
        at = end;
        other(end);
        if (written.length() < 2 || !written.endsWith("'")) {
            out.append(written); // unterminated
            return;
        }
        String content = written.substring(1, written.length() - 1).replace("''", "'");
        if (isUntyped) {
            literal(content, written, isPattern);
            return;
        }
        Optional<String> interval =
                isInterval ? PostgresLiterals.interval(content) : Optional.empty();
        if (interval.isPresent()) {
            out.setLength(start);
        }
        out.append(interval.orElse(written));
        operand = Operand.of(start);
    }

    /** Translates E'...'; the current index is at its E. */
    private void escapeString() {
        boolean isPattern = word.equals("LIKE");
        at++;
        int end = quotedEnd('\'', true);
        String written = text.substring(at, end);
        at = end;
        other(end);
        if (written.length() < 2 || !written.endsWith("'")) {
            out.append('E').append(written);
            return;
        }
        String content = PostgresLiterals.unescaped(written.substring(1, written.length() - 1));
        literal(content, PostgresLiterals.text(content), isPattern);
    }

    private void literal(String content, String written, boolean isPattern) {
        operand = new Operand(out.length(), Kind.LITERAL, content);
        out.append(written);
        pattern = isPattern && content.indexOf('\\') >= 0 ? out.length() : -1;
    }

    /** Adds the escape of a pattern, unless the next character continues the pattern. */
    private void endPattern(char next) {
        if (pattern < 0) {
            return;
        }
        boolean isWord = isWordPart(next);
        String following = isWord ? text.substring(at, wordEnd()).toUpperCase(Locale.ENGLISH) : "";
        boolean isEnd = isWord ? !OF_PATTERNS.contains(following) : "),;]\"".indexOf(next) >= 0;
        if (isEnd) {
            out.insert(pattern, " ESCAPE '\\'");
        }
        pattern = -1;
    }

    private int quotedEnd(char quote, boolean hasEscapes) {
        int end = at + 1;
        while (end < text.length()) {
            char character = text.charAt(end);
            if (hasEscapes && character == '\\') {
                end += 2;
            } else if (character != quote) {
                end++;
            } else if (end + 1 < text.length() && text.charAt(end + 1) == quote) {
                end += 2;
            } else {
                return end + 1;
            }
        }
        return text.length();
    }

    private boolean isNumber() {
        return isDigit(at) || (text.charAt(at) == '.' && !operand.exists() && isDigit(at + 1));
    }

    private boolean isDigit(int index) {
        return index < text.length() && Character.isDigit(text.charAt(index));
    }

    private void number() {
        Matcher found = NUMBER.matcher(text).region(at, text.length());
        found.useTransparentBounds(true);
        int end = found.lookingAt() ? found.end() : wordEnd();
        int start = out.length();
        String digits = text.substring(at, end);
        other(end);
        operand = new Operand(start, Kind.NUMBER, digits);
    }

    private int wordEnd() {
        int end = at;
        while (end < text.length() && isWordPart(text.charAt(end))) {
            end++;
        }
        return end;
    }

    /**
     * Translates a name or a part of a name, a keyword, a parameter or the beginning of a literal.
     */
    private void name(int end) {
        String found = text.substring(at, end).toUpperCase(Locale.ENGLISH);
        if (found.equals("E") && text.startsWith("'", end)) {
            escapeString();
            return;
        }
        int start = out.length();
        if (found.equals("U") && text.startsWith("&'", end)) {
            unicodeString(end);
            return;
        }
        String before = word;
        Operand operandBefore = operand;
        int qualifiedBefore = qualified;
        other(end);
        word = found;
        if (qualifiedBefore >= 0) {
            operand = Operand.of(qualifiedBefore);
        } else if (isDescending(found, before, operandBefore)) {
            if (!NULLS.matcher(text).region(end, text.length()).lookingAt()) {
                out.append(" NULLS FIRST");
            }
        } else if (OF_CALLS.contains(found) || (before + found).equals("WITHINGROUP")) {
            operand = operandBefore;
        } else if (found.equals("CASE")) {
            openings.push(new Opening(start, isOrdered, false));
        } else if (found.equals("END") && !openings.isEmpty()) {
            close();
        } else if (!RESERVED.contains(found)) {
            operand =
                    found.startsWith("$")
                            ? new Operand(start, Kind.PARAMETER, found.substring(1))
                            : Operand.of(start);
        }
        isOrdered |= (before + found).equals("ORDERBY");
    }

    /** Copies U&'...', which Trino supports too; the end is behind its U. */
    private void unicodeString(int end) {
        int start = out.length();
        other(end + 1);
        other(quotedEnd('\'', false));
        operand = Operand.of(start);
    }

    /** Whether a word is the keyword after an expression to order by, and no name. */
    private boolean isDescending(String found, String before, Operand operandBefore) {
        return found.equals("DESC") && isOrdered && operandBefore.exists() && !before.equals("AS");
    }

    private static boolean isWordPart(char character) {
        return Character.isLetterOrDigit(character) || character == '_' || character == '$';
    }

    private void cast() {
        Optional<CastType> type = CastType.at(text, at + 2);
        if (!operand.exists() || type.isEmpty()) {
            other(at + 2); // Trino reports the error
            return;
        }
        int start = operand.start();
        while (out.length() > start && Character.isWhitespace(out.charAt(out.length() - 1))) {
            out.setLength(out.length() - 1);
        }
        String value = out.substring(start);
        out.setLength(start);
        out.append(cast(value, type.get()));
        boolean isJson = type.get().isJson();
        operand = new Operand(start, isJson ? Kind.JSON : Kind.OTHER, "");
        pattern = pattern < 0 ? -1 : out.length();
        at = type.get().end();
        word = "";
    }

    /** Returns a cast, or a constant where Trino's cast would differ from PostgreSQL's. */
    private String cast(String value, CastType type) {
        if (operand.kind() == Kind.PARAMETER) {
            return castOfParameter(value, type);
        }
        boolean isConstant = operand.kind() == Kind.LITERAL || operand.kind() == Kind.NUMBER;
        Optional<String> constant = Optional.empty();
        if (isConstant && type.trino().equals(CastType.ANY_NUMBER)) {
            constant = PostgresLiterals.decimal(operand.value());
        } else if (operand.kind() == Kind.LITERAL) {
            constant =
                    type.isJson()
                            ? Optional.of("JSON " + value)
                            : type.isBytes()
                                    ? Optional.of(PostgresLiterals.bytes(operand.value()))
                                    : type.trino().equalsIgnoreCase("interval")
                                            ? PostgresLiterals.interval(operand.value())
                                            : Optional.empty();
        }
        return constant.orElseGet(() -> castOf(value, type, operand.kind() == Kind.JSON));
    }

    private static String castOf(String value, CastType type, boolean isJson) {
        if (type.isJson()) {
            return isJson ? value : "json_parse(CAST(%s AS varchar))".formatted(value);
        }
        return isJson && type.trino().equals("varchar")
                ? "json_format(%s)".formatted(value)
                : "CAST(%s AS %s)".formatted(value, type.trino());
    }

    private String castOfParameter(String value, CastType type) {
        int number;
        try {
            number = Integer.parseInt(operand.value());
        } catch (NumberFormatException e) {
            return castOf(value, type, false); // no parameter
        }
        type.scalar().ifPresent(scalar -> casts.putIfAbsent(number, scalar));
        PostgresType known = casts.get(number);
        boolean isJson = known == PostgresType.JSON || known == PostgresType.JSONB;
        boolean isWritten = type.isBytes() && known == PostgresType.BYTEA;
        return isWritten ? value : castOf(value, type, isJson);
    }
}
