package io.stele.connector.clients;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.connector.SidecarFixture;
import io.stele.connector.SteleCluster;
import io.trino.jdbc.TrinoDriver;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What INSERTs of one row, of which JDBC batches are made, ask of the sidecar. */
@ExtendWith(SteleCluster.Shared.class)
final class JdbcBatchIT {
    private static final String CATALOG = "stele_batch";
    private static final int ROWS = 20;

    /** To open the table, to begin, and to commit. The row itself is a stream, and no action. */
    private static final int ACTIONS_A_ROW = 3;

    private static final Pattern ACTIONS =
            Pattern.compile("(?m)^stele_access_actions_total (\\S+)$");

    private final SteleCluster cluster;

    JdbcBatchIT(SteleCluster cluster) {
        this.cluster = cluster;
    }

    @Test
    void anInsertOfOneRowAsksThreeActions() throws Exception {
        try (SidecarFixture sidecar = cluster.newSidecar(CATALOG, Map.of());
                Connection connection = connect();
                HttpClient http = HttpClient.newHttpClient()) {
            for (String properties :
                    List.of(
                            "",
                            " WITH (primary_key = ARRAY['id'])",
                            " WITH (primary_key = ARRAY['id'], orientation = 'row')")) {
                run(connection, "CREATE TABLE s.t (id bigint, name varchar)" + properties);
                insert(connection, 2); // plans and connections are there afterwards
                // The least of several: leases are renewed meanwhile, and the sidecar is looked for
                // after a pause
                long least = Long.MAX_VALUE;
                for (int batch = 0; batch < 50 && least >= (ACTIONS_A_ROW + 1L) * ROWS; batch++) {
                    long actions = actions(http, sidecar);
                    insert(connection, ROWS);
                    least = Math.min(least, actions(http, sidecar) - actions);
                }
                assertThat(least)
                        .as("actions of %d INSERTs%s", ROWS, properties)
                        .isBetween((long) ACTIONS_A_ROW * ROWS, (ACTIONS_A_ROW + 1L) * ROWS - 1);
                run(connection, "DROP TABLE s.t");
            }
        }
    }

    private Connection connect() throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("user", "bi");
        return new TrinoDriver()
                .connect(
                        "jdbc:trino://%s/%s"
                                .formatted(cluster.runner().getCoordinator().getAddress(), CATALOG),
                        properties);
    }

    private static void insert(Connection connection, int rows) throws SQLException {
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO s.t VALUES (?, ?)")) {
            for (int row = 0; row < rows; row++) {
                insert.setLong(1, row);
                insert.setString(2, "name " + row);
                insert.addBatch();
            }
            assertThat(insert.executeBatch()).hasSize(rows).containsOnly(1);
        }
    }

    private static void run(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static long actions(HttpClient http, SidecarFixture sidecar)
            throws IOException, InterruptedException {
        String secret =
                Base64.getEncoder()
                        .encodeToString(("test:" + SidecarFixture.SECRET).getBytes(UTF_8));
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(sidecar.uri() + "/metrics"))
                        .header("Authorization", "Basic " + secret)
                        .build();
        String page = http.send(request, HttpResponse.BodyHandlers.ofString()).body();
        Matcher found = ACTIONS.matcher(page);
        assertThat(found.find()).as("%s in %s", ACTIONS, page).isTrue();
        return (long) Double.parseDouble(found.group(1));
    }
}
