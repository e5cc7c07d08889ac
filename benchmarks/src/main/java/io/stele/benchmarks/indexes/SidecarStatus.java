package io.stele.benchmarks.indexes;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.stele.benchmarks.servers.Run;
import io.stele.protocol.auth.TokenSource;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Clock;

/** What the sidecar says that it has written: {@code /v1/status}. Confined to one thread. */
final class SidecarStatus implements AutoCloseable {
    private final URI uri;
    private final TokenSource tokens;
    private final ObjectMapper json = new ObjectMapper();
    private final HttpClient http = HttpClient.newHttpClient();

    SidecarStatus(Run run) {
        this.uri = run.uri("sidecar.uri").resolve("/v1/status");
        this.tokens =
                new TokenSource(
                        requireNonNull(run.secret(), "secret is null"),
                        Clock.systemUTC(),
                        "benchmark");
    }

    /** Bytes since the start of the sidecar. */
    record Written(long logBytes, long fileBytes) {
        Written since(Written before) {
            return new Written(logBytes - before.logBytes, fileBytes - before.fileBytes);
        }
    }

    /** Bytes of the log, and of what flushes and merges wrote for a table. */
    Written written(String table) throws IOException, InterruptedException {
        HttpResponse<String> response =
                http.send(
                        HttpRequest.newBuilder(uri)
                                .header("Authorization", "Bearer " + tokens.token())
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
        if (response.statusCode() != 200) {
            throw new IllegalStateException(
                    "Expected status 200 from %s, found %d: %s"
                            .formatted(uri, response.statusCode(), response.body()));
        }
        JsonNode engine = json.readTree(response.body()).get("engine");
        long fileBytes = 0;
        for (JsonNode one : engine.get("tables")) {
            if (one.get("name").asText().equals(table)) {
                JsonNode traffic = one.get("files").get("traffic");
                fileBytes = number(traffic, "flushBytes") + number(traffic, "mergeBytes");
            }
        }
        return new Written(number(engine.get("log"), "bytes"), fileBytes);
    }

    private static long number(JsonNode node, String field) {
        JsonNode value = node.get(field);
        if (value == null || !value.isNumber()) {
            throw new IllegalStateException(
                    "Expected the number %s in %s, found %s".formatted(field, node, value));
        }
        return value.asLong();
    }

    @Override
    public void close() {
        http.close();
    }
}
