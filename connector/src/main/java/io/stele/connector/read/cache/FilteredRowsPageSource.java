package io.stele.connector.read.cache;

import static java.util.Objects.requireNonNull;

import io.stele.connector.read.page.CachedResultMetrics;
import io.stele.protocol.api.status.CachedResultUse;
import io.trino.spi.Page;
import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.connector.SourcePage;
import io.trino.spi.metrics.Metrics;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * A page source of a split's rows from the filtered-rows cache, without a read of the file.
 * Confined to one driver.
 */
final class FilteredRowsPageSource implements ConnectorPageSource {
    private final Iterator<Page> pages;
    private final CachedResultUse use;
    private boolean closed;

    /**
     * @param nanos nanoseconds that reading the rows from the file took
     */
    FilteredRowsPageSource(FilteredRows rows, long nanos) {
        this.pages = requireNonNull(rows, "rows is null").pages().iterator();
        this.use = new CachedResultUse(1, 0, rows.bytes(), nanos);
    }

    @Override
    public @Nullable SourcePage getNextSourcePage() {
        return isFinished() ? null : SourcePage.create(pages.next());
    }

    @Override
    public boolean isFinished() {
        return closed || !pages.hasNext();
    }

    @Override
    public Metrics getMetrics() {
        return CachedResultMetrics.of(use);
    }

    @Override
    public long getCompletedBytes() {
        return 0; // nothing is read
    }

    @Override
    public long getReadTimeNanos() {
        return 0;
    }

    @Override
    public void close() {
        closed = true;
    }
}
