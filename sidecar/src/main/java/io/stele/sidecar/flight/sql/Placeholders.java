package io.stele.sidecar.flight.sql;

import io.stele.sidecar.postgresql.sql.StatementSplitter;

/**
 * The replacement of the question marks of JDBC and ADBC by PostgreSQL's numbered parameters.
 * Stateless.
 */
final class Placeholders {
    private Placeholders() {}

    /**
     * The statement with {@code $1}, {@code $2} and so on in place of its question marks outside of
     * quotes and comments.
     */
    static String numbered(String sql) {
        if (sql.indexOf('?') < 0) {
            return sql;
        }
        StringBuilder numbered = new StringBuilder(sql.length() + 16);
        int count = 0;
        for (String part : StatementSplitter.parts(sql)) {
            if (part.equals("?")) {
                numbered.append('$').append(++count);
            } else {
                numbered.append(part);
            }
        }
        return numbered.toString();
    }
}
