package io.stele.sidecar.postgresql.session;

import io.stele.sidecar.postgresql.sql.Identifiers;
import io.stele.sidecar.postgresql.sql.Statement.TableName;
import io.stele.sidecar.postgresql.wire.SqlState;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/** The kinds of statements that Trino runs, by their words. Stateless. */
final class TrinoStatements {
    private static final Set<String> QUERIES =
            Set.of("SELECT", "WITH", "VALUES", "TABLE", "SHOW", "DESCRIBE", "DESC", "EXPLAIN", "(");

    /** What SHOW of Trino shows, in place of a setting. */
    private static final Set<String> SHOWN =
            Set.of(
                    "TABLES",
                    "SCHEMAS",
                    "CATALOGS",
                    "COLUMNS",
                    "CREATE",
                    "STATS",
                    "FUNCTIONS",
                    "ROLES",
                    "GRANTS");

    private TrinoStatements() {}

    /** Whether a statement returns rows and changes nothing. */
    static boolean returnsRows(String sql) {
        List<String> words = CommandParser.words(sql);
        return !words.isEmpty() && QUERIES.contains(words.get(0).toUpperCase(Locale.ENGLISH));
    }

    /** Whether a statement is one of Trino's SHOW. */
    static boolean isShow(String sql) {
        if (!sql.regionMatches(true, 0, "SHOW", 0, 4)) {
            return false;
        }
        List<String> words = CommandParser.words(sql);
        return words.size() > 1
                && words.get(0).equalsIgnoreCase("SHOW")
                && SHOWN.contains(words.get(1).toUpperCase(Locale.ENGLISH));
    }

    /**
     * A query for all rows of a table.
     *
     * @param columns empty: all
     */
    static String selectAll(TableName table, List<String> columns) {
        String selected =
                columns.isEmpty()
                        ? "*"
                        : columns.stream()
                                .map(Identifiers::quoted)
                                .collect(Collectors.joining(", "));
        String schema = table.schema().map(name -> Identifiers.quoted(name) + ".").orElse("");
        return "SELECT %s FROM %s%s".formatted(selected, schema, Identifiers.quoted(table.name()));
    }

    /** Whether Trino may know what is not known here. */
    static boolean mayKnow(SqlState state) {
        return switch (state) {
            case SYNTAX_ERROR,
                    FEATURE_NOT_SUPPORTED,
                    DATATYPE_MISMATCH,
                    UNDEFINED_COLUMN,
                    UNDEFINED_FUNCTION,
                    UNDEFINED_TABLE,
                    UNDEFINED_OBJECT,
                    INVALID_COLUMN_REFERENCE,
                    INVALID_SCHEMA_NAME ->
                    true;
            default -> false;
        };
    }
}
