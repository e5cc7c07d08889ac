package io.stele.connector.write;

import static io.airlift.slice.SizeOf.SIZE_OF_LONG;

import com.google.common.collect.ImmutableList;
import io.airlift.slice.Slice;
import io.airlift.slice.Slices;
import io.trino.spi.Page;
import io.trino.spi.connector.ConnectorPageSink;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;

/**
 * The page sink of the WARM table procedure: a counter of rows that were read only to fill caches.
 * Confined to one driver.
 */
final class WarmingSink implements ConnectorPageSink {
    private long rows;

    @Override
    public CompletableFuture<?> appendPage(Page page) {
        rows += page.getPositionCount();
        return NOT_BLOCKED;
    }

    /** The number of rows. */
    @Override
    public CompletableFuture<Collection<Slice>> finish() {
        Slice count = Slices.allocate(SIZE_OF_LONG);
        count.setLong(0, rows);
        return CompletableFuture.completedFuture(ImmutableList.of(count));
    }

    @Override
    public void abort() {}
}
