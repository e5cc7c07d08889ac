package io.stele.sidecar.postgresql.session;

import io.stele.sidecar.postgresql.wire.PostgresException;
import io.stele.sidecar.postgresql.wire.SqlState;
import java.util.HashMap;
import java.util.Map;

/**
 * The prepared statements of a PostgreSQL session, by name, with limits on their count and
 * characters; the unnamed statement is "". Confined to one thread.
 */
final class PreparedStatements {
    private static final int MAX_STATEMENTS = 10_000;
    private static final int MAX_CHARACTERS = 16 << 20;

    private final Map<String, PreparedStatement> byName = new HashMap<>();
    private long characters; // the total of all texts

    /**
     * Makes room for a statement before it is prepared: an unnamed one is replaced.
     *
     * @throws PostgresException if the name is in use, or if there are too many statements
     */
    void reserve(String name, String sql) {
        if (name.isEmpty()) {
            boolean unused = remove(name);
        } else if (byName.containsKey(name)) {
            throw new PostgresException(
                    SqlState.DUPLICATE_STATEMENT,
                    "Expected a new name of a statement, found '%s' again".formatted(name));
        }
        if (byName.size() >= MAX_STATEMENTS) {
            throw new PostgresException(
                    SqlState.LIMIT_EXCEEDED,
                    "Expected at most %s prepared statements, found more"
                            .formatted(MAX_STATEMENTS));
        }
        if (characters + sql.length() > MAX_CHARACTERS) {
            throw new PostgresException(
                    SqlState.LIMIT_EXCEEDED,
                    "Expected prepared statements of at most %s characters in all, found %s"
                            .formatted(MAX_CHARACTERS, characters + sql.length()));
        }
    }

    /** Adds a statement for which {@link #reserve} has made room. */
    void put(String name, PreparedStatement statement) {
        byName.put(name, statement);
        characters += statement.sql().length();
    }

    /**
     * Returns the statement of a name.
     *
     * @throws PostgresException INVALID_STATEMENT_NAME
     */
    PreparedStatement get(String name) {
        PreparedStatement statement = byName.get(name);
        if (statement == null) {
            throw new PostgresException(
                    SqlState.INVALID_STATEMENT_NAME,
                    "Expected a prepared statement, found none of the name '%s'".formatted(name));
        }
        return statement;
    }

    /** Removes a statement; returns whether it existed. */
    boolean remove(String name) {
        PreparedStatement removed = byName.remove(name);
        if (removed != null) {
            characters -= removed.sql().length();
        }
        return removed != null;
    }

    /** Replaces a statement by another of the same text, under all its names. */
    void replace(PreparedStatement statement, PreparedStatement replacement) {
        byName.replaceAll((name, known) -> known == statement ? replacement : known);
    }

    void clear() {
        byName.clear();
        characters = 0;
    }
}
