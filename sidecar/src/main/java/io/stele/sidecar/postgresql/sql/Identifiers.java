package io.stele.sidecar.postgresql.sql;

import java.util.Locale;

/**
 * A converter between SQL identifiers and names: without quotes, an identifier means its lower-case
 * name. Stateless.
 */
public final class Identifiers {
    private Identifiers() {}

    /** Returns the name that an identifier means. */
    public static String name(String text) {
        return text.length() >= 2 && text.startsWith("\"") && text.endsWith("\"")
                ? text.substring(1, text.length() - 1).replace("\"\"", "\"")
                : text.toLowerCase(Locale.ENGLISH);
    }

    /** Returns a quoted identifier for a name. */
    public static String quoted(String name) {
        return '"' + name.replace("\"", "\"\"") + '"';
    }
}
