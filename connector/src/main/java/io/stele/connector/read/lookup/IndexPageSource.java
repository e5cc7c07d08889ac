package io.stele.connector.read.lookup;

import static io.trino.spi.StandardErrorCode.GENERIC_INTERNAL_ERROR;
import static java.util.Objects.requireNonNull;

import io.stele.connector.error.SteleErrorCode;
import io.stele.protocol.api.scan.LookupKeys;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.connector.SourcePage;
import io.trino.spi.metrics.Metrics;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A page source of the rows that an index join looks up, with one request to the sidecar after the
 * other. It waits for replies in the calling thread, because Trino loads an index in a driver that
 * must not be blocked. Confined to one driver.
 */
final class IndexPageSource implements ConnectorPageSource {
    private final JoinKeys keys;
    private final Function<LookupKeys, ConnectorPageSource> lookup;
    private final long timeoutMillis;
    private @Nullable ConnectorPageSource source;
    private long completedBytes; // of sources that ended
    private long readTimeNanos;
    private Metrics metrics = Metrics.EMPTY; // of sources that ended
    private boolean finished;

    /**
     * @param lookup opens the rows of keys
     * @param timeoutMillis most milliseconds to wait for rows
     */
    IndexPageSource(
            JoinKeys keys, Function<LookupKeys, ConnectorPageSource> lookup, long timeoutMillis) {
        this.keys = requireNonNull(keys, "keys is null");
        this.lookup = requireNonNull(lookup, "lookup is null");
        this.timeoutMillis = timeoutMillis;
    }

    @Override
    public @Nullable SourcePage getNextSourcePage() {
        long start = System.nanoTime();
        try {
            while (!finished) {
                ConnectorPageSource open = open();
                if (open != null) {
                    SourcePage page = next(open);
                    if (page != null) {
                        return page;
                    }
                }
            }
            return null;
        } finally {
            readTimeNanos += System.nanoTime() - start;
        }
    }

    /** The rows of the present keys, or of the next ones; null at the end. */
    private @Nullable ConnectorPageSource open() {
        if (source == null) {
            Optional<LookupKeys> next = keys.next();
            if (next.isEmpty()) {
                close();
                return null;
            }
            source = lookup.apply(next.get());
        }
        return source;
    }

    private @Nullable SourcePage next(ConnectorPageSource open) {
        if (open.isFinished()) {
            closeSource();
            return null;
        }
        await(open.isBlocked());
        return open.getNextSourcePage();
    }

    private void await(CompletableFuture<?> ready) {
        try {
            ready.get(timeoutMillis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new TrinoException(GENERIC_INTERNAL_ERROR, "Interrupted in an index join", e);
        } catch (ExecutionException e) {
            throw new TrinoException(GENERIC_INTERNAL_ERROR, "An index join cannot wait", e);
        } catch (TimeoutException e) {
            throw new TrinoException(
                    SteleErrorCode.STELE_UNAVAILABLE,
                    "Expected rows of an index join from the sidecar within %s ms, found none"
                            .formatted(timeoutMillis),
                    e);
        }
    }

    @Override
    public boolean isFinished() {
        return finished;
    }

    @Override
    public long getCompletedBytes() {
        return completedBytes + (source == null ? 0 : source.getCompletedBytes());
    }

    @Override
    public long getReadTimeNanos() {
        return readTimeNanos;
    }

    @Override
    public Metrics getMetrics() {
        return metrics;
    }

    @Override
    public void close() {
        finished = true;
        keys.close();
        closeSource();
    }

    private void closeSource() {
        ConnectorPageSource open = source;
        source = null;
        if (open != null) {
            completedBytes += open.getCompletedBytes();
            metrics = metrics.mergeWith(open.getMetrics());
            try {
                open.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
