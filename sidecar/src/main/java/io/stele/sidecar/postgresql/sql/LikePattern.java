package io.stele.sidecar.postgresql.sql;

import static java.util.Objects.requireNonNull;

import io.stele.sidecar.postgresql.wire.PostgresException;
import io.stele.sidecar.postgresql.wire.SqlState;
import java.util.Arrays;

/**
 * A pattern of LIKE or ILIKE, for PostgreSQL expressions on tables and on the catalog, and for name
 * patterns of Flight SQL. Immutable.
 *
 * @see <a href="https://www.postgresql.org/docs/15/functions-matching.html">PostgreSQL 15, Pattern
 *     Matching</a>
 */
public final class LikePattern {
    /** The escape of a LIKE that has no ESCAPE. */
    public static final String DEFAULT_ESCAPE = "\\";

    // Of the pattern's elements, of which the others are code points
    private static final int ANY_TEXT = -1;
    private static final int ANY_CHARACTER = -2;
    private static final int OPEN_ESCAPE = -3; // at the end of the pattern
    private static final int NO_ELEMENT = -4; // after the end of the pattern

    private final int[] elements;
    private final boolean ignoreCase;

    private LikePattern(int[] elements, boolean ignoreCase) {
        this.elements = requireNonNull(elements, "elements is null");
        this.ignoreCase = ignoreCase;
    }

    /**
     * @param escape a character; empty: the pattern has no escapes
     * @throws PostgresException INVALID_ESCAPE_SEQUENCE if the escape has several characters
     */
    public static LikePattern of(String pattern, String escape, boolean ignoreCase) {
        if (escape.codePointCount(0, escape.length()) > 1) {
            throw new PostgresException(
                    SqlState.INVALID_ESCAPE_SEQUENCE,
                    "Expected an empty escape of LIKE, or one character, found '%s'"
                            .formatted(escape));
        }
        int escapeCharacter = escape.isEmpty() ? -1 : escape.codePointAt(0);
        int[] characters = pattern.codePoints().toArray();
        int[] elements = new int[characters.length];
        int count = 0;
        for (int index = 0; index < characters.length; index++) {
            int character = characters[index];
            if (character != escapeCharacter) {
                elements[count++] = element(character, ignoreCase);
            } else if (++index < characters.length) {
                elements[count++] = folded(characters[index], ignoreCase);
            } else {
                elements[count++] = OPEN_ESCAPE;
            }
        }
        return new LikePattern(Arrays.copyOf(elements, count), ignoreCase);
    }

    private static int element(int character, boolean ignoreCase) {
        return switch (character) {
            case '%' -> ANY_TEXT;
            case '_' -> ANY_CHARACTER;
            default -> folded(character, ignoreCase);
        };
    }

    private static int folded(int character, boolean ignoreCase) {
        return ignoreCase ? Character.toLowerCase(character) : character;
    }

    /** A pattern with the default escape, and upper and lower case. */
    public static LikePattern of(String pattern) {
        return of(pattern, DEFAULT_ESCAPE, false);
    }

    /** As {@link #matches(String, Runnable)}, without steps. */
    public boolean matches(String text) {
        return matches(text, () -> {});
    }

    /**
     * Whether the whole text matches. The time is at most the product of the lengths: on a mismatch
     * only the last {@code %} takes one character more.
     *
     * @param step called for each compared character; may throw to end the work
     * @throws PostgresException INVALID_ESCAPE_SEQUENCE if the comparison comes to an escape at the
     *     end of the pattern, as in PostgreSQL
     */
    public boolean matches(String text, Runnable step) {
        int[] found = text.codePoints().toArray();
        int at = 0;
        int in = 0;
        int retryAt = -1;
        int retryIn = -1;
        while (at < found.length) {
            step.run();
            int element = in < elements.length ? elements[in] : NO_ELEMENT;
            if (element == OPEN_ESCAPE) {
                throw new PostgresException(
                        SqlState.INVALID_ESCAPE_SEQUENCE,
                        "Expected a character after the escape in a pattern of LIKE, found the end"
                                + " of the pattern");
            }
            if (element == ANY_TEXT) {
                in++;
                retryAt = at;
                retryIn = in;
            } else if (element == ANY_CHARACTER || element == folded(found[at], ignoreCase)) {
                at++;
                in++;
            } else if (retryIn >= 0) {
                retryAt++;
                at = retryAt;
                in = retryIn;
            } else {
                return false;
            }
        }
        while (in < elements.length && elements[in] == ANY_TEXT) {
            in++;
        }
        return in == elements.length;
    }
}
