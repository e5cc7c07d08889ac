package io.stele.connector.read.page;

import static java.util.Objects.requireNonNull;

import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.metrics.Metrics;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;

/** A base class of page sources that change the pages of another source. Confined to one driver. */
public abstract class ForwardingPageSource implements ConnectorPageSource {
    private final ConnectorPageSource source;

    protected ForwardingPageSource(ConnectorPageSource source) {
        this.source = requireNonNull(source, "source is null");
    }

    protected final ConnectorPageSource source() {
        return source;
    }

    @Override
    public boolean isFinished() {
        return source.isFinished();
    }

    @Override
    public CompletableFuture<?> isBlocked() {
        return source.isBlocked();
    }

    @Override
    public long getCompletedBytes() {
        return source.getCompletedBytes();
    }

    @Override
    public long getReadTimeNanos() {
        return source.getReadTimeNanos();
    }

    @Override
    public Metrics getMetrics() {
        return source.getMetrics();
    }

    @Override
    public void close() throws IOException {
        source.close();
    }
}
