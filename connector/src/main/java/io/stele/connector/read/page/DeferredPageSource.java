package io.stele.connector.read.page;

import static java.util.Objects.requireNonNull;

import io.stele.connector.error.SteleErrorCode;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.connector.SourcePage;
import io.trino.spi.metrics.Metrics;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * A page source of a column file that another thread is opening. Until it is open, it is blocked,
 * so that its driver yields the thread and does not wait for the warehouse. Confined to one driver.
 */
public final class DeferredPageSource implements ConnectorPageSource {
    private final CompletableFuture<ConnectorPageSource> opening;
    private boolean closed;

    /** Takes ownership of the source that is being opened. */
    public DeferredPageSource(CompletableFuture<ConnectorPageSource> opening) {
        this.opening = requireNonNull(opening, "opening is null");
    }

    private Optional<ConnectorPageSource> opened() {
        return opening.isDone() && !opening.isCompletedExceptionally()
                ? Optional.of(opening.join())
                : Optional.empty();
    }

    @Override
    public CompletableFuture<?> isBlocked() {
        return opened().isPresent()
                ? opening.join().isBlocked()
                : opening.handle((_, _) -> null); // a failure is thrown by the next page
    }

    @Override
    public @Nullable SourcePage getNextSourcePage() {
        if (closed || !opening.isDone()) {
            return null;
        }
        try {
            return opening.get().getNextSourcePage();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException known
                    ? known
                    : new TrinoException(SteleErrorCode.STELE_INTERNAL, e.getCause());
        } catch (InterruptedException e) {
            throw new IllegalStateException("It is done, so nobody waits", e);
        }
    }

    @Override
    public boolean isFinished() {
        return closed || opened().map(ConnectorPageSource::isFinished).orElse(false);
    }

    @Override
    public long getCompletedBytes() {
        return opened().map(ConnectorPageSource::getCompletedBytes).orElse(0L);
    }

    @Override
    public OptionalLong getCompletedPositions() {
        return opened().map(ConnectorPageSource::getCompletedPositions)
                .orElse(OptionalLong.empty());
    }

    @Override
    public long getReadTimeNanos() {
        return opened().map(ConnectorPageSource::getReadTimeNanos).orElse(0L);
    }

    @Override
    public long getMemoryUsage() {
        return opened().map(ConnectorPageSource::getMemoryUsage).orElse(0L);
    }

    @Override
    public Metrics getMetrics() {
        return opened().map(ConnectorPageSource::getMetrics).orElse(Metrics.EMPTY);
    }

    @Override
    public void close() throws IOException {
        if (closed) {
            return;
        }
        closed = true;
        if (opening.isDone()) {
            Optional<ConnectorPageSource> source = opened();
            if (source.isPresent()) {
                source.get().close();
            }
            return;
        }
        CompletableFuture<Void> later = opening.thenAccept(DeferredPageSource::closeLate);
        later.exceptionally(_ -> null); // closed: there is no caller for a failure
    }

    private static void closeLate(ConnectorPageSource source) {
        try {
            source.close();
        } catch (IOException e) {
            // It holds memory only, and there is no caller for a failure
        }
    }
}
