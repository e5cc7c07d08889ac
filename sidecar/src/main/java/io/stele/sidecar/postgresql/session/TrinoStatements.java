package io.stele.sidecar.postgresql.session;

import io.stele.sidecar.postgresql.sql.Identifiers;
import io.stele.sidecar.postgresql.sql.Statement.TableName;
import io.stele.sidecar.postgresql.wire.SqlState;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The classification, by their first words, of statements that Trino runs for PostgreSQL clients.
 * Stateless.
 */
final class TrinoStatements {
    private static final Set<String> QUERIES =
            Set.of("SELECT", "WITH", "VALUES", "TABLE", "SHOW", "DESCRIBE", "DESC", "EXPLAIN", "(");

    /** The words after SHOW in Trino's statements; any other word is a setting. */
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

    /** Whether a statement returns rows. */
    static boolean returnsRows(String sql) {
        return QUERIES.contains(firstWord(sql));
    }

    /** Whether a statement may change something. */
    static boolean mayChange(String sql) {
        List<String> words = CommandParser.words(sql);
        if (!firstWord(sql).equals("EXPLAIN")) {
            return !returnsRows(sql);
        }
        if (words.size() < 3 || !words.get(1).equalsIgnoreCase("ANALYZE")) {
            return false;
        }
        int explained = words.get(2).equalsIgnoreCase("VERBOSE") ? 3 : 2;
        return words.size() <= explained || !QUERIES.contains(letters(words.get(explained)));
    }

    /** Whether a statement changes rows, so that it must not be part of a transaction. */
    static boolean changesRows(String sql) {
        return Set.of("INSERT", "UPDATE", "DELETE", "MERGE", "TRUNCATE").contains(firstWord(sql));
    }

    /** The first word, in upper case; "(" of a query in parentheses. */
    static String firstWord(String sql) {
        List<String> words = CommandParser.words(sql);
        return words.isEmpty() ? "" : letters(words.get(0));
    }

    private static String letters(String word) {
        int end = 0;
        while (end < word.length() && Character.isLetter(word.charAt(end))) {
            end++;
        }
        return end == 0 ? word : word.substring(0, end).toUpperCase(Locale.ENGLISH);
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

    /** Whether a statement that failed here with this state may succeed in Trino. */
    static boolean mayKnow(SqlState state) {
        return switch (state) {
            case SYNTAX_ERROR,
                    LIMIT_EXCEEDED,
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
