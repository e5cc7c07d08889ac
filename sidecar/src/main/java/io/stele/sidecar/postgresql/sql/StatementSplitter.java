package io.stele.sidecar.postgresql.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * A splitter of a Query message's text into statements, at semicolons outside of quotes and
 * comments (PostgreSQL manual, section 4.1).
 */
public final class StatementSplitter {
    private final String sql;
    private int at;

    private StatementSplitter(String sql) {
        this.sql = sql;
    }

    /** The statements that are not empty, without comments around them. */
    public static List<String> split(String sql) {
        StatementSplitter splitter = new StatementSplitter(sql);
        List<String> statements = new ArrayList<>();
        int start = 0;
        while (splitter.at < sql.length()) {
            if (sql.charAt(splitter.at) == ';') {
                add(statements, sql.substring(start, splitter.at));
                splitter.at++;
                start = splitter.at;
            } else {
                splitter.skip();
            }
        }
        add(statements, sql.substring(start));
        return statements;
    }

    private static void add(List<String> statements, String text) {
        String trimmed = withoutComments(text);
        if (!trimmed.isEmpty()) {
            statements.add(trimmed);
        }
    }

    /** The text with a space in place of each comment. */
    public static String withoutComments(String text) {
        StatementSplitter splitter = new StatementSplitter(text);
        StringBuilder kept = new StringBuilder(text.length());
        while (splitter.at < text.length()) {
            int start = splitter.at;
            boolean isComment = splitter.startsWith("--") || splitter.startsWith("/*");
            splitter.skip();
            kept.append(isComment ? " " : text.substring(start, splitter.at));
        }
        return kept.toString().strip();
    }

    /** The quoted texts, comments, words and other single characters that a text consists of. */
    public static List<String> parts(String text) {
        List<String> parts = new ArrayList<>();
        forEachPart(text, parts::add);
        return parts;
    }

    /** Hands over, in their order, the parts of which {@link #parts} is the list. */
    public static void forEachPart(String text, Consumer<String> consumer) {
        StatementSplitter splitter = new StatementSplitter(text);
        while (splitter.at < text.length()) {
            int start = splitter.at;
            splitter.skip();
            consumer.accept(text.substring(start, splitter.at));
        }
    }

    /** The index of the parenthesis that closes the parenthesis at {@code open}; -1: none does. */
    public static int closing(String sql, int open) {
        StatementSplitter splitter = new StatementSplitter(sql);
        splitter.at = open;
        int depth = 0;
        while (splitter.at < sql.length()) {
            char character = sql.charAt(splitter.at);
            depth += character == '(' ? 1 : character == ')' ? -1 : 0;
            if (depth == 0) {
                return splitter.at;
            }
            splitter.skip();
        }
        return -1;
    }

    /** Moves behind a quoted text, a comment, a word or one other character. */
    private void skip() {
        char character = sql.charAt(at);
        if (character == '\'') {
            skipQuoted('\'', false);
        } else if (character == '"') {
            skipQuoted('"', false);
        } else if (startsWith("--")) {
            int end = sql.indexOf('\n', at);
            at = end < 0 ? sql.length() : end;
        } else if (startsWith("/*")) {
            skipComment();
        } else if (character == '$') {
            skipDollarQuoted();
        } else if (isDigit(character) || isNameStart(character)) {
            skipWord();
        } else {
            at++;
        }
    }

    /** Moves behind a name or number; if it is the E of an escape string, behind this string. */
    private void skipWord() {
        int start = at;
        boolean isName = !isDigit(sql.charAt(at));
        while (at < sql.length()
                && (isTagPart(sql.charAt(at)) || (isName && sql.charAt(at) == '$'))) {
            at++;
        }
        boolean isEscape = at == start + 1 && (sql.charAt(start) | 0x20) == 'e';
        if (isEscape && startsWith("'")) {
            skipQuoted('\'', true);
        }
    }

    private static boolean isDigit(char character) {
        return character >= '0' && character <= '9';
    }

    /** All characters that are not ASCII are letters (PostgreSQL's scan.l). */
    private static boolean isNameStart(char character) {
        return Character.isLetter(character) || character == '_' || character > 127;
    }

    private static boolean isTagPart(char character) {
        return isNameStart(character) || isDigit(character);
    }

    private boolean startsWith(String text) {
        return sql.startsWith(text, at);
    }

    private void skipQuoted(char quote, boolean escapes) {
        at++;
        while (at < sql.length()) {
            char character = sql.charAt(at++);
            if (escapes && character == '\\') {
                at++;
            } else if (character == quote) {
                if (at < sql.length() && sql.charAt(at) == quote) {
                    at++;
                } else {
                    return;
                }
            }
        }
        at = sql.length();
    }

    private void skipComment() {
        int depth = 0;
        do {
            if (startsWith("/*")) {
                depth++;
                at += 2;
            } else if (startsWith("*/")) {
                depth--;
                at += 2;
            } else {
                at++;
            }
        } while (depth > 0 && at < sql.length());
        at = Math.min(at, sql.length());
    }

    private void skipDollarQuoted() {
        int end = at + 1;
        if (end < sql.length() && isNameStart(sql.charAt(end))) {
            while (end < sql.length() && isTagPart(sql.charAt(end))) {
                end++;
            }
        }
        if (end >= sql.length() || sql.charAt(end) != '$') {
            at++; // a parameter
            return;
        }
        String tag = sql.substring(at, end + 1);
        int close = sql.indexOf(tag, end + 1);
        at = close < 0 ? sql.length() : close + tag.length();
    }
}
