package io.stele.sidecar.postgresql.plan;

import java.util.Locale;

/**
 * The matcher of the operator LIKE: {@code %} is any text, {@code _} one character, a backslash
 * quotes.
 */
public final class LikePattern {
    private LikePattern() {}

    /**
     * Whether a whole text matches a pattern. The time is at most the product of the lengths: on a
     * mismatch only the last {@code %} takes one character more.
     */
    public static boolean matches(String text, String pattern, boolean ignoreCase) {
        int[] found = codePoints(text, ignoreCase);
        int[] wanted = codePoints(pattern, ignoreCase);
        int at = 0;
        int in = 0;
        int retryAt = -1;
        int retryIn = -1;
        while (at < found.length) {
            if (in < wanted.length && wanted[in] == '%') {
                in++;
                retryAt = at;
                retryIn = in;
                continue;
            }
            boolean isQuoted = in + 1 < wanted.length && wanted[in] == '\\';
            int place = isQuoted ? in + 1 : in;
            if (place < wanted.length
                    && ((!isQuoted && wanted[place] == '_') || wanted[place] == found[at])) {
                at++;
                in = place + 1;
            } else if (retryIn >= 0) {
                retryAt++;
                at = retryAt;
                in = retryIn;
            } else {
                return false;
            }
        }
        while (in < wanted.length && wanted[in] == '%') {
            in++;
        }
        return in == wanted.length;
    }

    private static int[] codePoints(String text, boolean ignoreCase) {
        return (ignoreCase ? text.toLowerCase(Locale.ROOT) : text).codePoints().toArray();
    }
}
