package io.stele.sidecar.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.protocol.api.Done;
import io.stele.protocol.api.status.StatementStatus;
import io.stele.protocol.api.status.StatusActions;
import io.stele.protocol.schema.Orientation;
import io.stele.sidecar.SampleTables;
import io.stele.sidecar.TestingSidecar;
import java.io.StringReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.PGConnection;

/** The statistics of statements that clients of PostgreSQL's JDBC driver have run. */
final class StatementStatisticsIT {
    @TempDir static Path directory;
    private static TestingSidecar sidecar;

    @BeforeAll
    static void start() {
        sidecar = TestingSidecar.start(directory, Map.of("stele.postgresql.port", "0"));
        sidecar.createTable(SampleTables.orders(Orientation.ROW));
    }

    @AfterAll
    static void stop() {
        sidecar.close();
    }

    private static Connection connect(String user) throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("user", user);
        properties.setProperty("password", TestingSidecar.SECRET);
        properties.setProperty("currentSchema", "shop");
        return DriverManager.getConnection(
                "jdbc:postgresql://127.0.0.1:%s/stele"
                        .formatted(sidecar.server().postgresqlPort().orElseThrow()),
                properties);
    }

    private static Optional<StatementStatus> find(String user, String statement) {
        return sidecar.flight().action(StatusActions.STATEMENTS, Done.DONE).statements().stream()
                .filter(status -> status.user().equals(user))
                .filter(status -> status.statement().equals(statement))
                .findFirst();
    }

    @Test
    void countsCallsRowsAndFailures() throws Exception {
        try (Connection connection = connect("counter");
                Statement statement = connection.createStatement()) {
            for (int id = 1; id <= 3; id++) {
                statement.executeUpdate(
                        "INSERT INTO orders (id, status) VALUES (%s, 'a'), (%s, 'b')"
                                .formatted(id, id + 1_000));
            }
            assertThatThrownBy(
                            () ->
                                    statement.executeUpdate(
                                            "INSERT INTO orders (id, status) VALUES (1, 'x'), (2, 'y')"))
                    .isInstanceOf(SQLException.class);
            try (PreparedStatement select =
                    connection.prepareStatement("SELECT status FROM orders WHERE id = ?")) {
                for (int id = 1; id <= 10; id++) { // from the fifth on, prepared by name
                    select.setLong(1, id);
                    try (ResultSet rows = select.executeQuery()) {
                        assertThat(rows.next()).isEqualTo(id <= 3);
                    }
                }
            }
        }
        StatementStatus inserts =
                find("counter", "insert into orders(id, status) values (?, ...), ...")
                        .orElseThrow();
        assertThat(inserts.calls()).isEqualTo(4);
        assertThat(inserts.failures()).isEqualTo(1);
        assertThat(inserts.rows()).isEqualTo(6);
        StatementStatus selects =
                find("counter", "select status from orders where id = ?").orElseThrow();
        assertThat(selects.calls()).isEqualTo(10);
        assertThat(selects.failures()).isZero();
        assertThat(selects.rows()).isEqualTo(3);
        assertThat(selects.totalSeconds()).isPositive();
        assertThat(selects.minSeconds()).isPositive().isLessThanOrEqualTo(selects.maxSeconds());
    }

    @Test
    void countsAStatementFetchedInPartsOnce() throws Exception {
        try (Connection connection = connect("fetcher");
                Statement statement = connection.createStatement()) {
            statement.executeUpdate(
                    "INSERT INTO orders (id, status) VALUES (501, 'f'), (502, 'f'), (503, 'f')");
            connection.setAutoCommit(false);
            statement.setFetchSize(2);
            try (ResultSet rows =
                    statement.executeQuery(
                            "SELECT id FROM orders WHERE id >= 501 AND id < 504 ORDER BY id")) {
                while (rows.next()) {
                    assertThat(rows.getLong(1)).isBetween(501L, 503L);
                }
            }
            try (ResultSet rows =
                    statement.executeQuery(
                            "SELECT status FROM orders WHERE id >= 501 AND id < 504 ORDER BY id")) {
                assertThat(rows.next()).isTrue(); // and leaves the rest
            }
            connection.commit();
        }
        StatementStatus whole =
                find("fetcher", "select id from orders where id >= ? and id < ? order by id")
                        .orElseThrow();
        assertThat(whole.calls()).isEqualTo(1);
        assertThat(whole.rows()).isEqualTo(3);
        StatementStatus left =
                find("fetcher", "select status from orders where id >= ? and id < ? order by id")
                        .orElseThrow();
        assertThat(left.calls()).isEqualTo(1);
        assertThat(left.rows()).isEqualTo(2);
    }

    @Test
    void countsCopy() throws Exception {
        try (Connection connection = connect("copier")) {
            connection
                    .unwrap(PGConnection.class)
                    .getCopyAPI()
                    .copyIn(
                            "COPY orders (id, status) FROM STDIN (FORMAT csv)",
                            new StringReader("701,c\n702,c\n"));
        }
        StatementStatus copy =
                find("copier", "copy orders(id, status) from stdin(format csv)").orElseThrow();
        assertThat(copy.calls()).isEqualTo(1);
        assertThat(copy.rows()).isEqualTo(2);
    }

    @Test
    void postgresqlsViewAndTheMetricsShowThem() throws Exception {
        try (Connection connection = connect("viewer");
                Statement statement = connection.createStatement()) {
            for (int i = 0; i < 2; i++) {
                try (ResultSet rows =
                        statement.executeQuery("SELECT amount FROM orders WHERE id = " + i)) {
                    assertThat(rows.next()).isFalse();
                }
            }
            long queryId;
            try (ResultSet rows =
                    statement.executeQuery(
                            "SELECT s.queryid, s.calls, s.mean_exec_time, s.total_exec_time"
                                    + " FROM pg_stat_statements s JOIN pg_roles r ON r.oid = s.userid"
                                    + " WHERE r.rolname = 'viewer' AND s.query = 'select amount from"
                                    + " orders where id = ?'")) {
                assertThat(rows.next()).isTrue();
                queryId = rows.getLong(1);
                assertThat(rows.getLong(2)).isEqualTo(2);
                assertThat(rows.getDouble(3)).isPositive().isLessThanOrEqualTo(rows.getDouble(4));
                assertThat(rows.next()).isFalse();
            }
            String line =
                    "stele_statement_seconds_count{query_id=\"%s\",user=\"viewer\"} 2"
                            .formatted(queryId);
            assertThat(metrics()).contains("# TYPE stele_statement_seconds histogram", line);
        }
    }

    private static String metrics() throws Exception {
        String login =
                Base64.getEncoder()
                        .encodeToString(
                                ("any:" + TestingSidecar.SECRET).getBytes(StandardCharsets.UTF_8));
        try (HttpClient http = HttpClient.newHttpClient()) {
            return http.send(
                            HttpRequest.newBuilder(
                                            URI.create(sidecar.server().httpUri() + "/metrics"))
                                    .header("Authorization", "Basic " + login)
                                    .build(),
                            BodyHandlers.ofString())
                    .body();
        }
    }
}
