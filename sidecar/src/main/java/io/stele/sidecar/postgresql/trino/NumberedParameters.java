package io.stele.sidecar.postgresql.trino;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.List;

/**
 * A statement for Trino, whose question marks replace PostgreSQL's parameters {@code $1}, {@code
 * $2}, ..., with the parameter number of each. Immutable.
 *
 * @param sql with question marks
 * @param numbers the number of the parameter of each question mark, from 1
 */
public record NumberedParameters(String sql, List<Integer> numbers) {
    private static final int MAX_NUMBER = 65_535;

    public NumberedParameters {
        requireNonNull(sql, "sql is null");
        numbers = List.copyOf(numbers);
    }

    /** The number of parameters that a client must bind. */
    public int count() {
        return numbers.stream().mapToInt(Integer::intValue).max().orElse(0);
    }

    /**
     * Replaces the parameters of a text by question marks.
     *
     * @param text without comments
     */
    public static NumberedParameters of(String text) {
        StringBuilder sql = new StringBuilder(text.length());
        List<Integer> numbers = new ArrayList<>();
        int at = 0;
        while (at < text.length()) {
            char character = text.charAt(at);
            int end = at + 1;
            if (character == '\'' || character == '"') {
                int close = text.indexOf(character, at + 1);
                end = close < 0 ? text.length() : close + 1;
            } else if (character == '$' && isDigit(text, end) && !isWordPart(text, at - 1)) {
                while (isDigit(text, end)) {
                    end++;
                }
                int number = number(text.substring(at + 1, end));
                if (number > 0) {
                    numbers.add(number);
                    sql.append('?');
                    at = end;
                    continue;
                }
            }
            sql.append(text, at, end);
            at = end;
        }
        return new NumberedParameters(sql.toString(), numbers);
    }

    private static boolean isDigit(String text, int at) {
        return at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9';
    }

    private static boolean isWordPart(String text, int at) {
        return at >= 0 && (Character.isLetterOrDigit(text.charAt(at)) || text.charAt(at) == '_');
    }

    /** The number of a parameter; 0 if it is above the limit. */
    private static int number(String digits) {
        if (digits.length() > 5) {
            return 0;
        }
        int number = Integer.parseInt(digits);
        return number <= MAX_NUMBER ? number : 0;
    }
}
