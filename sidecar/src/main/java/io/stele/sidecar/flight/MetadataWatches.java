package io.stele.sidecar.flight;

import static java.util.Objects.requireNonNull;

import io.grpc.stub.ServerCallStreamObserver;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.ApiJson;
import io.stele.protocol.api.catalog.CatalogActions;
import io.stele.protocol.api.catalog.MetadataChanges;
import io.stele.protocol.api.catalog.MetadataVersion;
import io.stele.protocol.flight.ActionResult;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Streams that publish metadata changes to coordinators, on a thread each. A coordinator that
 * misses one gets the same changes with its next request. So nothing is buffered for a slow client:
 * it gets all changes together when it is ready. Thread-safe.
 */
final class MetadataWatches implements AutoCloseable {
    static final String DESCRIPTION =
            "Tells which tables and views are different since a version, as they change";

    /** One a coordinator and catalog; each is a thread that looks five times a second. */
    private static final int MAX_WATCHES = 100;

    /** How long a cache lags behind; queries receive changes by themselves. */
    private static final Duration LOOK_EVERY = Duration.ofMillis(200);

    /** A client without a message for some seconds can conclude that its stream is broken. */
    private static final Duration PUBLISH_EVERY = Duration.ofSeconds(1);

    private final Function<Optional<MetadataVersion>, MetadataChanges> changesSince;
    private final ThreadFactory threads;
    private final Semaphore permits = new Semaphore(MAX_WATCHES);
    private final CountDownLatch closed = new CountDownLatch(1);

    MetadataWatches(
            Function<Optional<MetadataVersion>, MetadataChanges> changesSince,
            ThreadFactory threads) {
        this.changesSince = requireNonNull(changesSince, "changesSince is null");
        this.threads = requireNonNull(threads, "threads is null");
    }

    /** Begins a stream, which lasts until its client gives up or {@link #close}. */
    void begin(byte[] request, ServerCallStreamObserver<ActionResult> results) {
        if (!permits.tryAcquire()) {
            fail(
                    results,
                    new SteleException(
                            ErrorCode.BUSY,
                            "The sidecar has %d watches of metadata already; try again later"
                                    .formatted(MAX_WATCHES)));
            return;
        }
        CountDownLatch cancelled = new CountDownLatch(1);
        results.setOnCancelHandler(cancelled::countDown);
        threads.newThread(
                        () -> {
                            try {
                                serve(request, results, cancelled);
                            } finally {
                                permits.release();
                            }
                        })
                .start();
    }

    /** Ends all streams. */
    @Override
    public void close() {
        closed.countDown();
    }

    private void serve(
            byte[] request,
            ServerCallStreamObserver<ActionResult> results,
            CountDownLatch cancelled) {
        try {
            Optional<MetadataVersion> since =
                    ApiJson.read(request, CatalogActions.WATCH_METADATA.request()).since();
            long publishedNanos = 0;
            boolean isFirst = true;
            while (!cancelled.await(0, TimeUnit.NANOSECONDS)) {
                MetadataChanges changes = changesSince.apply(since);
                boolean isNews = since.isEmpty() || !changes.version().isCoveredBy(since.get());
                boolean isDue = System.nanoTime() - publishedNanos >= PUBLISH_EVERY.toNanos();
                if ((isFirst || isNews || isDue) && results.isReady()) {
                    results.onNext(new ActionResult(ApiJson.write(changes)));
                    since = Optional.of(changes.version());
                    publishedNanos = System.nanoTime();
                    isFirst = false;
                }
                if (closed.await(LOOK_EVERY.toNanos(), TimeUnit.NANOSECONDS)) {
                    throw new SteleException(ErrorCode.UNAVAILABLE, "The sidecar is shutting down");
                }
            }
        } catch (RuntimeException e) {
            fail(results, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            fail(
                    results,
                    new SteleException(ErrorCode.UNAVAILABLE, "The sidecar is shutting down", e));
        }
    }

    private static void fail(ServerCallStreamObserver<ActionResult> results, RuntimeException e) {
        if (!results.isCancelled()) {
            results.onError(
                    CallFailures.describe("Action " + CatalogActions.WATCH_METADATA.name(), e));
        }
    }
}
