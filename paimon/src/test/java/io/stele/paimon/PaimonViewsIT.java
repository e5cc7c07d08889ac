package io.stele.paimon;

import static io.trino.testing.TestingSession.testSessionBuilder;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.trino.testing.DistributedQueryRunner;
import io.trino.testing.QueryRunner;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Views of a metastore that speaks Paimon's REST protocol, of which this server has a part. */
class PaimonViewsIT {
    private static final String DATABASE = "/v1/databases/d";

    private final Map<String, String> answers = new ConcurrentHashMap<>();
    private final AtomicInteger viewRequests = new AtomicInteger();

    private void answer(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        if (path.startsWith(DATABASE + "/views/")) {
            viewRequests.incrementAndGet();
        }
        String found = answers.get(path);
        byte[] body =
                (found == null
                                ? "{\"message\":\"none\",\"resourceType\":\"VIEW\",\"resourceName\":\"x\",\"code\":404}"
                                : found)
                        .getBytes(UTF_8);
        exchange.getResponseHeaders().add("Content-Type", "application/json");
        exchange.sendResponseHeaders(found == null ? 404 : 200, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    private static String view(String name, String query, String dialects) {
        return """
                {"id": "1", "name": "%s", "schema": {
                    "fields": [{"id": 0, "name": "Number", "type": "BIGINT"},
                               {"id": 1, "name": "name", "type": "STRING", "description": "called so"}],
                    "query": "%s", "dialects": {%s}, "comment": "from elsewhere", "options": {}},
                 "owner": "o", "createdAt": 1, "createdBy": "o", "updatedAt": 1, "updatedBy": "o"}
                """
                .formatted(name, query, dialects);
    }

    @Test
    void viewsOfTheMetastoreAreQueried() throws Exception {
        HttpServer server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::answer);
        server.start();
        answers.put("/v1/config", "{\"defaults\": {}, \"overrides\": {}}");
        answers.put("/v1/databases", "{\"databases\": [\"d\"]}");
        answers.put(DATABASE + "/tables", "{\"tables\": []}");
        answers.put(DATABASE + "/views", "{\"views\": [\"plain\", \"Translated\"]}");
        answers.put(
                DATABASE + "/views/plain",
                view("plain", "SELECT BIGINT '7' AS number, 'seven' AS name", ""));
        answers.put(
                DATABASE + "/views/Translated",
                view(
                        "Translated",
                        "SELECT `of another engine`",
                        "\"trino\": \"SELECT number + 1, name FROM plain\""));
        try (QueryRunner trino =
                DistributedQueryRunner.builder(
                                testSessionBuilder().setCatalog("lake").setSchema("d").build())
                        .build()) {
            trino.installPlugin(new PaimonPlugin());
            trino.createCatalog(
                    "lake",
                    "stele_paimon",
                    Map.of(
                            "stele.paimon.warehouse",
                            "w",
                            "stele.paimon.metastore",
                            "rest",
                            "stele.paimon.metastore.uri",
                            "http://127.0.0.1:" + server.getAddress().getPort(),
                            "stele.paimon.metastore.token",
                            "t",
                            "stele.paimon.snapshot.max-staleness",
                            "1h"));
            assertThat(Texts.rows(trino.execute("SELECT * FROM plain")))
                    .containsExactly("[7, 'seven']");
            assertThat(Texts.rows(trino.execute("SELECT name, number FROM translated")))
                    .containsExactly("['seven', 8]");
            int before = viewRequests.get();
            trino.execute("SELECT * FROM translated");
            assertThat(viewRequests.get()).as("both views are known").isEqualTo(before);
            assertThat(trino.execute("SHOW TABLES").getOnlyColumnAsSet())
                    .containsExactlyInAnyOrder("plain", "translated");
            assertThat(
                            trino.execute(
                                            "SELECT table_name FROM information_schema.views WHERE"
                                                    + " table_schema = 'd'")
                                    .getOnlyColumnAsSet())
                    .containsExactlyInAnyOrder("plain", "translated");
            assertThat(Texts.rows(trino.execute("DESCRIBE plain")))
                    .containsExactly(
                            "['number', 'bigint', '', '']", "['name', 'varchar', '', 'called so']");
            assertThatThrownBy(() -> trino.execute("SELECT * FROM absent"))
                    .hasMessageContaining("does not exist");
        } finally {
            server.stop(0);
        }
    }
}
