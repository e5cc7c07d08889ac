package io.stele.connector.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.connector.SteleCluster;
import io.trino.jdbc.TrinoDriver;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import sqlline.SqlLine;

/** Trino's JDBC driver, and SQLLine over it. */
@ExtendWith(SteleCluster.Shared.class)
final class SteleJdbcIT {
    private final String url;
    private Connection connection;

    SteleJdbcIT(SteleCluster cluster) {
        this.url = "jdbc:trino://" + cluster.runner().getCoordinator().getAddress() + "/stele";
    }

    @BeforeEach
    void connect() throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("user", "bi");
        connection = new TrinoDriver().connect(url, properties);
        run("CREATE SCHEMA IF NOT EXISTS jdbc");
        run("DROP TABLE IF EXISTS jdbc.orders");
        run(
                """
                CREATE TABLE jdbc.orders (
                    id bigint COMMENT 'the number', placed timestamp(3), total decimal(12, 2), note varchar(20), tags array(varchar))
                COMMENT 'what was sold' WITH (primary_key = ARRAY['id'])
                """);
    }

    @AfterEach
    void disconnect() throws SQLException {
        run("DROP TABLE jdbc.orders");
        connection.close();
    }

    @Test
    void preparedStatementsWriteAndRead() throws SQLException {
        try (PreparedStatement insert =
                connection.prepareStatement(
                        "INSERT INTO jdbc.orders VALUES (?, ?, ?, ?, ARRAY['a'])")) {
            insert.setLong(1, 7);
            insert.setTimestamp(2, Timestamp.valueOf("2026-01-02 03:04:05.678"));
            insert.setBigDecimal(3, new java.math.BigDecimal("9.90"));
            insert.setString(4, "it's new");
            assertThat(insert.executeUpdate()).isEqualTo(1);
            insert.setLong(1, 8);
            insert.setNull(4, Types.VARCHAR);
            assertThat(insert.executeUpdate()).isEqualTo(1);
        }
        try (PreparedStatement select =
                connection.prepareStatement("SELECT * FROM jdbc.orders WHERE id = ?")) {
            select.setLong(1, 7);
            try (ResultSet row = select.executeQuery()) {
                assertThat(row.next()).isTrue();
                assertThat(row.getTimestamp("placed"))
                        .isEqualTo(Timestamp.valueOf("2026-01-02 03:04:05.678"));
                assertThat(row.getBigDecimal("total")).isEqualByComparingTo("9.9");
                assertThat(row.getString("note")).isEqualTo("it's new");
                assertThat((Object[]) row.getArray("tags").getArray()).containsExactly("a");
                assertThat(row.next()).isFalse();
            }
        }
        try (PreparedStatement update =
                connection.prepareStatement("UPDATE jdbc.orders SET note = ? WHERE note IS NULL")) {
            update.setString(1, "none");
            assertThat(update.executeUpdate()).isEqualTo(1);
        }
        assertThat(rows("SELECT id, note FROM jdbc.orders ORDER BY id"))
                .containsExactly("7 it's new", "8 none");
    }

    @Test
    void metadataCallsOfBiToolsAnswer() throws SQLException {
        DatabaseMetaData metadata = connection.getMetaData();
        assertThat(columnOf(metadata.getCatalogs(), "TABLE_CAT")).contains("stele");
        assertThat(columnOf(metadata.getSchemas("stele", null), "TABLE_SCHEM"))
                .contains("jdbc", "information_schema", "system");
        try (ResultSet tables =
                metadata.getTables("stele", "jdbc", "ord%", new String[] {"TABLE", "VIEW"})) {
            assertThat(tables.next()).isTrue();
            assertThat(tables.getString("TABLE_NAME")).isEqualTo("orders");
            assertThat(tables.getString("TABLE_TYPE")).isEqualTo("TABLE");
            assertThat(tables.next()).isFalse();
        }
        List<String> columns = new ArrayList<>();
        try (ResultSet found = metadata.getColumns("stele", "jdbc", "orders", null)) {
            while (found.next()) {
                columns.add(
                        "%s %s %d %s %s"
                                .formatted(
                                        found.getString("COLUMN_NAME"),
                                        found.getString("TYPE_NAME"),
                                        found.getInt("DATA_TYPE"),
                                        found.getString("IS_NULLABLE"),
                                        found.getString("REMARKS")));
            }
        }
        assertThat(columns)
                .hasSize(5)
                .startsWith("id bigint %d NO the number".formatted(Types.BIGINT))
                .contains("total decimal(12,2) %d YES null".formatted(Types.DECIMAL));
        assertThat(columnOf(metadata.getTableTypes(), "TABLE_TYPE")).contains("TABLE", "VIEW");
        assertThat(columnOf(metadata.getTypeInfo(), "TYPE_NAME")).contains("bigint", "uuid");
        // Empty for every connector: the driver asks nobody. "t$indexes" has the key.
        assertThat(columnOf(metadata.getPrimaryKeys("stele", "jdbc", "orders"), "COLUMN_NAME"))
                .isEmpty();
        assertThat(rows("SELECT index_name, columns FROM jdbc.\"orders$indexes\""))
                .containsExactly("PRIMARY [id]");
    }

    @Test
    void failuresHaveCodesAndLeaveTheConnectionUsable() throws SQLException {
        assertThatThrownBy(() -> run("SELECT * FROM jdbc.missing"))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("'stele.jdbc.missing' does not exist");
        assertThat(rows("SELECT count(*) FROM jdbc.orders")).containsExactly("0");
    }

    @Test
    void sqllineListsAndQueries() throws Exception {
        run("INSERT INTO jdbc.orders (id, note) VALUES (1, 'by sqlline')");
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        SqlLine sqlline = new SqlLine();
        try (PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8)) {
            sqlline.setOutputStream(out);
            sqlline.setErrorStream(out);
            SqlLine.Status status =
                    sqlline.begin(
                            new String[] {
                                "-d",
                                TrinoDriver.class.getName(),
                                "-u",
                                url,
                                "-n",
                                "cli",
                                "-p",
                                "",
                                "--outputformat=csv",
                                "-e",
                                "!tables",
                                "-e",
                                "SELECT id, note FROM jdbc.orders;"
                            },
                            null,
                            false);
            assertThat(status)
                    .as(printed.toString(StandardCharsets.UTF_8))
                    .isEqualTo(SqlLine.Status.OK);
        }
        assertThat(printed.toString(StandardCharsets.UTF_8))
                .contains("orders")
                .contains("by sqlline");
    }

    private void run(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private List<String> rows(String sql) throws SQLException {
        List<String> rows = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery(sql)) {
            int count = found.getMetaData().getColumnCount();
            while (found.next()) {
                StringBuilder row = new StringBuilder();
                for (int i = 1; i <= count; i++) {
                    row.append(i == 1 ? "" : " ").append(found.getObject(i));
                }
                rows.add(row.toString());
            }
        }
        return rows;
    }

    private static List<String> columnOf(ResultSet rows, String column) throws SQLException {
        List<String> values = new ArrayList<>();
        try (rows) {
            while (rows.next()) {
                values.add(rows.getString(column));
            }
        }
        return values;
    }
}
