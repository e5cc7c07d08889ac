package io.stele.sidecar.postgresql.sql;

import java.util.Locale;

/** Names in SQL: without quotes they are in lower case, in double quotes as they are written. */
public final class Identifiers {
    private Identifiers() {}

    /** The name that a text means. */
    public static String name(String text) {
        return text.length() >= 2 && text.startsWith("\"") && text.endsWith("\"")
                ? text.substring(1, text.length() - 1).replace("\"\"", "\"")
                : text.toLowerCase(Locale.ENGLISH);
    }

    /** A name as the text that means it. */
    public static String quoted(String name) {
        return '"' + name.replace("\"", "\"\"") + '"';
    }
}
