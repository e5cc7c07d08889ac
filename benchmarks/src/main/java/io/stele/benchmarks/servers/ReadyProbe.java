package io.stele.benchmarks.servers;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.regex.Pattern;

/** A readiness probe of a sidecar or a Trino server over HTTP. Thread-safe. */
public final class ReadyProbe implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final Pattern SIDECAR_READY = Pattern.compile("\"ready\"\\s*:\\s*true");
    private static final Pattern TRINO_READY = Pattern.compile("\"starting\"\\s*:\\s*false");

    private final HttpClient http = HttpClient.newBuilder().connectTimeout(TIMEOUT).build();

    /** Whether the sidecar at this address has recovered and takes requests. */
    public boolean isSidecarReady(URI server) throws InterruptedException {
        return answers(server, SIDECAR_READY);
    }

    /** Whether the Trino server at this address has started. */
    public boolean isTrinoReady(URI server) throws InterruptedException {
        return answers(server, TRINO_READY);
    }

    private boolean answers(URI server, Pattern ready) throws InterruptedException {
        try {
            HttpResponse<String> response =
                    http.send(
                            HttpRequest.newBuilder(server.resolve("/v1/info"))
                                    .timeout(TIMEOUT)
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());
            return response.statusCode() == 200 && ready.matcher(response.body()).find();
        } catch (IOException e) {
            return false; // not listening yet
        }
    }

    @Override
    public void close() {
        http.shutdownNow();
    }
}
