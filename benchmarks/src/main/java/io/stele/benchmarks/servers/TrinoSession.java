package io.stele.benchmarks.servers;

import static java.util.Objects.requireNonNull;

import java.net.URI;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;

/**
 * One JDBC connection to Trino.
 *
 * <p>Confined to one thread.
 */
public final class TrinoSession implements AutoCloseable {
    private final Connection connection;

    private TrinoSession(Connection connection) {
        this.connection = requireNonNull(connection, "connection is null");
    }

    public static TrinoSession connect(URI trino) throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("user", "stele");
        return new TrinoSession(
                DriverManager.getConnection(
                        "jdbc:trino://%s:%d".formatted(trino.getHost(), trino.getPort()),
                        properties));
    }

    /** All rows of the query's result; values as the JDBC driver gives them, nulls included. */
    public List<List<Object>> query(String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            int columns = result.getMetaData().getColumnCount();
            List<List<Object>> rows = new ArrayList<>();
            while (result.next()) {
                List<Object> row = new ArrayList<>(columns);
                for (int column = 1; column <= columns; column++) {
                    row.add(result.getObject(column));
                }
                rows.add(row);
            }
            return rows;
        }
    }

    /** The single number that the query returns. */
    public long number(String sql) throws SQLException {
        List<List<Object>> rows = query(sql);
        if (rows.size() != 1 || !(rows.getFirst().getFirst() instanceof Number number)) {
            throw new IllegalStateException(
                    "Expected one row with one number, found %s for: %s".formatted(rows, sql));
        }
        return number.longValue();
    }

    /** Runs a statement and returns its count of rows, 0 where it has none. */
    public long update(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
            return Math.max(0, statement.getLargeUpdateCount());
        }
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
