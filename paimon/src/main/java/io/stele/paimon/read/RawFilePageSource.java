package io.stele.paimon.read;

import static java.util.Objects.requireNonNull;

import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.connector.MemoryContext;
import io.trino.spi.connector.SourcePage;
import io.trino.spi.metrics.Metrics;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A page source over the rows of one split of a data file that are not deleted, without a merge.
 * Confined to one driver.
 */
final class RawFilePageSource implements ConnectorPageSource {
    private final VisibleRows rows;
    private final MemoryContext memory;
    private boolean finished;

    /**
     * @param rows owned from now on
     */
    RawFilePageSource(VisibleRows rows, MemoryContext memory) {
        this.rows = requireNonNull(rows, "rows is null");
        this.memory = requireNonNull(memory, "memory is null");
    }

    @Override
    public @Nullable SourcePage getNextSourcePage() {
        if (finished) {
            return null;
        }
        try {
            SourcePage page = rows.next();
            memory.setBytes(rows.memoryBytes());
            if (page == null) {
                close();
            }
            return page;
        } catch (IOException | RuntimeException e) {
            throw closeAfter(e);
        }
    }

    @Override
    public long getCompletedBytes() {
        return rows.readBytes();
    }

    @Override
    public OptionalLong getCompletedPositions() {
        return OptionalLong.of(rows.positions());
    }

    @Override
    public long getReadTimeNanos() {
        return rows.readNanos();
    }

    @Override
    public Metrics getMetrics() {
        return rows.metrics();
    }

    @Override
    public boolean isFinished() {
        return finished;
    }

    @Override
    public void close() throws IOException {
        if (!finished) {
            finished = true;
            rows.close();
            memory.setBytes(0);
        }
    }

    private RuntimeException closeAfter(Exception failure) {
        try {
            close();
        } catch (IOException | RuntimeException e) {
            failure.addSuppressed(e);
        }
        return failure instanceof RuntimeException known
                ? known
                : new UncheckedIOException((IOException) failure);
    }
}
