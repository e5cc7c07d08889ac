package io.stele.connector.write;

import static java.util.Objects.requireNonNull;

import io.airlift.slice.Slice;
import io.stele.connector.error.SteleErrors;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.write.WrittenFile;
import io.trino.spi.Page;
import io.trino.spi.connector.ConnectorPageSink;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The sink of one writer, on a worker, of an INSERT or CREATE TABLE AS. Confined to one driver. */
final class StelePageSink implements ConnectorPageSink {
    private final RowSink rows;

    StelePageSink(RowSink rows) {
        this.rows = requireNonNull(rows, "rows is null");
    }

    @Override
    public CompletableFuture<?> appendPage(Page page) {
        run(
                () -> {
                    rows.append(page);
                    return rows;
                });
        return NOT_BLOCKED;
    }

    @Override
    public CompletableFuture<Collection<Slice>> finish() {
        return CompletableFuture.completedFuture(
                run(
                        () -> {
                            List<WrittenFile> files = rows.finish();
                            return SinkResults.of(rows.parts(), files);
                        }));
    }

    @Override
    public void abort() {
        run(
                () -> {
                    rows.abort();
                    return rows;
                });
    }

    @Override
    public long getMemoryUsage() {
        return rows.retainedBytes();
    }

    @Override
    public long getCompletedBytes() {
        return rows.writtenBytes();
    }

    /** Runs a step of a write, and translates its failures into Trino's. */
    static <T> T run(Step<T> step) {
        try {
            return step.run();
        } catch (SteleException e) {
            throw SteleErrors.translate(e);
        } catch (IOException e) {
            throw SteleErrors.storeFailed("write", "a file", e);
        } catch (UncheckedIOException e) {
            throw SteleErrors.storeFailed(
                    "write", "a file", requireNonNull(e.getCause(), "cause is null"));
        }
    }

    @FunctionalInterface
    interface Step<T> {
        T run() throws IOException;
    }
}
