package io.stele.benchmarks.servers;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.auth.TokenSource;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Clock;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the sidecar counted since its start: {@code /metrics}. Confined to one thread. */
public final class SidecarCounters implements AutoCloseable {
    private final URI uri;
    private final TokenSource tokens;
    private final HttpClient http = HttpClient.newHttpClient();

    public SidecarCounters(Run run) {
        this.uri = run.uri("sidecar.uri").resolve("/metrics");
        this.tokens =
                new TokenSource(
                        requireNonNull(run.secret(), "secret is null"),
                        Clock.systemUTC(),
                        "benchmark");
    }

    /** Flight actions called. */
    public long actions() throws IOException, InterruptedException {
        return value("stele_name_access_Actions");
    }

    /** Scans and lookups streamed. */
    public long streams() throws IOException, InterruptedException {
        return value("stele_name_read_Scans");
    }

    private long value(String name) throws IOException, InterruptedException {
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
        Pattern line = Pattern.compile(name + "(?:_total|_TotalCount)?(?:\\{[^}]*})? (\\S+)");
        return response.body()
                .lines()
                .map(line::matcher)
                .filter(Matcher::matches)
                .findFirst()
                .map(found -> (long) Double.parseDouble(found.group(1)))
                .orElseThrow(
                        () ->
                                new IOException(
                                        "Expected the metric %s at %s, found none"
                                                .formatted(name, uri)));
    }

    @Override
    public void close() {
        http.close();
    }
}
