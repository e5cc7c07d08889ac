package io.stele.connector.clients;

import static io.trino.testing.assertions.Assert.assertEventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.connector.SidecarFixture;
import io.stele.connector.SteleCluster;
import java.io.StringWriter;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyManager;

/** Any SQL over PostgreSQL's port: statements without a fixed plan are run by Trino. */
@ExtendWith(SteleCluster.Shared.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class StelePostgresIT {
    private final SteleCluster cluster;
    private SidecarFixture sidecar;

    StelePostgresIT(SteleCluster cluster) {
        this.cluster = cluster;
    }

    @BeforeAll
    void start() throws SQLException {
        sidecar = cluster.newSidecarOverPostgres("over_postgres");
        try (Connection connection = connect(sidecar)) {
            update(
                    connection,
                    "CREATE TABLE orders (id bigint, customer bigint, status varchar, amount"
                            + " double) WITH (primary_key = ARRAY['id'], orientation = 'row')");
            update(
                    connection,
                    "INSERT INTO orders VALUES (1, 10, 'new', 1.5), (2, 10, 'paid', 2.5), (3, 20,"
                            + " 'paid', 4)");
            update(
                    connection,
                    "CREATE TABLE customers AS SELECT * FROM (VALUES (BIGINT '10',"
                            + " 'ann'), (20, 'bob')) AS t (id, name)");
        }
    }

    @AfterAll
    void stop() {
        cluster.runner().execute("DROP CATALOG over_postgres");
        sidecar.close();
    }

    private static Connection connect(SidecarFixture to, String... more) throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("user", "ann");
        properties.setProperty("password", SidecarFixture.SECRET);
        properties.setProperty("currentSchema", "s");
        for (int i = 0; i < more.length; i += 2) {
            properties.setProperty(more[i], more[i + 1]);
        }
        return DriverManager.getConnection(
                "jdbc:postgresql://127.0.0.1:%s/stele".formatted(to.postgresqlPort()), properties);
    }

    private static int update(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            return statement.executeUpdate(sql);
        }
    }

    private static List<List<@Nullable Object>> rows(
            Connection connection, String sql, Object... parameters) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            try (ResultSet results = statement.executeQuery()) {
                List<List<@Nullable Object>> rows = new ArrayList<>();
                while (results.next()) {
                    List<@Nullable Object> row = new ArrayList<>();
                    for (int i = 1; i <= results.getMetaData().getColumnCount(); i++) {
                        row.add(results.getObject(i));
                    }
                    rows.add(row);
                }
                return rows;
            }
        }
    }

    private static String stateOf(Connection connection, String sql) {
        SQLException[] failure = new SQLException[1];
        assertThatThrownBy(() -> update(connection, sql))
                .isInstanceOfSatisfying(SQLException.class, thrown -> failure[0] = thrown);
        return failure[0].getSQLState();
    }

    @ParameterizedTest
    @ValueSource(strings = {"simple", "extended"})
    void joinsAndGroups(String mode) throws SQLException {
        try (Connection connection = connect(sidecar, "preferQueryMode", mode)) {
            String sql =
                    "SELECT name, count(*), sum(amount) FROM orders o JOIN customers c ON"
                            + " o.customer = c.id GROUP BY name ORDER BY name";
            for (int i = 0; i < 7; i++) {
                assertThat(rows(connection, sql))
                        .containsExactly(List.of("ann", 2L, 4.0), List.of("bob", 1L, 4.0));
            }
            assertThat(
                            rows(
                                    connection,
                                    "SELECT sum(amount) FROM orders WHERE customer = ? AND status"
                                            + " = ? AND amount < ?",
                                    10L,
                                    "paid",
                                    3.0))
                    .containsExactly(List.of(2.5));
            assertThat(rows(connection, "SELECT id FROM orders WHERE id = ?", 2L))
                    .as("a fixed plan")
                    .containsExactly(List.of(2L));
            assertThat(
                            rows(
                                    connection,
                                    "SELECT count(*) FROM tpch.tiny.nation WHERE name <> ' $1 '"))
                    .containsExactly(List.of(25L));
        }
    }

    /**
     * psycopg 3, asyncpg, and SQLAlchemy, whose statements have fixed plans or are run by Trino.
     */
    @Test
    void pythonsClientsWriteReadAndInspect() throws Exception {
        ClientProcess.Outcome outcome =
                PythonEnvironment.open()
                        .run(
                                Path.of("src/test/python"),
                                Map.of("STELE_SHARED_SECRET", SidecarFixture.SECRET),
                                List.of(
                                        "python",
                                        "postgres_check.py",
                                        "127.0.0.1",
                                        Integer.toString(sidecar.postgresqlPort()),
                                        "s"));
        assertThat(outcome.status()).as(outcome.output()).isZero();
        assertThat(outcome.output()).contains("fine");
    }

    @Test
    void resultsOfTrinoAreCopied() throws Exception {
        try (Connection connection = connect(sidecar)) {
            CopyManager copies = connection.unwrap(PGConnection.class).getCopyAPI();
            StringWriter out = new StringWriter();
            assertThat(
                            copies.copyOut(
                                    "COPY (SELECT name, sum(amount)::numeric(10, 2) AS total FROM"
                                            + " orders o JOIN customers c ON o.customer = c.id"
                                            + " GROUP BY name ORDER BY name) TO STDOUT CSV HEADER",
                                    out))
                    .isEqualTo(2);
            assertThat(out).hasToString("name,total\nann,4.00\nbob,4.00\n");
            assertThatThrownBy(() -> copies.copyOut("COPY nothing TO STDOUT", new StringWriter()))
                    .isInstanceOf(SQLException.class)
                    .extracting(thrown -> ((SQLException) thrown).getSQLState())
                    .isEqualTo("42P01");
        }
    }

    @Test
    void insertsThatTrinoRunsReplaceNoRow() throws SQLException {
        try (Connection connection = connect(sidecar)) {
            update(
                    connection,
                    "CREATE TABLE once (id bigint, v varchar) WITH (primary_key = ARRAY['id'])");
            update(connection, "INSERT INTO once VALUES (1, 'a')");
            assertThat(stateOf(connection, "INSERT INTO once SELECT 1, upper('b')"))
                    .startsWith("23");
            assertThat(rows(connection, "SELECT v FROM once WHERE id = 1"))
                    .containsExactly(List.of("a"));
        }
    }

    @Test
    void changesOfATableAreRead() throws SQLException {
        try (Connection connection = connect(sidecar)) {
            update(
                    connection,
                    "CREATE TABLE changed (id bigint, v varchar) WITH (primary_key = ARRAY['id'])");
            update(connection, "INSERT INTO changed VALUES (1, 'a')");
            Object start = rows(connection, "SELECT max(\"$lsn\") FROM changed").get(0).get(0);
            update(connection, "UPDATE changed SET v = 'b' WHERE id = 1");
            update(connection, "INSERT INTO changed VALUES (2, 'c')");
            update(connection, "DELETE FROM changed WHERE id = 1");
            assertThat(
                            rows(
                                    connection,
                                    "SELECT c.id, v, _change_type FROM stele.changes('s', 'changed', ?) AS c"
                                            + " WHERE c.id < 100 ORDER BY _change_version, c.id",
                                    start))
                    .containsExactly(
                            List.of(1L, "b", "update"),
                            List.of(2L, "c", "insert"),
                            List.of(1L, "b", "delete"));
        }
    }

    @Test
    void whatChangesSomethingIsNoRead() throws SQLException {
        try (Connection connection = connect(sidecar)) {
            update(
                    connection,
                    "CREATE TABLE kept (id bigint, v varchar) WITH (primary_key = ARRAY['id'])");
            update(connection, "INSERT INTO kept VALUES (1, 'a'), (2, 'b')");
            update(connection, "BEGIN READ ONLY");
            assertThat(stateOf(connection, "EXPLAIN ANALYZE DELETE FROM kept WHERE upper(v) = 'A'"))
                    .isEqualTo("25006");
            update(connection, "ROLLBACK");
            assertThat(
                            rows(
                                    connection,
                                    "EXPLAIN ANALYZE SELECT count(*) FROM kept a CROSS JOIN kept b"))
                    .isNotEmpty();
            assertThat(
                            stateOf(
                                    connection,
                                    "DELETE FROM kept WHERE id IN (SELECT 1); INSERT INTO kept VALUES (3, 'c')"))
                    .as("they would be one transaction")
                    .isEqualTo("25001");
            assertThat(rows(connection, "SELECT-count(*) FROM kept a CROSS JOIN kept b"))
                    .containsExactly(List.of(-4L));
        }
    }

    @Test
    void parametersHaveTheTypesOfTheirCasts() throws SQLException {
        try (Connection connection = connect(sidecar, "stringtype", "unspecified")) {
            update(
                    connection,
                    "CREATE TABLE documents (id bigint, doc json, data varbinary) WITH"
                            + " (primary_key = ARRAY['id'])");
            try (PreparedStatement insert =
                    connection.prepareStatement(
                            "INSERT INTO documents SELECT ?::int8, ?::jsonb, ?::bytea")) {
                insert.setString(1, "7");
                insert.setString(2, "{\"a\": 1}");
                insert.setString(3, "\\x0102");
                assertThat(insert.executeUpdate()).isEqualTo(1);
            }
            assertThat(
                            rows(
                                    connection,
                                    "SELECT json_extract_scalar(doc, '$.a'), to_hex(data) FROM documents WHERE id IN (SELECT 7)"))
                    .containsExactly(List.of("1", "0102"));
        }
    }

    @Test
    void useChangesTheSchema() throws SQLException {
        try (Connection connection = connect(sidecar)) {
            update(connection, "CREATE SCHEMA used");
            update(connection, "CREATE TABLE used.things AS SELECT 1 AS one");
            update(connection, "USE used");
            assertThat(rows(connection, "SELECT one FROM things LIMIT 1")).hasSize(1);
            assertThat(stateOf(connection, "USE tpch.tiny")).isEqualTo("0A000");
        }
    }

    @Test
    void allTypesComeBack() throws SQLException {
        String sql =
                """
                SELECT true, TINYINT '1', SMALLINT '2', 3, BIGINT '4', REAL '1.5', DOUBLE '2.5', DECIMAL '12.30', 'text',
                    CAST('a' AS char(3)), X'CAFE', DATE '2026-01-02', TIMESTAMP '2026-01-02 03:04:05.678900',
                    TIMESTAMP '2026-01-02 03:04:05.678 Europe/Berlin', UUID '12151fd2-7586-11e9-8f9e-2a86e4085a59',
                    JSON '{"a":1}', ARRAY[1, NULL], MAP(ARRAY['k'], ARRAY[1.5]), CAST(ROW(1, 'x') AS row(n integer, t varchar)),
                    CAST(NULL AS varchar), INTERVAL '2' DAY
                FROM tpch.tiny.region LIMIT 1
                """;
        for (String threshold : List.of("0", "-1")) {
            try (Connection connection = connect(sidecar, "prepareThreshold", threshold);
                    PreparedStatement statement = connection.prepareStatement(sql);
                    ResultSet results = statement.executeQuery()) {
                assertThat(results.next()).isTrue();
                assertThat(results.getBoolean(1)).isTrue();
                assertThat(results.getInt(2)).isEqualTo(1);
                assertThat(results.getInt(3)).isEqualTo(2);
                assertThat(results.getInt(4)).isEqualTo(3);
                assertThat(results.getLong(5)).isEqualTo(4);
                assertThat(results.getFloat(6)).isEqualTo(1.5f);
                assertThat(results.getDouble(7)).isEqualTo(2.5);
                assertThat(results.getBigDecimal(8)).isEqualTo(new BigDecimal("12.30"));
                assertThat(results.getString(9)).isEqualTo("text");
                assertThat(results.getString(10)).isEqualTo("a");
                assertThat(results.getBytes(11)).isEqualTo(new byte[] {(byte) 0xCA, (byte) 0xFE});
                assertThat(results.getDate(12)).isEqualTo(Date.valueOf("2026-01-02"));
                assertThat(results.getTimestamp(13))
                        .isEqualTo(Timestamp.valueOf("2026-01-02 03:04:05.6789"));
                assertThat(results.getTimestamp(14).toInstant())
                        .isEqualTo("2026-01-02T02:04:05.678Z");
                assertThat(results.getObject(15))
                        .isEqualTo(UUID.fromString("12151fd2-7586-11e9-8f9e-2a86e4085a59"));
                assertThat(results.getString(16)).isEqualTo("{\"a\":1}");
                assertThat(results.getString(17)).isEqualTo("[1,null]");
                assertThat(results.getString(18)).isEqualTo("{\"k\":1.5}");
                assertThat(results.getString(19)).isEqualTo("{\"n\":1,\"t\":\"x\"}");
                assertThat(results.getString(20)).isNull();
                assertThat(results.getString(21)).isEqualTo("2 00:00:00.000");
                ResultSetMetaData columns = results.getMetaData();
                assertThat(columns.getColumnType(5)).isEqualTo(Types.BIGINT);
                assertThat(columns.getColumnType(8)).isEqualTo(Types.NUMERIC);
            }
        }
    }

    @Test
    void parametersOfAllTypesGoThere() throws SQLException {
        String sql =
                "SELECT count(*) FROM tpch.tiny.region WHERE ? AND ? = 1.5 AND ? = DATE"
                        + " '2026-01-02' AND ? = TIMESTAMP '2026-01-02 03:04:05' AND ? = X'01' AND ? ="
                        + " 'it''s' AND ? = UUID '12151fd2-7586-11e9-8f9e-2a86e4085a59' AND name IN (?,"
                        + " ?)";
        try (Connection connection = connect(sidecar)) {
            for (int i = 0; i < 7; i++) {
                assertThat(
                                rows(
                                        connection,
                                        sql,
                                        true,
                                        new BigDecimal("1.5"),
                                        Date.valueOf("2026-01-02"),
                                        Timestamp.valueOf("2026-01-02 03:04:05"),
                                        new byte[] {1},
                                        "it's",
                                        UUID.fromString("12151fd2-7586-11e9-8f9e-2a86e4085a59"),
                                        "ASIA",
                                        "EUROPE"))
                        .containsExactly(List.of(2L));
            }
        }
    }

    @Test
    void changesCountTheirRows() throws SQLException {
        try (Connection connection = connect(sidecar)) {
            assertThat(
                            update(
                                    connection,
                                    "CREATE TABLE counted WITH (primary_key = ARRAY['nationkey'])"
                                            + " AS SELECT * FROM tpch.tiny.nation"))
                    .isEqualTo(25);
            assertThat(
                            update(
                                    connection,
                                    "INSERT INTO counted SELECT nationkey + 100, name, regionkey,"
                                            + " comment FROM tpch.tiny.nation WHERE regionkey = 1"))
                    .isEqualTo(5);
            assertThat(update(connection, "UPDATE counted SET comment = upper(comment) || '!'"))
                    .isEqualTo(30);
            assertThat(update(connection, "DELETE FROM counted WHERE mod(regionkey, 2) = 1"))
                    .isEqualTo(15);
            assertThat(rows(connection, "SHOW TABLES LIKE 'count%'"))
                    .containsExactly(List.of("counted"));
            assertThat(update(connection, "ALTER TABLE counted ADD COLUMN more bigint")).isZero();
            assertThat(rows(connection, "SELECT more FROM counted WHERE nationkey = 0"))
                    .containsExactly(java.util.Collections.singletonList(null));
            assertThat(update(connection, "DROP TABLE counted")).isZero();
            assertThat(stateOf(connection, "SELECT count(*) FROM counted GROUP BY name"))
                    .isEqualTo("42P01");
        }
    }

    @Test
    void rowsAreFetchedInParts() throws SQLException {
        try (Connection connection = connect(sidecar)) {
            connection.setAutoCommit(false);
            try (Statement statement = connection.createStatement()) {
                statement.setFetchSize(1_000);
                try (ResultSet results =
                        statement.executeQuery("SELECT orderkey + 1 FROM tpch.tiny.lineitem")) {
                    int count = 0;
                    while (results.next()) {
                        count++;
                    }
                    assertThat(count).isEqualTo(60_175);
                }
                // One that nobody reads to its end
                try (ResultSet results =
                        statement.executeQuery("SELECT orderkey + 1 FROM tpch.tiny.lineitem")) {
                    assertThat(results.next()).isTrue();
                }
            }
            connection.commit();
            assertThat(rows(connection, "SELECT name FROM customers ORDER BY name LIMIT 1"))
                    .containsExactly(List.of("ann"));
        }
    }

    @Test
    void blocksKeepWhatTheyPromise() throws SQLException {
        try (Connection connection = connect(sidecar)) {
            connection.setAutoCommit(false);
            assertThat(rows(connection, "SELECT count(DISTINCT status) FROM orders"))
                    .containsExactly(List.of(2L));
            assertThat(stateOf(connection, "CREATE TABLE in_a_block (x bigint)"))
                    .isEqualTo("25001");
            connection.rollback();
            update(connection, "UPDATE orders SET status = 'x' WHERE id = 1");
            assertThat(stateOf(connection, "SELECT count(DISTINCT status) FROM orders"))
                    .as("it would not see the change")
                    .isEqualTo("25001");
            connection.rollback();
            connection.setReadOnly(true);
            assertThat(stateOf(connection, "DELETE FROM orders WHERE mod(id, 2) = 0"))
                    .isEqualTo("25006");
            connection.rollback();
        }
    }

    @Test
    void failuresAreThoseOfPostgres() throws SQLException {
        try (Connection connection = connect(sidecar)) {
            assertThat(stateOf(connection, "SELECT nothing FROM orders GROUP BY 1"))
                    .isEqualTo("42703");
            assertThat(stateOf(connection, "SELECT count(*) FROM nowhere GROUP BY x"))
                    .isEqualTo("42P01");
            assertThat(stateOf(connection, "SELEC 1")).isEqualTo("42601");
            assertThat(stateOf(connection, "SELECT 1 / (id - id) FROM orders GROUP BY id"))
                    .isEqualTo("22012");
            assertThat(stateOf(connection, "SELECT nofunction(id) FROM orders GROUP BY id"))
                    .isEqualTo("42883");
            assertThat(rows(connection, "SELECT max(amount) FROM orders")).hasSize(1);
        }
    }

    /** The name of the client's user is that of Trino's query, and the search path its schema. */
    @Test
    void queriesAreThoseOfTheUser() throws SQLException {
        try (Connection connection = connect(sidecar, "ApplicationName", "a dashboard")) {
            assertThat(
                            rows(
                                    connection,
                                    "SELECT \"user\", source FROM system.runtime.queries WHERE"
                                            + " query LIKE '%its own name%'"))
                    .contains(List.of("ann", "a dashboard"));
            update(connection, "CREATE SCHEMA other");
            update(connection, "CREATE TABLE other.only_there AS SELECT 1 AS x");
            assertThat(stateOf(connection, "SELECT sum(x) FROM only_there GROUP BY x"))
                    .isEqualTo("42P01");
            update(connection, "SET search_path TO other");
            assertThat(rows(connection, "SELECT sum(x) FROM only_there"))
                    .containsExactly(List.of(1L));
        }
    }

    @Test
    void aQueryIsCancelled() throws Exception {
        try (Connection connection = connect(sidecar);
                Statement statement = connection.createStatement();
                ExecutorService executor = Executors.newSingleThreadExecutor()) {
            String sql = "SELECT count(*) FROM tpch.sf10000.lineitem CROSS JOIN tpch.sf1.orders";
            Future<String> state =
                    executor.submit(
                            () -> {
                                try {
                                    statement.executeQuery(sql);
                                    return "none";
                                } catch (SQLException e) {
                                    return e.getSQLState();
                                }
                            });
            assertEventually(
                    () ->
                            assertThat(
                                            cluster.runner()
                                                    .execute(
                                                            "SELECT count(*) FROM"
                                                                    + " system.runtime.queries WHERE"
                                                                    + " state = 'RUNNING' AND query ="
                                                                    + " '%s'".formatted(sql))
                                                    .getOnlyValue())
                                    .isEqualTo(1L));
            statement.cancel();
            assertThat(state.get()).isEqualTo("57014");
            assertThat(rows(connection, "SELECT name FROM customers WHERE id + 1 = 11"))
                    .containsExactly(List.of("ann"));
        }
    }

    @Test
    void withoutATrinoThatAnswersKeysAreServed() throws SQLException {
        SidecarFixture alone =
                cluster.newSidecar(
                        "without_trino",
                        Map.of(),
                        Map.of(
                                "stele.postgresql.port",
                                "0",
                                "stele.postgresql.trino-uri",
                                "http://127.0.0.1:1"));
        try (alone) {
            cluster.runner()
                    .execute(
                            "CREATE TABLE without_trino.s.t (id bigint, v varchar) WITH"
                                    + " (primary_key = ARRAY['id'])");
            try (Connection connection = connect(alone)) {
                update(connection, "INSERT INTO t VALUES (1, 'a')");
                assertThat(stateOf(connection, "SELECT v, count(*) FROM t GROUP BY v"))
                        .isEqualTo("57P03");
                assertThat(rows(connection, "SELECT v FROM t WHERE id = 1"))
                        .containsExactly(List.of("a"));
            }
            cluster.runner().execute("DROP CATALOG without_trino");
        }
    }
}
