package io.stele.sidecar.postgresql.trino;

import io.stele.sidecar.postgresql.type.PostgresType;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The parsed type name of a PostgreSQL cast, with Trino's name of the type, for statements that
 * Trino runs. Immutable.
 *
 * @param trino Trino's name of the type
 * @param scalar PostgreSQL's type; empty: an array, or an unknown type
 * @param end the exclusive end of the type's name in the text
 */
record CastType(String trino, Optional<PostgresType> scalar, int end) {
    /**
     * Trino's type for {@code numeric} without a scale, which has any number of digits in
     * PostgreSQL.
     */
    static final String ANY_NUMBER = "decimal(38, 10)";

    /** Trino's names of types by PostgreSQL's names, where they differ. */
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
                    Map.entry("json", "json"),
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
    private static final Pattern WITH = Pattern.compile("\\s+with\\s.*", Pattern.CASE_INSENSITIVE);

    /** The type whose name begins at an index of a text; empty: none does. */
    static Optional<CastType> at(String text, int start) {
        Matcher found = TYPE.matcher(text).region(start, text.length());
        return found.lookingAt() ? Optional.of(of(found)) : Optional.empty();
    }

    private static CastType of(Matcher found) {
        String name = found.group("name").toLowerCase(Locale.ENGLISH).replaceAll("\\s+", " ");
        String size = Optional.ofNullable(found.group("size")).orElse("").strip();
        boolean hasZone =
                WITH.matcher(Optional.ofNullable(found.group("zone")).orElse("")).matches();
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
        int dimensions = (int) found.group("array").chars().filter(each -> each == '[').count();
        Optional<PostgresType> scalar =
                dimensions > 0
                        ? Optional.empty()
                        : PostgresType.ofName(hasZone ? name + " with time zone" : name);
        return new CastType(
                "array(".repeat(dimensions) + type + ")".repeat(dimensions), scalar, found.end());
    }

    boolean isJson() {
        return trino.equals("json");
    }

    boolean isBytes() {
        return trino.equals("varbinary");
    }
}
