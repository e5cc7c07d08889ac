package io.stele.benchmarks.serving.ycsb;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.Vector;
import org.jspecify.annotations.Nullable;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.DBException;
import site.ycsb.Status;
import site.ycsb.StringByteIterator;

/**
 * A YCSB binding of PostgreSQL's JDBC driver, on PostgreSQL or on Stele's port, with prepared
 * statements. The properties are {@code jdbc.url}, {@code jdbc.user} and {@code jdbc.schema}; the
 * password, if any, is in the environment, as {@code STELE_SHARED_SECRET}.
 */
public final class JdbcYcsbClient extends DB {
    private static final String KEY = "ycsb_key";

    private final Map<String, PreparedStatement> statements = new HashMap<>();
    private @Nullable Connection connection;

    @Override
    public void init() throws DBException {
        try {
            connection =
                    DriverManager.getConnection(
                            getProperties().getProperty("jdbc.url"),
                            getProperties().getProperty("jdbc.user"),
                            System.getenv().getOrDefault("STELE_SHARED_SECRET", ""));
        } catch (SQLException e) {
            throw new DBException(e);
        }
    }

    @Override
    public void cleanup() throws DBException {
        try {
            if (connection != null) {
                connection.close();
            }
        } catch (SQLException e) {
            throw new DBException(e);
        }
    }

    private String name(String table) {
        return getProperties().getProperty("jdbc.schema", "bench") + "." + table;
    }

    private PreparedStatement prepare(String sql) throws SQLException {
        PreparedStatement known = statements.get(sql);
        if (known != null) {
            return known;
        }
        if (connection == null) {
            throw new IllegalStateException("Expected init() before the first operation");
        }
        PreparedStatement prepared = connection.prepareStatement(sql);
        statements.put(sql, prepared);
        return prepared;
    }

    private static String columns(@Nullable Set<String> fields) {
        return fields == null ? "*" : String.join(", ", fields);
    }

    @Override
    public Status read(
            String table,
            String key,
            @Nullable Set<String> fields,
            Map<String, ByteIterator> result) {
        try {
            PreparedStatement statement =
                    prepare(
                            "SELECT %s FROM %s WHERE %s = ?"
                                    .formatted(columns(fields), name(table), KEY));
            statement.setString(1, key);
            try (ResultSet rows = statement.executeQuery()) {
                if (!rows.next()) {
                    return Status.NOT_FOUND;
                }
                result.putAll(values(rows));
                return Status.OK;
            }
        } catch (SQLException e) {
            return failed(e);
        }
    }

    private static HashMap<String, ByteIterator> values(ResultSet rows) throws SQLException {
        HashMap<String, ByteIterator> values = new HashMap<>();
        int columns = rows.getMetaData().getColumnCount();
        for (int column = 1; column <= columns; column++) {
            String name = rows.getMetaData().getColumnName(column);
            if (!name.equals(KEY)) {
                values.put(name, new StringByteIterator(rows.getString(column)));
            }
        }
        return values;
    }

    @Override
    public Status scan(
            String table,
            String startKey,
            int recordCount,
            @Nullable Set<String> fields,
            Vector<HashMap<String, ByteIterator>> result) {
        try {
            PreparedStatement statement =
                    prepare(
                            "SELECT %s FROM %s WHERE %s >= ? ORDER BY %s LIMIT ?"
                                    .formatted(columns(fields), name(table), KEY, KEY));
            statement.setString(1, startKey);
            statement.setInt(2, recordCount);
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    result.add(values(rows));
                }
            }
            return Status.OK;
        } catch (SQLException e) {
            return failed(e);
        }
    }

    @Override
    public Status update(String table, String key, Map<String, ByteIterator> values) {
        Map<String, ByteIterator> ordered = new TreeMap<>(values);
        String assignments = String.join(" = ?, ", ordered.keySet()) + " = ?";
        return change(
                "UPDATE %s SET %s WHERE %s = ?".formatted(name(table), assignments, KEY),
                ordered,
                key,
                false);
    }

    @Override
    public Status insert(String table, String key, Map<String, ByteIterator> values) {
        Map<String, ByteIterator> ordered = new TreeMap<>(values);
        List<String> columns = new ArrayList<>(List.of(KEY));
        columns.addAll(ordered.keySet());
        String sql =
                "INSERT INTO %s (%s) VALUES (%s)"
                        .formatted(
                                name(table),
                                String.join(", ", columns),
                                String.join(", ", Collections.nCopies(columns.size(), "?")));
        return change(sql, ordered, key, true);
    }

    @Override
    public Status delete(String table, String key) {
        return change(
                "DELETE FROM %s WHERE %s = ?".formatted(name(table), KEY), Map.of(), key, true);
    }

    private Status change(
            String sql, Map<String, ByteIterator> values, String key, boolean keyFirst) {
        try {
            PreparedStatement statement = prepare(sql);
            int parameter = 1;
            if (keyFirst) {
                statement.setString(parameter++, key);
            }
            for (ByteIterator value : values.values()) {
                statement.setString(parameter++, value.toString());
            }
            if (!keyFirst) {
                statement.setString(parameter, key);
            }
            return statement.executeUpdate() == 1 ? Status.OK : Status.NOT_FOUND;
        } catch (SQLException e) {
            return failed(e);
        }
    }

    private static Status failed(SQLException e) {
        System.err.println("%s: %s".formatted(e.getSQLState(), e.getMessage()));
        return Status.ERROR;
    }
}
