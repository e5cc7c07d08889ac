package io.stele.sidecar.postgresql.catalog.relation;

import java.util.Set;
import java.util.stream.Collectors;

/**
 * A printer of index and constraint definitions in SQL, for {@code pg_get_indexdef} and similar
 * functions, with the quoting of names. Stateless.
 */
public final class Definitions {
    /** Words that are names only in quotes; a superset does no harm. */
    private static final Set<String> RESERVED =
            Set.of(
                    "all",
                    "analyse",
                    "analyze",
                    "and",
                    "any",
                    "array",
                    "as",
                    "asc",
                    "asymmetric",
                    "both",
                    "case",
                    "cast",
                    "check",
                    "collate",
                    "column",
                    "constraint",
                    "create",
                    "current_date",
                    "current_role",
                    "current_time",
                    "current_timestamp",
                    "current_user",
                    "default",
                    "deferrable",
                    "desc",
                    "distinct",
                    "do",
                    "else",
                    "end",
                    "except",
                    "false",
                    "fetch",
                    "for",
                    "foreign",
                    "from",
                    "grant",
                    "group",
                    "having",
                    "in",
                    "initially",
                    "intersect",
                    "into",
                    "lateral",
                    "leading",
                    "limit",
                    "localtime",
                    "localtimestamp",
                    "not",
                    "null",
                    "offset",
                    "on",
                    "only",
                    "or",
                    "order",
                    "placing",
                    "primary",
                    "references",
                    "returning",
                    "select",
                    "session_user",
                    "some",
                    "symmetric",
                    "table",
                    "then",
                    "to",
                    "trailing",
                    "true",
                    "union",
                    "unique",
                    "user",
                    "using",
                    "variadic",
                    "when",
                    "where",
                    "window",
                    "with",
                    "left",
                    "right",
                    "full",
                    "inner",
                    "outer",
                    "join",
                    "natural",
                    "cross",
                    "is",
                    "isnull",
                    "notnull",
                    "like",
                    "ilike",
                    "similar",
                    "between",
                    "values");

    private Definitions() {}

    /** A name as it must be written: in quotes unless it is plain. */
    public static String quote(String name) {
        boolean isPlain = name.matches("[a-z_][a-z0-9_$]*") && !RESERVED.contains(name);
        return isPlain ? name : '"' + name.replace("\"", "\"\"") + '"';
    }

    public static String literal(String text) {
        return "'" + text.replace("'", "''") + "'";
    }

    public static String index(UserRelation relation, UserRelation.Index index) {
        return "CREATE %sINDEX %s ON %s.%s USING btree (%s)"
                .formatted(
                        index.isUnique() ? "UNIQUE " : "",
                        quote(index.name()),
                        quote(relation.schema()),
                        quote(relation.name()),
                        columns(relation, index));
    }

    public static String constraint(UserRelation relation, UserRelation.Index index) {
        return "PRIMARY KEY (" + columns(relation, index) + ")";
    }

    private static String columns(UserRelation relation, UserRelation.Index index) {
        return index.columns().stream()
                .map(number -> quote(relation.columns().get(number - 1).name()))
                .collect(Collectors.joining(", "));
    }
}
