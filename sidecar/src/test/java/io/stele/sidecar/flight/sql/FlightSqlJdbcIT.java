package io.stele.sidecar.flight.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableSchema;
import io.stele.sidecar.TestingSidecar;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Date;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** The JDBC driver of Arrow Flight SQL against the sidecar's Flight port. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class FlightSqlJdbcIT {
    private TestingSidecar sidecar;
    private Connection connection;

    @BeforeAll
    void start(@TempDir Path directory) throws SQLException {
        sidecar = TestingSidecar.start(directory);
        sidecar.createTable(orders("orders"));
        sidecar.createTable(orders("empty"));
        sidecar.createTable(edges());
        connection = connect("shop");
    }

    private Connection connect(String schema) throws SQLException {
        Properties properties = new Properties();
        properties.put("user", "alice");
        properties.put("password", TestingSidecar.SECRET);
        properties.put("useEncryption", "false");
        properties.put("schema", schema);
        return DriverManager.getConnection(
                "jdbc:arrow-flight-sql://127.0.0.1:" + sidecar.server().flightPort(), properties);
    }

    @AfterAll
    void stop() throws SQLException {
        connection.close();
        sidecar.close();
    }

    private static TableSchema orders(String name) {
        return table(
                name,
                List.of(1),
                "bigint",
                "varchar",
                "decimal(12, 2)",
                "timestamp(6)",
                "array(integer)");
    }

    private static TableSchema edges() {
        return table(
                "edges",
                List.of(1),
                "bigint",
                "boolean",
                "tinyint",
                "smallint",
                "integer",
                "real",
                "double",
                "decimal(38, 3)",
                "varchar(5)",
                "char(4)",
                "varbinary",
                "uuid",
                "json",
                "date",
                "time(9)",
                "timestamp(3)",
                "timestamp(9)",
                "timestamp(6) with time zone",
                "map(varchar, bigint)",
                "row(a bigint, b varchar)");
    }

    /** A table with columns c1, c2 and so on. */
    private static TableSchema table(String name, List<Integer> primaryKey, String... types) {
        List<ColumnSchema> columns = new ArrayList<>();
        for (String type : types) {
            int id = columns.size() + 1;
            columns.add(
                    new ColumnSchema(
                            id,
                            "c" + id,
                            DataType.parse(type),
                            !primaryKey.contains(id),
                            Optional.empty()));
        }
        return TableSchema.builder("shop", name)
                .columns(columns)
                .primaryKey(primaryKey)
                .orientation(Orientation.ROW)
                .shardCount(4)
                .build();
    }

    @Test
    void statementsReadWhatTheyWrote() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            assertThat(
                            statement.executeUpdate(
                                    "INSERT INTO orders (c1, c2, c3) VALUES (1, 'new', 10), (2, 'paid', 20.25), (3, NULL, NULL)"))
                    .isEqualTo(3);
            try (ResultSet rows =
                    statement.executeQuery(
                            "SELECT c1, c2, c3, c3 * 2 AS twice FROM orders WHERE c1 IN (1, 2, 3) ORDER BY c1 DESC")) {
                assertThat(rows.next()).isTrue();
                assertThat(rows.getLong(1)).isEqualTo(3);
                assertThat(rows.getString(2)).isNull();
                assertThat(rows.getBigDecimal(3)).isNull();
                assertThat(rows.next()).isTrue();
                assertThat(rows.getString("c2")).isEqualTo("paid");
                assertThat(rows.getBigDecimal("c3")).isEqualTo(new BigDecimal("20.25"));
                assertThat(rows.getBigDecimal("twice")).isEqualByComparingTo("40.5");
                assertThat(rows.next()).isTrue();
                assertThat(rows.next()).isFalse();
                ResultSetMetaData metadata = rows.getMetaData();
                assertThat(metadata.getColumnCount()).isEqualTo(4);
                assertThat(metadata.getColumnType(1)).isEqualTo(Types.BIGINT);
                assertThat(metadata.getColumnType(3)).isEqualTo(Types.DECIMAL);
                assertThat(metadata.getPrecision(3)).isEqualTo(12);
                assertThat(metadata.getScale(3)).isEqualTo(2);
                assertThat(metadata.getTableName(1)).isEqualTo("orders");
            }
            try (ResultSet rows =
                    statement.executeQuery(
                            "UPDATE orders SET c2 = 'sent' WHERE c1 = 2 RETURNING c1, c2 || '!' AS c")) {
                assertThat(rows.next()).isTrue();
                assertThat(rows.getString("c")).isEqualTo("sent!");
                assertThat(rows.next()).isFalse();
            }
            assertThat(statement.executeUpdate("DELETE FROM orders WHERE c1 IN (1, 2, 3)"))
                    .isEqualTo(3);
            try (ResultSet rows =
                    statement.executeQuery("SELECT count(*), min(c1) FROM shop.\"empty\"")) {
                assertThat(rows.next()).isTrue();
                assertThat(rows.getLong(1)).isZero();
                assertThat(rows.getObject(2)).isNull();
            }
            try (ResultSet rows = statement.executeQuery("SELECT 1 AS one, 'a' AS text")) {
                assertThat(rows.next()).isTrue();
                assertThat(rows.getInt("one")).isEqualTo(1);
                assertThat(rows.getString("text")).isEqualTo("a");
            }
        }
    }

    @Test
    void preparedStatementsTakeParametersOfTheirColumns() throws SQLException {
        LocalDateTime placed = LocalDateTime.of(2026, 11, 29, 1, 2, 3, 456_000_000);
        try (PreparedStatement insert =
                connection.prepareStatement(
                        "INSERT INTO orders (c1, c2, c3, c4) VALUES (?, ?, ?, ?)")) {
            insert.setLong(1, 100);
            insert.setString(2, "a ? in a text");
            insert.setBigDecimal(3, new BigDecimal("1.50"));
            insert.setTimestamp(4, Timestamp.valueOf(placed));
            assertThat(insert.executeUpdate()).isEqualTo(1);
            insert.setLong(1, 101);
            insert.setNull(2, Types.VARCHAR);
            assertThat(insert.executeUpdate()).isEqualTo(1);
        }
        try (PreparedStatement select =
                connection.prepareStatement(
                        "SELECT c2, c3, c4 FROM orders WHERE c1 = ? AND coalesce(c2, '?') <> ?")) {
            select.setLong(1, 100);
            select.setString(2, "x");
            try (ResultSet rows = select.executeQuery()) {
                assertThat(rows.next()).isTrue();
                assertThat(rows.getString(1)).isEqualTo("a ? in a text");
                assertThat(rows.getBigDecimal(2)).isEqualTo(new BigDecimal("1.50"));
                assertThat(rows.getTimestamp(3).toLocalDateTime()).isEqualTo(placed);
                assertThat(rows.next()).isFalse();
            }
            select.setLong(1, -999);
            try (ResultSet rows = select.executeQuery()) {
                assertThat(rows.next()).isFalse();
            }
        }
    }

    @Test
    void batchesOfParametersAreOneTransaction() throws SQLException {
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO orders (c1, c2) VALUES (?, ?)")) {
            for (long id = 200; id < 1_200; id++) {
                insert.setLong(1, id);
                insert.setString(2, "row " + id);
                insert.addBatch();
            }
            insert.executeBatch();
            assertThat(count("c1 >= 200 AND c1 < 1200")).isEqualTo(1_000);
            for (long id = 1_199; id < 1_300; id++) {
                insert.setLong(1, id);
                insert.setString(2, "again");
                insert.addBatch();
            }
            assertThatThrownBy(insert::executeBatch).isInstanceOf(SQLException.class);
            assertThat(count("c1 >= 1200 AND c1 < 1300")).isZero();
        }
        try (PreparedStatement update =
                connection.prepareStatement("UPDATE orders SET c3 = ? WHERE c1 = ?")) {
            for (long id = 200; id < 300; id++) {
                update.setBigDecimal(1, BigDecimal.valueOf(100 * id + 50, 2));
                update.setLong(2, id);
                update.addBatch();
            }
            update.executeBatch();
        }
        assertThat(count("c1 >= 200 AND c1 < 1200 AND c3 = c1 + 0.5")).isEqualTo(100);
    }

    private long count(String condition) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows =
                        statement.executeQuery("SELECT count(*) FROM orders WHERE " + condition)) {
            assertThat(rows.next()).isTrue();
            return rows.getLong(1);
        }
    }

    @Test
    void typesComeThroughAtTheirEdges() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            int unused =
                    statement.executeUpdate(
                            "INSERT INTO edges VALUES (-9223372036854775808, true, -128, -32768, -2147483648, 1.5, 1e300,"
                                    + " -99999999999999999999999999999999999.999, 'äöü€x', 'ab', '\\x00ff', '00000000-0000-0000-0000-0000000000ff', '{\"a\": 1}',"
                                    + " '0001-01-01', '23:59:59.999999999', '9999-12-31 23:59:59.999', '2026-11-29 01:02:03.123456789',"
                                    + " '2026-11-29 01:02:03.5+02:00', '{\"k\": 7}', '{\"a\": 1, \"b\": null}'),"
                                    + " (9223372036854775807, false, 127, 32767, 2147483647, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)");
            try (ResultSet rows = statement.executeQuery("SELECT * FROM edges ORDER BY c1")) {
                assertThat(rows.next()).isTrue();
                assertThat(rows.getLong(1)).isEqualTo(Long.MIN_VALUE);
                assertThat(rows.getBoolean(2)).isTrue();
                assertThat(rows.getByte(3)).isEqualTo(Byte.MIN_VALUE);
                assertThat(rows.getShort(4)).isEqualTo(Short.MIN_VALUE);
                assertThat(rows.getInt(5)).isEqualTo(Integer.MIN_VALUE);
                assertThat(rows.getFloat(6)).isEqualTo(1.5f);
                assertThat(rows.getDouble(7)).isEqualTo(1e300);
                assertThat(rows.getBigDecimal(8))
                        .isEqualTo(new BigDecimal("-99999999999999999999999999999999999.999"));
                assertThat(rows.getString(9)).isEqualTo("äöü€x");
                assertThat(rows.getString(10)).startsWith("ab");
                assertThat(rows.getBytes(11)).containsExactly(0, 0xFF);
                assertThat(rows.getBytes(12)).hasSize(16).endsWith(0xFF);
                assertThat(rows.getString(13)).isEqualTo("{\"a\": 1}");
                assertThat(rows.getDate(14)).isNotNull();
                assertThat(rows.getTime(15)).isNotNull();
                assertThat(rows.getTimestamp(16).toLocalDateTime())
                        .isEqualTo(LocalDateTime.of(9999, 12, 31, 23, 59, 59, 999_000_000));
                assertThat(rows.getTimestamp(18).toInstant())
                        .isEqualTo(java.time.Instant.parse("2026-11-28T23:02:03.500Z"));
                assertThat(rows.getString(19)).contains("k").contains("7");
                assertThat(rows.getString(20)).contains("a").contains("1");
                assertThat(rows.next()).isTrue();
                assertThat(rows.getLong(1)).isEqualTo(Long.MAX_VALUE);
                assertThat(rows.getInt(5)).isEqualTo(Integer.MAX_VALUE);
                for (int column = 6; column <= 20; column++) {
                    assertThat(rows.getString(column)).isNull();
                }
                assertThat(rows.next()).isFalse();
            }
        }
        try (PreparedStatement byDate =
                connection.prepareStatement("SELECT count(*) FROM edges WHERE c14 < ?")) {
            byDate.setDate(1, Date.valueOf("2026-11-29"));
            try (ResultSet rows = byDate.executeQuery()) {
                assertThat(rows.next()).isTrue();
                assertThat(rows.getLong(1)).isEqualTo(1);
            }
        }
    }

    @Test
    void metadataIsThatOfTheCatalog() throws SQLException {
        var metadata = connection.getMetaData();
        assertThat(metadata.getDatabaseProductName()).isEqualTo("Stele");
        assertThat(metadata.isReadOnly()).isFalse();
        assertThat(metadata.supportsGroupBy()).isFalse();
        assertThat(metadata.getIdentifierQuoteString()).isEqualTo("\"");
        assertThat(texts(metadata.getCatalogs(), "TABLE_CAT")).containsExactly("stele");
        assertThat(texts(metadata.getSchemas(), "TABLE_SCHEM")).contains("shop");
        assertThat(texts(metadata.getTableTypes(), "TABLE_TYPE")).containsExactly("TABLE");
        assertThat(
                        texts(
                                metadata.getTables(null, "sh%", "e%", new String[] {"TABLE"}),
                                "TABLE_NAME"))
                .containsExactly("edges", "empty");
        assertThat(
                        texts(
                                metadata.getTables(null, "shop", "%", new String[] {"VIEW"}),
                                "TABLE_NAME"))
                .isEmpty();
        assertThat(texts(metadata.getColumns(null, "shop", "orders", "%"), "COLUMN_NAME"))
                .containsExactly("c1", "c2", "c3", "c4", "c5");
        assertThat(texts(metadata.getColumns(null, "shop", "orders", "%"), "TYPE_NAME"))
                .contains("bigint", "decimal(12,2)");
        assertThat(texts(metadata.getPrimaryKeys(null, "shop", "orders"), "COLUMN_NAME"))
                .containsExactly("c1");
        assertThat(texts(metadata.getImportedKeys(null, "shop", "orders"), "FKCOLUMN_NAME"))
                .isEmpty();
    }

    private static List<String> texts(ResultSet rows, String column) throws SQLException {
        try (rows) {
            List<String> texts = new ArrayList<>();
            while (rows.next()) {
                texts.add(rows.getString(column));
            }
            return texts;
        }
    }

    @Test
    void whatCannotBeDoneIsSaid() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            assertThatThrownBy(
                            () ->
                                    statement.executeQuery(
                                            "SELECT a.c1 FROM orders a JOIN orders b ON a.c1 = b.c1"))
                    .hasMessageContaining("Expected a statement of the form")
                    .hasMessageContaining("Statements by key run here");
            assertThatThrownBy(() -> statement.executeQuery("SELECT c1 FROM nowhere WHERE c1 = 1"))
                    .hasMessageContaining("nowhere");
            assertThatThrownBy(() -> statement.executeQuery("SELEC 1"))
                    .hasMessageContaining("Expected a statement of SQL");
            assertThatThrownBy(() -> statement.execute("BEGIN"))
                    .hasMessageContaining("Expected a statement on rows, found 'BEGIN'");
            int unused = statement.executeUpdate("INSERT INTO orders (c1) VALUES (77)");
            assertThatThrownBy(
                            () ->
                                    texts(
                                            statement.executeQuery(
                                                    "SELECT c1 / (c1 - 77) AS c FROM orders WHERE c1 = 77"),
                                            "c"))
                    .hasMessageContaining("Expected a divisor other than 0");
        }
        try (Connection elsewhere = connect("nowhere");
                Statement statement = elsewhere.createStatement()) {
            assertThatThrownBy(() -> statement.executeQuery("SELECT c1 FROM orders WHERE c1 = 1"))
                    .hasMessageContaining("orders");
        }
    }

    @Test
    void largeResultsComeInBatches() throws SQLException {
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO \"empty\" (c1, c2) VALUES (?, ?)")) {
            for (int id = 0; id < 20_000; id++) {
                insert.setLong(1, id);
                insert.setString(2, "x".repeat(200));
                insert.addBatch();
            }
            insert.executeBatch();
        }
        try (Statement statement = connection.createStatement();
                ResultSet rows =
                        statement.executeQuery(
                                "SELECT c1, c2 FROM \"empty\" WHERE c1 >= 0 ORDER BY c1")) {
            long expected = 0;
            while (rows.next()) {
                assertThat(rows.getLong(1)).isEqualTo(expected++);
            }
            assertThat(expected).isEqualTo(20_000);
            int unused = statement.executeUpdate("DELETE FROM \"empty\" WHERE c1 >= 0");
        }
    }
}
