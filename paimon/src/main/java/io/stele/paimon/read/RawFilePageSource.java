package io.stele.paimon.read;

import static java.util.Objects.requireNonNull;

import io.stele.objectstore.ReadTally;
import io.trino.plugin.base.metrics.LongCount;
import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.connector.MemoryContext;
import io.trino.spi.connector.SourcePage;
import io.trino.spi.metrics.Metrics;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** The rows of one split of a data file that are not deleted. Confined to one driver. */
final class RawFilePageSource implements ConnectorPageSource {
    private final FileScan scan;
    private final FileRows rows;
    private final Optional<DeletedRows> deleted;
    private final MemoryContext memory;
    private long positions;
    private boolean finished;

    /**
     * @param rows owned from now on
     */
    RawFilePageSource(
            FileScan scan, FileRows rows, Optional<DeletedRows> deleted, MemoryContext memory) {
        this.scan = requireNonNull(scan, "scan is null");
        this.rows = requireNonNull(rows, "rows is null");
        this.deleted = requireNonNull(deleted, "deleted is null");
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
                return null;
            }
            positions += page.getPositionCount();
            SourcePage visible =
                    deleted.isPresent() ? deleted.get().select(page, rows.firstRow()) : page;
            return visible == null
                    ? null
                    : new WantedPage(visible, scan.columns(), scan.failures());
        } catch (IOException | RuntimeException e) {
            RuntimeException failure = scan.failures().apply(e);
            closeAfter(failure);
            throw failure;
        }
    }

    @Override
    public long getCompletedBytes() {
        return rows.readBytes();
    }

    @Override
    public OptionalLong getCompletedPositions() {
        return OptionalLong.of(positions);
    }

    @Override
    public long getReadTimeNanos() {
        return rows.readNanos();
    }

    @Override
    public Metrics getMetrics() {
        ReadTally tally = scan.file().tally();
        return rows.metrics()
                .mergeWith(
                        new Metrics(
                                Map.of(
                                        "Bytes read of files",
                                        new LongCount(tally.readBytes()),
                                        "Bytes fetched from the lake",
                                        new LongCount(tally.fetchedBytes()),
                                        "Requests to the lake",
                                        new LongCount(tally.requests()),
                                        "Waits for the lake",
                                        new LongCount(tally.waits()))));
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

    private void closeAfter(RuntimeException failure) {
        try {
            close();
        } catch (IOException | RuntimeException e) {
            failure.addSuppressed(e);
        }
    }
}
