package io.stele.connector.metadata.cache;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.google.inject.Inject;
import io.airlift.log.Logger;
import io.stele.client.flight.ActionStream;
import io.stele.connector.config.MetadataCacheConfig;
import io.stele.connector.metadata.catalog.CatalogRequests;
import io.stele.connector.sidecar.SteleSidecar;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.catalog.CatalogActions;
import io.stele.protocol.api.catalog.MetadataChanges;
import io.stele.protocol.api.catalog.MetadataChangesRequest;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.SchemaTableName;
import jakarta.annotation.PreDestroy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A background receiver of metadata changes from the sidecar, which drops changed entries of the
 * metadata cache and reloads those that queries used. No result depends on it: while the stream is
 * down, queries receive changes with their snapshots. One thread, from the first transaction to
 * {@link #stop}. Thread-safe.
 */
public final class MetadataWatch {
    private static final Logger log = Logger.get(MetadataWatch.class);

    /** The sidecar sends a message every second. */
    private static final Duration SILENCE = Duration.ofSeconds(5);

    private static final Duration MIN_BACKOFF = Duration.ofMillis(100);
    private static final Duration MAX_BACKOFF = Duration.ofSeconds(10);

    /** A limit on the requests after a change of very many tables. */
    private static final int MAX_RELOADS = 100;

    private final MetadataCache cache;
    private final SteleSidecar sidecar;
    private final CatalogRequests catalog;
    private final boolean enabled;
    private final CountDownLatch stopping = new CountDownLatch(1);

    @GuardedBy("this")
    private @Nullable Thread thread;

    @Inject
    public MetadataWatch(
            MetadataCache cache,
            SteleSidecar sidecar,
            CatalogRequests catalog,
            MetadataCacheConfig config) {
        this.cache = requireNonNull(cache, "cache is null");
        this.sidecar = requireNonNull(sidecar, "sidecar is null");
        this.catalog = requireNonNull(catalog, "catalog is null");
        this.enabled = config.isEnabled() && config.isPushEnabled();
    }

    /** Starts the thread at the first call. */
    public synchronized void start() {
        if (enabled && thread == null && stopping.getCount() > 0) {
            thread = Thread.ofVirtual().name("stele-metadata-watch").start(this::run);
        }
    }

    /** Ends the stream and waits for the thread. */
    @PreDestroy
    public void stop() {
        stopping.countDown();
        Thread running;
        synchronized (this) {
            running = thread;
        }
        if (running != null) {
            running.interrupt();
            try {
                running.join(SILENCE);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void run() {
        Duration backoff = MIN_BACKOFF;
        try {
            do {
                if (listen()) {
                    backoff = MIN_BACKOFF;
                } else if (backoff.compareTo(MAX_BACKOFF) < 0) {
                    backoff = backoff.multipliedBy(2);
                }
            } while (!stopping.await(backoff.toMillis(), TimeUnit.MILLISECONDS));
        } catch (InterruptedException e) {
            log.debug(e, "The watch of %s ends", sidecar.uri());
        }
    }

    /** Receives until the stream ends; true if at least one message came. */
    private boolean listen() throws InterruptedException {
        boolean heard = false;
        try (ActionStream<MetadataChanges> stream =
                sidecar.watch(
                        CatalogActions.WATCH_METADATA,
                        new MetadataChangesRequest(Optional.of(cache.version())))) {
            while (true) {
                Optional<MetadataChanges> changes = stream.next(SILENCE);
                if (changes.isEmpty()) {
                    return heard;
                }
                heard = true;
                cache.metrics().watching(true);
                cache.metrics().pushed();
                load(cache.apply(changes.get(), System.nanoTime()));
            }
        } catch (SteleException e) {
            log.debug(sidecar.streamFailed(e), "The watch of %s was lost", sidecar.uri());
        } catch (TrinoException e) {
            log.debug(e, "The watch of %s was lost", sidecar.uri());
        } finally {
            cache.metrics().watching(false);
        }
        return heard;
    }

    private void load(List<SchemaTableName> names) throws InterruptedException {
        for (SchemaTableName name : names.subList(0, Math.min(names.size(), MAX_RELOADS))) {
            if (stopping.getCount() == 0) {
                throw new InterruptedException();
            }
            cache.load(name, () -> catalog.findRelation(name));
        }
    }
}
