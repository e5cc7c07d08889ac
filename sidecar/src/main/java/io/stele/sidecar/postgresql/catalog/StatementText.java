package io.stele.sidecar.postgresql.catalog;

import io.stele.sidecar.postgresql.catalog.relation.SystemCatalog;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The words of a catalog query, without comments, and its text in a form that the parser accepts.
 * Immutable.
 *
 * <p>The parser does not know {@code OPERATOR(pg_catalog.~)} and {@code COLLATE
 * pg_catalog.default}, which psql writes, nor some names after AS: {@link #parseable()} returns an
 * equal statement without them.
 */
final class StatementText {
    private static final Pattern TOKEN =
            Pattern.compile(
                    "\\s+|--[^\\n]*|/\\*.*?\\*/"
                            + "|[Ee]'(?:[^'\\\\]|\\\\.|'')*+'|'(?:[^']|'')*+'|\"(?:[^\"]|\"\")*+\""
                            + "|[\\p{L}_][\\p{L}\\p{N}_$]*|[0-9.]+|\\$[0-9]+|.",
                    Pattern.DOTALL);
    private static final Set<String> RESERVED_ALIASES =
            Set.of(
                    "primary",
                    "unique",
                    "constraint",
                    "default",
                    "check",
                    "references",
                    "table",
                    "column",
                    "order",
                    "group",
                    "user",
                    "foreign",
                    "key",
                    "index",
                    "values");

    private final List<String> tokens = new ArrayList<>();

    StatementText(String sql) {
        Matcher matcher = TOKEN.matcher(sql);
        while (matcher.find()) {
            String token = matcher.group();
            boolean isSpace = token.isBlank() || token.startsWith("--") || token.startsWith("/*");
            if (!isSpace) {
                tokens.add(token);
            }
        }
        while (!tokens.isEmpty() && tokens.get(tokens.size() - 1).equals(";")) {
            tokens.remove(tokens.size() - 1);
        }
    }

    /** A word in lower case; empty behind the end. */
    String word(int index) {
        return index < tokens.size() ? tokens.get(index).toLowerCase(Locale.ROOT) : "";
    }

    int size() {
        return tokens.size();
    }

    boolean isOneStatement() {
        return !tokens.isEmpty() && !tokens.contains(";");
    }

    /** Most brackets inside each other: the parser takes exponential time for many. */
    int depth() {
        int depth = 0;
        int deepest = 0;
        for (String token : tokens) {
            depth += token.equals("(") ? 1 : token.equals(")") ? -1 : 0;
            deepest = Math.max(deepest, depth);
        }
        return deepest;
    }

    boolean hasWord(String word) {
        return tokens.stream().anyMatch(word::equalsIgnoreCase);
    }

    /** Whether a name may be one of the catalog or of a function that has rows. */
    boolean namesCatalog() {
        for (int index = 0; index < tokens.size(); index++) {
            String name = Literals.name(tokens.get(index));
            boolean isName =
                    name.startsWith("pg_")
                            || name.equals(SystemCatalog.INFORMATION_SCHEMA)
                            || (word(index + 1).equals("(") && FunctionCompiler.isFunction(name));
            if (isName) {
                return true;
            }
        }
        return false;
    }

    /** The statement as the parser understands it. */
    String parseable() {
        StringBuilder text = new StringBuilder();
        int index = word(0).equals("table") ? 1 : 0;
        if (index == 1) {
            text.append("SELECT * FROM ");
        }
        while (index < tokens.size()) {
            int operator = operatorLength(index);
            if (operator > 0) {
                tokens.subList(index + 4, index + operator - 1).forEach(text::append);
                text.append(' ');
                index += operator;
            } else if (word(index).equals("collate")) {
                index += word(index + 2).equals(".") ? 4 : 2;
            } else {
                boolean isReserved =
                        index > 0
                                && word(index - 1).equals("as")
                                && RESERVED_ALIASES.contains(word(index));
                String token = tokens.get(index);
                text.append(isReserved ? '"' + word(index) + '"' : token);
                text.append(isJoined(index) ? "" : " ");
                index++;
            }
        }
        return text.toString().strip();
    }

    /** The tokens of {@code OPERATOR(pg_catalog.~)}; 0: there is another word. */
    private int operatorLength(int index) {
        if (!word(index).equals("operator") || !word(index + 1).equals("(")) {
            return 0;
        }
        int end = index;
        while (end < tokens.size() && !tokens.get(end).equals(")")) {
            end++;
        }
        return word(index + 3).equals(".") && end > index + 4 ? end - index + 1 : 0;
    }

    /**
     * Whether the next token must follow without a blank: both are parts of an operator or name.
     */
    private boolean isJoined(int index) {
        String next = word(index + 1);
        String token = word(index);
        boolean areSymbols = isSymbol(token) && isSymbol(next);
        return token.equals(".") || next.equals(".") || areSymbols;
    }

    private static boolean isSymbol(String token) {
        return token.length() == 1 && "<>=!~*|&:@#".indexOf(token.charAt(0)) >= 0;
    }
}
