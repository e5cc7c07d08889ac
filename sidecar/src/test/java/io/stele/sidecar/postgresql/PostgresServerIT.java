package io.stele.sidecar.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.protocol.schema.ColumnChange;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableSchema;
import io.stele.sidecar.SampleTables;
import io.stele.sidecar.TestingSidecar;
import java.io.StringReader;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Array;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.sql.Timestamp;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;

/** PostgreSQL's own JDBC driver against a real sidecar. */
final class PostgresServerIT {
    @TempDir static Path directory;
    private static TestingSidecar sidecar;

    @BeforeAll
    static void start() {
        sidecar = TestingSidecar.start(directory, Map.of("stele.postgresql.port", "0"));
        sidecar.createTable(SampleTables.orders(Orientation.ROW));
        sidecar.createTable(SampleTables.events());
        sidecar.createTable(SampleTables.items());
        sidecar.createTable(SampleTables.types());
    }

    @AfterAll
    static void stop() {
        sidecar.close();
    }

    private static ColumnSchema column(int id, String name, String type) {
        return new ColumnSchema(id, name, DataType.parse(type));
    }

    private static TableSchema table(
            String name, List<Integer> key, int shards, ColumnSchema... columns) {
        return TableSchema.builder("shop", name)
                .columns(List.of(columns))
                .primaryKey(key)
                .orientation(Orientation.ROW)
                .shardCount(shards)
                .build();
    }

    private static Connection connect(String... properties) throws SQLException {
        return connect(sidecar, properties);
    }

    private static Connection connect(TestingSidecar of, String... properties) throws SQLException {
        Properties all = new Properties();
        all.setProperty("user", "alice");
        all.setProperty("password", TestingSidecar.SECRET);
        all.setProperty("currentSchema", "shop");
        for (int i = 0; i < properties.length; i += 2) {
            all.setProperty(properties[i], properties[i + 1]);
        }
        return DriverManager.getConnection(
                "jdbc:postgresql://127.0.0.1:%s/stele"
                        .formatted(of.server().postgresqlPort().orElseThrow()),
                all);
    }

    private static int run(Connection connection, String sql, Object... parameters)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            JdbcRows.bind(statement, parameters);
            return statement.executeUpdate();
        }
    }

    private static String stateOf(Connection connection, String sql, Object... parameters) {
        SQLException[] failure = new SQLException[1];
        assertThatThrownBy(() -> run(connection, sql, parameters))
                .isInstanceOf(SQLException.class)
                .satisfies(thrown -> failure[0] = (SQLException) thrown);
        return failure[0].getSQLState();
    }

    @ParameterizedTest
    @ValueSource(strings = {"simple", "extended"})
    void rowsAreWrittenAndReadByKey(String mode) throws SQLException {
        try (Connection connection = connect("preferQueryMode", mode)) {
            long id = mode.length();
            assertThat(
                            run(
                                    connection,
                                    "INSERT INTO orders VALUES (?, 'new', 1.5, '2026-01-02"
                                            + " 03:04:05.000006')",
                                    id))
                    .isEqualTo(1);
            assertThat(JdbcRows.of(connection, "SELECT * FROM shop.orders WHERE id = ?", id))
                    .containsExactly(
                            List.of(
                                    id,
                                    "new",
                                    1.5,
                                    Timestamp.valueOf("2026-01-02 03:04:05.000006")));
            assertThat(run(connection, "UPDATE orders SET status = ? WHERE id = ?", "paid", id))
                    .isEqualTo(1);
            assertThat(run(connection, "UPDATE orders SET status = 'x' WHERE id = ?", -id))
                    .isZero();
            assertThat(
                            run(
                                    connection,
                                    "UPDATE orders SET amount = amount * 2 + 1 WHERE id = ? AND"
                                            + " status = 'paid'",
                                    id))
                    .isEqualTo(1);
            assertThat(
                            JdbcRows.of(
                                    connection,
                                    "SELECT status, amount, id + 1 AS next FROM orders WHERE id ="
                                            + " ?",
                                    id))
                    .containsExactly(List.of("paid", 4.0, id + 1));
            assertThat(run(connection, "DELETE FROM orders WHERE id = ? AND amount > 100", id))
                    .isZero();
            assertThat(run(connection, "DELETE FROM orders WHERE id = ?", id)).isEqualTo(1);
            assertThat(run(connection, "DELETE FROM orders WHERE id = ?", id)).isZero();
            assertThat(JdbcRows.of(connection, "SELECT id FROM orders WHERE id = ?", id)).isEmpty();
        }
    }

    @Test
    void conflictsAreDecidedAsTheStatementSays() throws SQLException {
        try (Connection connection = connect()) {
            String insert = "INSERT INTO orders (id, status, amount) VALUES (?, ?, ?)";
            assertThat(run(connection, insert, 100L, "a", 1.0)).isEqualTo(1);
            assertThat(stateOf(connection, insert, 100L, "b", 2.0)).isEqualTo("23505");
            assertThat(run(connection, insert + " ON CONFLICT DO NOTHING", 100L, "c", 3.0))
                    .isZero();
            assertThat(
                            run(
                                    connection,
                                    insert
                                            + " ON CONFLICT (id) DO UPDATE SET status ="
                                            + " EXCLUDED.status, amount = EXCLUDED.amount",
                                    100L,
                                    "d",
                                    4.0))
                    .isEqualTo(1);
            assertThat(
                            JdbcRows.of(
                                    connection,
                                    insert
                                            + " ON CONFLICT (id) DO UPDATE SET amount ="
                                            + " orders.amount + EXCLUDED.amount WHERE orders.status"
                                            + " = 'd' RETURNING status, amount",
                                    100L,
                                    "e",
                                    5.0))
                    .containsExactly(List.of("d", 9.0));
            // As knex and others write it
            assertThat(
                            JdbcRows.of(
                                    connection,
                                    insert
                                            + " ON CONFLICT (id) DO UPDATE SET id = EXCLUDED.id,"
                                            + " status = EXCLUDED.status RETURNING id, status, amount",
                                    100L,
                                    "d",
                                    6.0))
                    .containsExactly(List.of(100L, "d", 9.0));
            assertThat(
                            run(
                                    connection,
                                    "INSERT INTO orders (id, status) VALUES (?, ?) ON CONFLICT (id)"
                                            + " DO UPDATE SET id = EXCLUDED.id, status ="
                                            + " EXCLUDED.status",
                                    100L,
                                    "d"))
                    .isEqualTo(1);
            assertThat(JdbcRows.of(connection, "SELECT status, amount FROM orders WHERE id = 100"))
                    .containsExactly(List.of("d", 9.0));
            assertThat(
                            stateOf(
                                    connection,
                                    insert + " ON CONFLICT (id) DO UPDATE SET id = 7",
                                    100L,
                                    "g",
                                    1.0))
                    .isEqualTo("0A000");
            assertThat(
                            stateOf(
                                    connection,
                                    insert + " ON CONFLICT (status) DO NOTHING",
                                    100L,
                                    "f",
                                    1.0))
                    .isEqualTo("42P10");
            // Rows of several shards are one statement
            assertThat(
                            stateOf(
                                    connection,
                                    "INSERT INTO orders (id) VALUES (101), (102), (103), (104),"
                                            + " (100)"))
                    .isEqualTo("23505");
            assertThat(
                            JdbcRows.of(
                                    connection,
                                    "SELECT id FROM orders WHERE id IN (101, 102, 103, 104)"))
                    .isEmpty();
            assertThat(
                            JdbcRows.of(
                                    connection,
                                    "INSERT INTO orders (id, status) VALUES (101, 'x'), (102, 'y')"
                                            + " RETURNING id, upper(status)"))
                    .containsExactly(List.of(101L, "X"), List.of(102L, "Y"));
            assertThat(
                            run(
                                    connection,
                                    "INSERT INTO orders (id) VALUES (101), (105), (106), (107) ON"
                                            + " CONFLICT DO NOTHING"))
                    .isEqualTo(3);
        }
    }

    @Test
    void rangesOfKeysAreReadInOrder() throws SQLException {
        try (Connection connection = connect()) {
            StringBuilder values = new StringBuilder();
            for (int i = 0; i < 50; i++) {
                values.append(i == 0 ? "" : ", ")
                        .append(
                                "('eu', %s, %s.5, null), ('us', %s, null, 'n%s')"
                                        .formatted(i, i, i, i));
            }
            assertThat(run(connection, "INSERT INTO items VALUES " + values)).isEqualTo(100);
            assertThat(
                            JdbcRows.of(
                                    connection,
                                    "SELECT id FROM items WHERE region = 'eu' AND id >= ? AND id <"
                                            + " 7 ORDER BY id DESC LIMIT 2",
                                    3))
                    .containsExactly(List.of(6), List.of(5));
            assertThat(
                            JdbcRows.of(
                                    connection,
                                    "SELECT region, id FROM items WHERE region BETWEEN 'eu' AND"
                                            + " 'us' AND (id = 1 OR note LIKE 'n_3') ORDER BY region,"
                                            + " id OFFSET 1"))
                    .containsExactly(
                            List.of("us", 1),
                            List.of("us", 13),
                            List.of("us", 23),
                            List.of("us", 33),
                            List.of("us", 43));
            assertThat(
                            JdbcRows.of(
                                    connection,
                                    "SELECT count(*), count(price), min(id), max(price) FROM items"
                                            + " WHERE region = 'eu' AND id > 39"))
                    .containsExactly(List.of(10L, 10L, 40, new BigDecimal("49.50")));
            assertThat(
                            JdbcRows.of(
                                    connection,
                                    "SELECT id FROM items WHERE (region, id) IN (('us', 3), ('eu',"
                                            + " 999), ('eu', 4))"))
                    .containsExactly(List.of(3), List.of(4));
            Array ids = connection.createArrayOf("integer", new Object[] {5, 6, null, 5});
            assertThat(
                            JdbcRows.of(
                                    connection,
                                    "SELECT id FROM items WHERE region = 'us' AND id = ANY (?)",
                                    ids))
                    .containsExactly(List.of(5), List.of(6));
            assertThat(JdbcRows.of(connection, "SELECT 1 + id FROM items LIMIT 3")).hasSize(3);
            assertThat(JdbcRows.of(connection, "SELECT id FROM items WHERE note = 'n1'"))
                    .as("a small table")
                    .containsExactly(List.of(1));
            assertThatThrownBy(
                            () ->
                                    JdbcRows.of(
                                            connection, "SELECT * FROM items JOIN orders ON true"))
                    .hasMessageContaining("Expected");
            assertThat(
                            run(
                                    connection,
                                    "UPDATE items SET note = 'cheap' WHERE region = 'eu' AND price"
                                            + " < 3"))
                    .isEqualTo(3);
            assertThat(
                            JdbcRows.of(
                                    connection,
                                    "DELETE FROM items WHERE region = 'eu' AND note = 'cheap'"
                                            + " RETURNING id, price"))
                    .containsExactlyInAnyOrder(
                            List.of(0, new BigDecimal("0.50")),
                            List.of(1, new BigDecimal("1.50")),
                            List.of(2, new BigDecimal("2.50")));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"true", "false"})
    void allTypesGoBothWays(String binary) throws SQLException {
        try (Connection connection =
                connect(
                        "binaryTransfer",
                        binary,
                        "prepareThreshold",
                        binary.equals("true") ? "-1" : "0")) {
            int id = binary.length();
            OffsetDateTime instant =
                    OffsetDateTime.of(2026, 7, 8, 9, 10, 11, 12_000, ZoneOffset.UTC);
            LocalDateTime time = LocalDateTime.of(1999, 12, 31, 23, 59, 59, 999_999_000);
            UUID uuid = UUID.fromString("12345678-9abc-def0-1234-56789abcdef0");
            byte[] bytes = {0, 1, -1, 92};
            int count =
                    run(
                            connection,
                            "INSERT INTO types VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,"
                                    + " ?, ?::json, ?::json, ?::json, ?::json)",
                            id,
                            true,
                            (short) -128,
                            (short) 32767,
                            Long.MIN_VALUE,
                            1.25f,
                            -0.1,
                            new BigDecimal("-1234567890123456789012345678.0123456789"),
                            "it's \u00e9\u4e2d",
                            "ab",
                            bytes,
                            LocalDate.of(1, 2, 3),
                            LocalTime.of(1, 2, 3, 4_000),
                            time,
                            instant,
                            uuid,
                            "{\"k\": [1, null]}",
                            "[1, null, 3]",
                            "{\"one\": 1}",
                            "{\"x\": 7, \"y\": \"z\"}");
            assertThat(count).isEqualTo(1);
            try (PreparedStatement statement =
                    connection.prepareStatement("SELECT * FROM types WHERE id = ?")) {
                statement.setInt(1, id);
                try (ResultSet row = statement.executeQuery()) {
                    assertThat(row.next()).isTrue();
                    assertThat(row.getBoolean("b")).isTrue();
                    assertThat(row.getInt("t")).isEqualTo(-128);
                    assertThat(row.getShort("s")).isEqualTo((short) 32767);
                    assertThat(row.getLong("l")).isEqualTo(Long.MIN_VALUE);
                    assertThat(row.getFloat("f")).isEqualTo(1.25f);
                    assertThat(row.getDouble("d")).isEqualTo(-0.1);
                    assertThat(row.getBigDecimal("n"))
                            .isEqualTo("-1234567890123456789012345678.0123456789");
                    assertThat(row.getString("v")).isEqualTo("it's \u00e9\u4e2d");
                    assertThat(row.getString("c").strip()).isEqualTo("ab");
                    assertThat(row.getBytes("x")).isEqualTo(bytes);
                    assertThat(row.getObject("day", LocalDate.class))
                            .isEqualTo(LocalDate.of(1, 2, 3));
                    assertThat(row.getObject("tm", LocalTime.class))
                            .isEqualTo(LocalTime.of(1, 2, 3, 4_000));
                    assertThat(row.getObject("ts", LocalDateTime.class)).isEqualTo(time);
                    assertThat(row.getObject("tz", OffsetDateTime.class).toInstant())
                            .isEqualTo(instant.toInstant());
                    assertThat(row.getObject("u")).isEqualTo(uuid);
                    assertThat(row.getString("j")).isEqualTo("{\"k\": [1, null]}");
                    assertThat(row.getString("a")).isEqualTo("[1,null,3]");
                    assertThat(row.getString("m")).isEqualTo("{\"one\":1}");
                    assertThat(row.getString("r")).isEqualTo("{\"x\":7,\"y\":\"z\"}");
                }
            }
            assertThat(stateOf(connection, "INSERT INTO types (id, t) VALUES (999, 128)"))
                    .isEqualTo("22003");
            assertThat(stateOf(connection, "INSERT INTO types (id, day) VALUES (999, 'x')"))
                    .isEqualTo("22P02");
            assertThat(stateOf(connection, "INSERT INTO types (b) VALUES (true)"))
                    .isEqualTo("23502");
        }
    }

    @Test
    void aBlockReadsOneMomentAndItsOwnChanges() throws SQLException {
        try (Connection first = connect();
                Connection second = connect()) {
            run(first, "INSERT INTO orders (id, amount) VALUES (200, 1), (201, 1)");
            first.setAutoCommit(false);
            assertThat(JdbcRows.of(first, "SELECT amount FROM orders WHERE id = 200"))
                    .containsExactly(List.of(1.0));
            run(second, "UPDATE orders SET amount = 5 WHERE id = 201");
            run(first, "UPDATE orders SET amount = amount + 10 WHERE id = 200");
            run(first, "INSERT INTO orders (id, amount) VALUES (202, 7)");
            run(first, "INSERT INTO events VALUES (1, 'in a block', 1, null)");
            assertThat(
                            JdbcRows.of(
                                    first,
                                    "SELECT id, amount FROM orders WHERE id IN (200, 201, 202,"
                                            + " 203)"))
                    .containsExactly(List.of(200L, 11.0), List.of(201L, 1.0), List.of(202L, 7.0));
            assertThat(
                            JdbcRows.of(
                                    first,
                                    "SELECT count(*) FROM orders WHERE id >= 200 AND id < 300"))
                    .containsExactly(List.of(3L));
            assertThat(JdbcRows.of(second, "SELECT id, amount FROM orders WHERE id IN (200, 202)"))
                    .containsExactly(List.of(200L, 1.0));
            first.commit();
            assertThat(JdbcRows.of(second, "SELECT id, amount FROM orders WHERE id IN (200, 202)"))
                    .containsExactly(List.of(200L, 11.0), List.of(202L, 7.0));

            // Two that change one row
            assertThat(JdbcRows.of(first, "SELECT amount FROM orders WHERE id = 200")).hasSize(1);
            run(second, "UPDATE orders SET amount = 0 WHERE id = 200");
            run(first, "UPDATE orders SET amount = amount + 1 WHERE id = 200");
            assertThatThrownBy(first::commit)
                    .isInstanceOf(SQLException.class)
                    .extracting(thrown -> ((SQLException) thrown).getSQLState())
                    .isEqualTo("40001");
            first.rollback();
            assertThat(JdbcRows.of(second, "SELECT amount FROM orders WHERE id = 200"))
                    .containsExactly(List.of(0.0));

            run(first, "DELETE FROM orders WHERE id = 200");
            assertThat(stateOf(first, "SELECT nothing FROM orders WHERE id = 1"))
                    .isEqualTo("42703");
            assertThat(stateOf(first, "SELECT id FROM orders WHERE id = 1")).isEqualTo("25P02");
            first.rollback();
            assertThat(JdbcRows.of(second, "SELECT id FROM orders WHERE id = 200")).hasSize(1);
        }
    }

    @Test
    void savepointsUndoAPartOfABlock() throws SQLException {
        try (Connection connection = connect();
                Connection other = connect()) {
            run(connection, "INSERT INTO orders (id, amount) VALUES (800, 1), (801, 1)");
            connection.setAutoCommit(false);
            run(connection, "UPDATE orders SET amount = 2 WHERE id = 800");
            run(connection, "SET application_name = 'first'");
            Savepoint outer = connection.setSavepoint("outer");
            run(connection, "UPDATE orders SET amount = 3 WHERE id = 800");
            run(connection, "DELETE FROM orders WHERE id = 801");
            run(connection, "INSERT INTO orders (id, amount) VALUES (802, 1)");
            run(connection, "INSERT INTO events VALUES (800, 'undone', 1, null)");
            run(connection, "SET application_name = 'second'");
            Savepoint inner = connection.setSavepoint("inner");
            run(connection, "INSERT INTO orders (id, amount) VALUES (803, 1)");
            connection.rollback(inner);
            assertThat(ids(connection)).containsExactly(800L, 802L);
            run(connection, "INSERT INTO orders (id, amount) VALUES (804, 1)");
            connection.rollback(outer);
            assertThat(ids(connection)).containsExactly(800L, 801L);
            assertThat(JdbcRows.of(connection, "SELECT amount FROM orders WHERE id = 800"))
                    .containsExactly(List.of(2.0));
            assertThat(JdbcRows.of(connection, "SHOW application_name"))
                    .containsExactly(List.of("first"));

            // A statement that fails in the middle, after which the block goes on
            assertThat(stateOf(connection, "INSERT INTO orders (id) VALUES (805), (801)"))
                    .isEqualTo("23505");
            assertThat(stateOf(connection, "SELECT id FROM orders WHERE id = 1"))
                    .isEqualTo("25P02");
            assertThat(stateOf(connection, "SAVEPOINT late")).isEqualTo("25P02");
            connection.rollback(outer);
            assertThat(ids(connection)).containsExactly(800L, 801L);
            run(connection, "INSERT INTO events VALUES (800, 'stays', 1, null)");
            connection.releaseSavepoint(outer);
            assertThat(stateOf(connection, "ROLLBACK TO outer")).isEqualTo("3B001");
            connection.rollback();
            assertThat(ids(other)).containsExactly(800L, 801L);
            assertThat(JdbcRows.of(other, "SELECT amount FROM orders WHERE id = 800"))
                    .containsExactly(List.of(1.0));

            assertThat(stateOf(other, "SAVEPOINT a")).isEqualTo("25P01");
            assertThat(stateOf(other, "RELEASE a")).isEqualTo("25P01");
        }
    }

    private static List<Long> ids(Connection connection) throws SQLException {
        return JdbcRows.of(
                        connection,
                        "SELECT id FROM orders WHERE id >= 800 AND id < 900 ORDER BY id")
                .stream()
                .map(row -> (Long) row.getFirst())
                .toList();
    }

    /** The driver makes a savepoint for each statement, and goes back to it if that fails. */
    @Test
    void aBlockGoesOnAfterFailuresWithTheDriversSavepoints() throws SQLException {
        try (Connection connection = connect("autosave", "always")) {
            connection.setAutoCommit(false);
            for (int id = 900; id < 930; id++) {
                run(connection, "INSERT INTO orders (id, amount) VALUES (?, 1)", (long) id);
                assertThat(
                                stateOf(
                                        connection,
                                        "INSERT INTO orders (id, amount) VALUES (?, 2)",
                                        (long) id))
                        .isEqualTo("23505");
            }
            connection.commit();
            assertThat(
                            JdbcRows.of(
                                    connection,
                                    "SELECT count(*), max(amount) FROM orders WHERE id >= 900 AND"
                                            + " id < 999"))
                    .containsExactly(List.of(30L, 1.0));
        }
    }

    @Test
    void additionsOfManyClientsAreAllThere() throws Exception {
        int clients = 6;
        int additions = 20;
        try (Connection connection = connect()) {
            run(connection, "INSERT INTO orders (id, amount) VALUES (300, 0)");
            CountDownLatch ready = new CountDownLatch(clients);
            try (ExecutorService threads = Executors.newFixedThreadPool(clients)) {
                List<Future<?>> all = new ArrayList<>();
                for (int i = 0; i < clients; i++) {
                    all.add(
                            threads.submit(
                                    () -> {
                                        try (Connection own = connect()) {
                                            ready.countDown();
                                            ready.await();
                                            for (int n = 0; n < additions; n++) {
                                                assertThat(
                                                                run(
                                                                        own,
                                                                        "UPDATE orders SET amount ="
                                                                                + " amount + 1 WHERE id"
                                                                                + " = 300"))
                                                        .isEqualTo(1);
                                            }
                                        }
                                        return null;
                                    }));
                }
                for (Future<?> client : all) {
                    client.get();
                }
            }
            assertThat(JdbcRows.of(connection, "SELECT amount FROM orders WHERE id = 300"))
                    .containsExactly(List.of((double) clients * additions));
        }
    }

    @Test
    void rowsAreFetchedInParts() throws SQLException {
        try (Connection connection = connect()) {
            for (int i = 0; i < 30; i++) {
                run(connection, "INSERT INTO items VALUES ('part', ?, null, null)", i);
            }
            connection.setAutoCommit(false);
            try (Statement statement = connection.createStatement()) {
                statement.setFetchSize(7);
                try (ResultSet results =
                        statement.executeQuery("SELECT id FROM items WHERE region = 'part'")) {
                    int count = 0;
                    while (results.next()) {
                        count++;
                    }
                    assertThat(count).isEqualTo(30);
                }
            }
            connection.commit();
        }
    }

    @Test
    void wrongPasswordsAreRefused() {
        assertThatThrownBy(() -> connect("password", "not the secret"))
                .isInstanceOf(SQLException.class)
                .extracting(thrown -> ((SQLException) thrown).getSQLState())
                .isEqualTo("28P01");
    }

    @Test
    void statementsArePlannedAgainWhenTheTableChanges() throws SQLException {
        TableSchema schema =
                table(
                        "changing",
                        List.of(1),
                        1,
                        column(1, "id", "integer").notNull(),
                        column(2, "v", "varchar"));
        sidecar.createTable(schema);
        try (Connection connection = connect("prepareThreshold", "1");
                PreparedStatement one =
                        connection.prepareStatement("SELECT id, v FROM changing WHERE id = ?");
                PreparedStatement all =
                        connection.prepareStatement("SELECT * FROM changing WHERE id = ?")) {
            run(connection, "INSERT INTO changing VALUES (1, 'a')");
            for (PreparedStatement statement : List.of(one, all)) {
                statement.setInt(1, 1);
                try (ResultSet results = statement.executeQuery()) {
                    assertThat(results.next()).isTrue();
                }
            }
            TableSchema present =
                    sidecar.engine().engine().catalog().current().table("shop", "changing");
            sidecar.engine()
                    .engine()
                    .alterTable(
                            present.id(),
                            present.schemaVersion(),
                            ColumnChange.addColumn("w", DataType.parse("bigint"), Optional.empty()))
                    .join();
            try (ResultSet results = one.executeQuery()) {
                assertThat(results.next()).isTrue();
                assertThat(results.getString("v")).isEqualTo("a");
            }
            assertThatThrownBy(all::executeQuery).hasMessageContaining("the table was altered");
        }
    }

    /** A failure in RETURNING comes before the decision; nothing is written. */
    @Test
    void whatIsReturnedIsComputedBeforeTheCommit() throws SQLException {
        try (Connection connection = connect()) {
            assertThat(
                            stateOf(
                                    connection,
                                    "INSERT INTO orders (id, amount) VALUES (350, 1) RETURNING"
                                            + " 10 / (id - 350)"))
                    .isEqualTo("22012");
            assertThat(JdbcRows.of(connection, "SELECT id FROM orders WHERE id = 350")).isEmpty();
            run(connection, "INSERT INTO orders (id, amount) VALUES (350, 1)");
            assertThat(
                            stateOf(
                                    connection,
                                    "DELETE FROM orders WHERE id = 350 RETURNING 10 / (id - 350)"))
                    .isEqualTo("22012");
            assertThat(JdbcRows.of(connection, "SELECT id FROM orders WHERE id = 350")).hasSize(1);
        }
    }

    @Test
    void currentTimesAreThoseOfTheTransaction() throws SQLException {
        try (Connection connection = connect()) {
            connection.setAutoCommit(false);
            String times = "SELECT now(), statement_timestamp(), clock_timestamp()";
            List<Object> first = JdbcRows.of(connection, times).getFirst();
            List<Object> second = JdbcRows.of(connection, times).getFirst();
            assertThat(second.get(0)).isEqualTo(first.get(0));
            assertThat((Timestamp) second.get(1)).isAfter((Timestamp) first.get(1));
            assertThat((Timestamp) second.get(2)).isAfterOrEqualTo((Timestamp) second.get(1));
            connection.commit();
            assertThat((Timestamp) JdbcRows.of(connection, times).getFirst().getFirst())
                    .isAfter((Timestamp) first.get(0));
            connection.commit();
        }
    }

    @Test
    void aPatternThatEndsWithItsEscapeIsRefused() throws SQLException {
        try (Connection connection = connect()) {
            assertThat(run(connection, "INSERT INTO orders (id, status) VALUES (777, 'xy')"))
                    .isOne();
            for (String sql :
                    List.of(
                            "SELECT id FROM orders WHERE id = 777 AND status LIKE 'x\\'",
                            "SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname LIKE 'p%\\'")) {
                assertThatThrownBy(() -> JdbcRows.of(connection, sql))
                        .as(sql)
                        .isInstanceOfSatisfying(
                                SQLException.class,
                                e -> assertThat(e.getSQLState()).isEqualTo("22025"));
            }
        }
    }

    @Test
    void aBlockThatIsReadOnlyWritesNothing() throws SQLException {
        try (Connection connection = connect()) {
            connection.setReadOnly(true);
            connection.setAutoCommit(false);
            assertThat(stateOf(connection, "INSERT INTO orders (id) VALUES (310)"))
                    .isEqualTo("25006");
            connection.rollback();
            // The driver's COPY would begin a block that may write
            assertThat(JdbcRows.of(connection, "SELECT id FROM orders WHERE id = 310")).isEmpty();
            assertThatThrownBy(
                            () ->
                                    ((PGConnection) connection)
                                            .getCopyAPI()
                                            .copyIn(
                                                    "COPY orders (id) FROM STDIN",
                                                    new StringReader("310\n")))
                    .extracting(thrown -> ((SQLException) thrown).getSQLState())
                    .isEqualTo("25006");
            connection.rollback();
            assertThat(JdbcRows.of(connection, "SELECT id FROM orders WHERE id = 310")).isEmpty();
        }
    }

    /** A portal that is suspended goes on with the rows of the moment at which it was bound. */
    @Test
    void aSuspendedPortalDoesNotSeeLaterChanges() throws SQLException {
        try (Connection connection = connect()) {
            for (int i = 0; i < 30; i++) {
                run(connection, "INSERT INTO items VALUES ('zlate', ?, 1, null)", i);
            }
            connection.setAutoCommit(false);
            run(connection, "UPDATE items SET price = 2 WHERE region = 'zlate' AND id = 28");
            try (Statement statement = connection.createStatement()) {
                statement.setFetchSize(7);
                try (ResultSet results =
                        statement.executeQuery(
                                "SELECT id, price FROM items WHERE region = 'zlate'")) {
                    assertThat(results.next()).isTrue();
                    run(connection, "UPDATE items SET price = 9 WHERE region = 'zlate'");
                    run(connection, "DELETE FROM items WHERE region = 'zlate' AND id = 29");
                    int count = 1;
                    while (results.next()) {
                        count++;
                        assertThat(results.getBigDecimal(2))
                                .isEqualByComparingTo(results.getInt(1) == 28 ? "2" : "1");
                    }
                    assertThat(count).isEqualTo(30);
                }
            }
            assertThat(JdbcRows.of(connection, "SELECT count(*) FROM items WHERE region = 'zlate'"))
                    .containsExactly(List.of(29L));
            connection.rollback();
        }
    }

    @Test
    void valuesOfDifferentTypesAreComparedAsInPostgres() throws SQLException {
        try (Connection connection = connect()) {
            run(connection, "INSERT INTO types (id, day, n) VALUES (400, '2020-01-01', 1.5)");
            assertThat(
                            JdbcRows.of(
                                    connection,
                                    "SELECT id FROM types WHERE id = 400 AND day < now()"))
                    .hasSize(1);
            assertThat(
                            JdbcRows.of(
                                    connection,
                                    "SELECT id FROM types WHERE id = 400 AND n = ?",
                                    1.5d))
                    .hasSize(1);
            assertThat(
                            JdbcRows.of(
                                    connection,
                                    "SELECT id FROM types WHERE id = 400 AND n < ?",
                                    1.4d))
                    .isEmpty();
        }
    }

    /** {@code docs/serving.md}. */
    @Test
    void theDocumentedStatementsRun(@TempDir Path other) throws Exception {
        String page = Files.readString(Path.of("..", "docs", "serving.md"));
        String[] setting = block(page, "properties").strip().split("=");
        try (TestingSidecar own = TestingSidecar.start(other, Map.of(setting[0], "0"))) {
            own.createTable(SampleTables.orders(Orientation.ROW));
            try (Connection connection = connect(own, "currentSchema", "public")) {
                for (String sql : block(page, "sql").split(";\n")) {
                    try (Statement statement = connection.createStatement()) {
                        boolean unused = statement.execute(sql);
                    }
                }
                assertThat(JdbcRows.of(connection, "SELECT id, status, amount FROM orders LIMIT 5"))
                        .containsExactly(List.of(1L, "paid", 17.5));
                String statistics = page.split("```sql\n")[2].split("```")[0];
                assertThat(JdbcRows.of(connection, statistics)).hasSize(5);
            }
        }
    }

    private static String block(String page, String language) {
        int start = page.indexOf("```" + language + "\n");
        int from = page.indexOf('\n', start) + 1;
        return page.substring(from, page.indexOf("```", from));
    }

    @Test
    void settingsAreOfTheSession() throws SQLException {
        try (Connection connection = connect("currentSchema", "nowhere")) {
            assertThat(stateOf(connection, "SELECT id FROM orders WHERE id = 1"))
                    .isEqualTo("42P01");
            run(connection, "SET search_path TO nowhere, shop");
            assertThat(JdbcRows.of(connection, "SELECT id FROM orders WHERE id = -1")).isEmpty();
            assertThat(JdbcRows.of(connection, "SHOW search_path"))
                    .containsExactly(List.of("nowhere, shop"));
            assertThat(stateOf(connection, "SET TimeZone = 'Nowhere/Land'")).isEqualTo("22023");
            assertThat(stateOf(connection, "SAVEPOINT a")).isEqualTo("25P01");
            assertThat(stateOf(connection, "LISTEN a")).isEqualTo("0A000");
            assertThat(stateOf(connection, "SELEC 1")).isEqualTo("42601");
        }
    }
}
