package io.stele.sidecar.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.stele.sidecar.TestingSidecar;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The resources that a sidecar holds for its clients at one moment, by its status and metrics.
 *
 * @param connections of PostgreSQL's protocol that have logged in
 * @param pendingLogins of every protocol
 * @param writeBytes of the budget for writes
 * @param replyBytes of the budget for replies
 */
record HeldResources(
        long connections,
        long pendingLogins,
        long transactions,
        long snapshots,
        long writeBytes,
        long replyBytes) {
    private static final HeldResources NOTHING = new HeldResources(0, 0, 0, 0, 0, 0);
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    static HeldResources of(TestingSidecar sidecar) throws Exception {
        try (HttpClient http = HttpClient.newHttpClient()) {
            return of(http, sidecar);
        }
    }

    private static HeldResources of(HttpClient http, TestingSidecar sidecar) throws Exception {
        JsonNode status = new ObjectMapper().readTree(get(http, sidecar, "/v1/status"));
        String metrics = get(http, sidecar, "/metrics");
        JsonNode engine = status.get("engine");
        return new HeldResources(
                metric(metrics, "stele_access_postgres_connections"),
                metric(metrics, "stele_access_pending_logins"),
                engine.get("openTransactions").asLong(),
                engine.get("openSnapshots").asLong(),
                engine.get("pendingWriteBytes").asLong(),
                status.get("endpoints").get("framedReplyBytes").asLong());
    }

    /** Waits until nothing is held: connections end in threads of their own. */
    static void awaitNothing(TestingSidecar sidecar) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(180);
        try (HttpClient http = HttpClient.newHttpClient()) {
            HeldResources held = of(http, sidecar);
            while (!held.equals(NOTHING)) {
                assertThat(System.nanoTime()).as(held::toString).isLessThan(deadline);
                LockSupport.parkNanos(PAUSE_NANOS);
                held = of(http, sidecar);
            }
        }
    }

    private static String get(HttpClient http, TestingSidecar sidecar, String path)
            throws Exception {
        HttpRequest request =
                HttpRequest.newBuilder(sidecar.server().httpUri().resolve(path))
                        .header(
                                "Authorization",
                                TestingSidecar.tokens(TestingSidecar.SECRET).bearer())
                        .build();
        return http.send(request, BodyHandlers.ofString()).body();
    }

    private static long metric(String metrics, String name) {
        Matcher found = Pattern.compile("(?m)^" + name + " ([0-9]+)$").matcher(metrics);
        assertThat(found.find()).as(name).isTrue();
        return Long.parseLong(found.group(1));
    }
}
