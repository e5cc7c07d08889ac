package io.stele.sidecar;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;

/**
 * The memory that a sidecar holds for what its clients send, as its status reports it, all the
 * time. Thread-safe.
 */
public final class WatchedMemory implements AutoCloseable {
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private final HttpClient http = HttpClient.newHttpClient();
    private final int port;
    private final CompletableFuture<Void> watched;
    private volatile boolean stopped;
    private volatile Sample latest = new Sample(0, new Held(0, 0));
    private volatile long begun;
    private volatile Held max = new Held(0, 0);

    /**
     * Bytes at one moment.
     *
     * @param requestBytes of requests of the framed port
     * @param writeBytes of the budget for writes
     */
    public record Held(long requestBytes, long writeBytes) {}

    private record Sample(long number, Held held) {}

    /**
     * @param port of HTTP
     */
    public WatchedMemory(int port) {
        this.port = port;
        this.watched =
                CompletableFuture.runAsync(
                        this::watch, task -> Thread.ofPlatform().daemon().start(task));
    }

    private void watch() {
        while (!stopped) {
            long number = begun + 1;
            begun = number; // by this thread only
            Held now = ask();
            max =
                    new Held(
                            Math.max(max.requestBytes(), now.requestBytes()),
                            Math.max(max.writeBytes(), now.writeBytes()));
            latest = new Sample(number, now);
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    private Held ask() {
        try {
            HttpRequest request =
                    HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/v1/status"))
                            .header(
                                    "Authorization",
                                    TestingSidecar.tokens(TestingSidecar.SECRET).bearer())
                            .build();
            JsonNode status =
                    new ObjectMapper().readTree(http.send(request, BodyHandlers.ofString()).body());
            return new Held(
                    status.get("endpoints").get("framedPendingBytes").asLong(),
                    status.get("engine").get("pendingWriteBytes").asLong());
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException("No status", e);
        }
    }

    /** Waits until this is so, at a moment after the call. */
    public void await(Predicate<Held> condition) {
        long before = begun;
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(120);
        Sample sample = latest;
        while (sample.number() <= before || !condition.test(sample.held())) {
            assertThat(watched).isNotDone();
            assertThat(System.nanoTime()).as(latest::toString).isLessThan(deadline);
            LockSupport.parkNanos(PAUSE_NANOS);
            sample = latest;
        }
    }

    /** Waits until nothing is held. */
    public void awaitNothing() {
        await(held -> held.requestBytes() == 0 && held.writeBytes() == 0);
    }

    /** The most there was at any moment that was seen. */
    public Held max() {
        return max;
    }

    @Override
    public void close() {
        stopped = true;
        watched.exceptionally(failed -> null).join();
        http.close();
    }
}
