package io.stele.benchmarks.indexes;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.stele.benchmarks.servers.Run;
import io.stele.benchmarks.servers.SidecarPage;
import java.io.IOException;

/**
 * A reader of the byte counters of log and files that the sidecar publishes at {@code /v1/status}.
 * Confined to one thread.
 */
final class SidecarStatus implements AutoCloseable {
    private final ObjectMapper json = new ObjectMapper();
    private final SidecarPage page;

    SidecarStatus(Run run) {
        page = new SidecarPage(run, "/v1/status");
    }

    /** Bytes since the start of the sidecar. */
    record Written(long logBytes, long fileBytes) {
        Written since(Written before) {
            return new Written(logBytes - before.logBytes, fileBytes - before.fileBytes);
        }
    }

    /** Bytes of the log, and of the flushes and compactions of a table. */
    Written written(String table) throws IOException, InterruptedException {
        JsonNode engine = json.readTree(page.read()).get("engine");
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
        page.close();
    }
}
