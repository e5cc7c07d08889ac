package io.stele.benchmarks.servers;

import static java.util.Objects.requireNonNull;

import io.stele.client.auth.TokenSource;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Clock;

/**
 * A reader of one authenticated page of the sidecar's HTTP server, such as its metrics. Confined to
 * one thread.
 */
public final class SidecarPage implements AutoCloseable {
    private final URI uri;
    private final TokenSource tokens;
    private final HttpClient http = HttpClient.newHttpClient();

    /**
     * @param path as in {@code /metrics}
     */
    public SidecarPage(Run run, String path) {
        this.uri = run.uri("sidecar.uri").resolve(path);
        this.tokens =
                new TokenSource(
                        requireNonNull(run.secret(), "secret is null"),
                        Clock.systemUTC(),
                        "benchmark");
    }

    /** The page as it is now; fails if the sidecar answers with another status than 200. */
    public String read() throws IOException, InterruptedException {
        HttpResponse<String> response =
                http.send(
                        HttpRequest.newBuilder(uri)
                                .header("Authorization", "Bearer " + tokens.token())
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
        if (response.statusCode() != 200) {
            throw new IOException(
                    "Expected status 200 from %s, found %d: %s"
                            .formatted(uri, response.statusCode(), response.body()));
        }
        return response.body();
    }

    @Override
    public String toString() {
        return uri.toString();
    }

    @Override
    public void close() {
        http.close();
    }
}
