package io.stele.sidecar.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.stele.client.TableWriter;
import io.stele.protocol.schema.Orientation;
import io.stele.sidecar.SampleTables;
import io.stele.sidecar.TestingSidecar;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Health is open, everything else needs the secret, and what is told is true. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class HttpServerIT {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final HttpClient http = HttpClient.newHttpClient();
    private TestingSidecar sidecar;

    @BeforeAll
    void start(@TempDir Path directory) {
        sidecar = TestingSidecar.start(directory);
    }

    @AfterAll
    void stop() {
        sidecar.close();
        http.close();
    }

    @Test
    void infoIsOpenAndNamesThePorts() throws Exception {
        HttpResponse<String> response = get("/v1/info", null);
        assertThat(response.statusCode()).isEqualTo(200);
        JsonNode info = JSON.readTree(response.body());
        assertThat(info.get("ready").asBoolean()).isTrue();
        assertThat(info.get("nodeId").asText()).isEqualTo(sidecar.server().nodeId());
        assertThat(info.get("flightPort").asInt()).isEqualTo(sidecar.server().flightPort());
        assertThat(info.get("clientPort").asInt()).isEqualTo(sidecar.server().clientPort());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/v1/status",
                "/v1/damaged",
                "/v1/warehouse",
                "/v1/jobs",
                "/metrics",
                "/v1/info/",
                "/v1/info/../status",
                "/v1//info",
                "/nothing"
            })
    void everythingElseNeedsTheSecret(String path) throws Exception {
        assertThat(get(path, null).statusCode()).isIn(400, 401);
        assertThat(get(path, basic("wrong")).statusCode()).isIn(400, 401);
        assertThat(
                        get(
                                        path,
                                        "Bearer "
                                                + TestingSidecar.tokens("another secret of tests")
                                                        .token())
                                .statusCode())
                .isIn(400, 401);
    }

    @Test
    void theWarehouseIsAQuestionOfItsOwn() throws Exception {
        String secret = "Bearer " + TestingSidecar.tokens(TestingSidecar.SECRET).token();
        HttpResponse<String> response = get("/v1/warehouse", secret);
        assertThat(response.statusCode()).isEqualTo(200);
        JsonNode warehouse = JSON.readTree(response.body());
        JsonNode status = JSON.readTree(get("/v1/status", secret).body());
        assertThat(warehouse.get("warehousePath")).isEqualTo(status.get("warehousePath"));
        assertThat(warehouse.get("encryptionKeys")).isEqualTo(status.get("encryptionKeys"));
        assertThat(warehouse.get("warehousePath").textValue()).isNotEmpty();
    }

    @Test
    void statusTellsOfTablesAndShards() throws Exception {
        sidecar.createTable(SampleTables.orders(Orientation.COLUMN));
        try (var client = sidecar.client();
                TableWriter writer = client.writer("shop", "orders")) {
            for (long id = 0; id < 100; id++) {
                writer.write(id, "open", 1.5, null);
            }
            writer.flush();
            HttpResponse<String> response =
                    get(
                            "/v1/status",
                            "Bearer " + TestingSidecar.tokens(TestingSidecar.SECRET).token());
            assertThat(response.statusCode()).isEqualTo(200);
            JsonNode status = JSON.readTree(response.body());
            assertThat(status.get("ready").asBoolean()).isTrue();
            assertThat(status.at("/endpoints/framedConnections").asLong()).isEqualTo(1);
            assertThat(status.at("/engine/shards")).hasSize(4);
            assertThat(
                            status.at("/engine/shards")
                                    .valueStream()
                                    .mapToLong(shard -> shard.get("memoryRows").asLong())
                                    .sum())
                    .isEqualTo(100);
            assertThat(status.at("/engine/memTableBytes").asLong()).isPositive();
            assertThat(status.at("/engine/log/records").asLong()).isPositive();
            assertThat(status.at("/engine/lastLsn").asLong())
                    .isGreaterThanOrEqualTo(writer.lastLsn().value());
            JsonNode table = status.at("/engine/tables/0");
            assertThat(table.get("schema").asText()).isEqualTo("shop");
            assertThat(table.get("name").asText()).isEqualTo("orders");
        }
        String metrics = get("/metrics", basic(TestingSidecar.SECRET)).body();
        assertThat(metrics)
                .contains(
                        """
                        # TYPE stele_ingest_rows counter
                        # HELP stele_ingest_rows Rows acknowledged
                        stele_ingest_rows_total 100
                        """)
                .contains("# TYPE stele_ingest_acknowledge_seconds histogram")
                .containsPattern("stele_ingest_acknowledge_seconds_bucket\\{le=\"\\+Inf\"} [1-9]")
                .contains("stele_ingest_batch_rows_sum 100")
                .containsPattern("stele_access_authentication_failures_total [0-9]+")
                .contains("# TYPE stele_engine_shards gauge")
                .contains("stele_engine_shards 4")
                .contains("stele_engine_mem_table_rows 100")
                .contains("# TYPE stele_engine_log_groups counter")
                .containsPattern("stele_scheduler_workers [1-9]")
                .containsPattern("stele_scheduler_data_bound_switches_total [1-9]")
                .containsPattern("stele_scheduling_group_runnable\\{group=\"[a-z-]+\"} [0-9]")
                .contains("stele_pool_waiting{pool=\"flushing\"} 0")
                .contains("stele_cache_hits_total{cache=\"row-blocks\"}")
                .doesNotContain("stele_name_")
                .endsWith("# EOF\n");
        assertThat(
                        metrics.lines()
                                .filter(line -> line.startsWith("# TYPE "))
                                .map(line -> line.split(" ")[2]))
                .doesNotHaveDuplicates();
    }

    @Test
    void nothingIsDamagedAndOnlyWhatIsCanBeDropped() throws Exception {
        String secret = basic(TestingSidecar.SECRET);
        HttpRequest.Builder damaged =
                HttpRequest.newBuilder(
                                URI.create(
                                        sidecar.server().httpUri()
                                                + "/v1/damaged?object=data/1/0/a.orc"))
                        .header("Authorization", secret);
        assertThat(
                        http.send(
                                        damaged.header("Accept", "text/plain").GET().build(),
                                        BodyHandlers.ofString())
                                .body())
                .isEqualTo("Nothing is damaged.\n");
        HttpResponse<String> refused = http.send(damaged.DELETE().build(), BodyHandlers.ofString());
        assertThat(refused.statusCode()).isEqualTo(400);
        assertThat(refused.body())
                .contains("something is set aside for (now: [])", "data/1/0/a.orc");
    }

    @Test
    void jobsAreListedAndOnlyThoseThatAreThereCanBeStopped() throws Exception {
        String secret = basic(TestingSidecar.SECRET);
        assertThat(get("/v1/jobs", secret).body()).startsWith("[").endsWith("]");
        HttpRequest cancel =
                HttpRequest.newBuilder(URI.create(sidecar.server().httpUri() + "/v1/jobs?id=no-1"))
                        .header("Authorization", secret)
                        .DELETE()
                        .build();
        HttpResponse<String> refused = http.send(cancel, BodyHandlers.ofString());
        assertThat(refused.statusCode()).isEqualTo(400);
        assertThat(refused.body()).contains("Expected the id of a job").contains("'no-1'");
    }

    private HttpResponse<String> get(String path, String authorization)
            throws IOException, InterruptedException {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(sidecar.server().httpUri() + path));
        if (authorization != null) {
            request.header("Authorization", authorization);
        }
        return http.send(request.build(), BodyHandlers.ofString());
    }

    private static String basic(String password) {
        return "Basic "
                + Base64.getEncoder()
                        .encodeToString(("operator:" + password).getBytes(StandardCharsets.UTF_8));
    }
}
