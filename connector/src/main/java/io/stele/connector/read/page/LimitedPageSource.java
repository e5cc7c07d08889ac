package io.stele.connector.read.page;

import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.connector.SourcePage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A page source that ends when another source has returned enough rows; the page that reaches the
 * limit is whole. Confined to one driver.
 */
public final class LimitedPageSource extends ForwardingPageSource {
    private long remaining;

    public LimitedPageSource(ConnectorPageSource source, long limit) {
        super(source);
        this.remaining = limit;
    }

    @Override
    public @Nullable SourcePage getNextSourcePage() {
        if (remaining <= 0) {
            closeSource();
            return null;
        }
        SourcePage page = source().getNextSourcePage();
        if (page != null) {
            remaining -= page.getPositionCount();
        }
        return page;
    }

    @Override
    public boolean isFinished() {
        if (remaining <= 0) {
            closeSource();
            return true;
        }
        return source().isFinished();
    }

    @Override
    public CompletableFuture<?> isBlocked() {
        return remaining <= 0 ? NOT_BLOCKED : source().isBlocked();
    }

    private void closeSource() {
        try {
            source().close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
