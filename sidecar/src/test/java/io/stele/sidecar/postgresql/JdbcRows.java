package io.stele.sidecar.postgresql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** The rows of a query by JDBC, as the values that the driver makes of them. */
final class JdbcRows {
    private JdbcRows() {}

    static List<List<Object>> of(Connection connection, String sql, Object... parameters)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            bind(statement, parameters);
            try (ResultSet results = statement.executeQuery()) {
                List<List<Object>> rows = new ArrayList<>();
                int columns = results.getMetaData().getColumnCount();
                while (results.next()) {
                    List<Object> row = new ArrayList<>();
                    for (int i = 1; i <= columns; i++) {
                        row.add(results.getObject(i));
                    }
                    rows.add(row);
                }
                return rows;
            }
        }
    }

    static void bind(PreparedStatement statement, Object... parameters) throws SQLException {
        for (int i = 0; i < parameters.length; i++) {
            statement.setObject(i + 1, parameters[i]);
        }
    }
}
