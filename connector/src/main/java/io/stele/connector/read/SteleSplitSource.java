package io.stele.connector.read;

import static java.util.Objects.requireNonNull;

import io.stele.connector.handle.SteleColumnHandle;
import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.connector.ConnectorSplit;
import io.trino.spi.connector.ConnectorSplitSource;
import io.trino.spi.connector.DynamicFilterSnapshot;
import io.trino.spi.predicate.TupleDomain;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The splits of a scan that a join narrows: planned when the engine first asks, which is when the
 * join's other side was read or took too long. Guarded by itself.
 */
final class SteleSplitSource implements ConnectorSplitSource {
    private final Function<TupleDomain<SteleColumnHandle>, List<ConnectorSplit>> planner;
    private final long waitMillis;
    private @Nullable List<ConnectorSplit> splits; // from the first batch on
    private int next;
    private boolean closed;

    /**
     * @param planner the splits that have rows of a constraint; asks the sidecar, so it is not
     *     called on the engine's thread
     * @param waitMillis how long the engine should wait for the join
     */
    SteleSplitSource(
            Function<TupleDomain<SteleColumnHandle>, List<ConnectorSplit>> planner,
            long waitMillis) {
        this.planner = requireNonNull(planner, "planner is null");
        this.waitMillis = waitMillis;
    }

    @Override
    public CompletableFuture<List<ConnectorSplit>> getNextBatch(
            int maxSize, DynamicFilterSnapshot dynamicFilter) {
        synchronized (this) {
            if (closed || splits != null) {
                return CompletableFuture.completedFuture(batch(maxSize));
            }
        }
        TupleDomain<ColumnHandle> predicate = dynamicFilter.currentPredicate();
        return CompletableFuture.supplyAsync(
                () -> {
                    List<ConnectorSplit> planned =
                            planner.apply(predicate.transformKeys(SteleColumnHandle.class::cast));
                    synchronized (this) {
                        splits = List.copyOf(planned);
                        return batch(maxSize);
                    }
                },
                task -> Thread.ofVirtual().name("stele-plan").start(task));
    }

    private synchronized List<ConnectorSplit> batch(int maxSize) {
        List<ConnectorSplit> all = splits;
        if (closed || all == null) {
            return List.of();
        }
        int end = Math.min(all.size(), next + maxSize);
        List<ConnectorSplit> batch = all.subList(next, end);
        next = end;
        return batch;
    }

    @Override
    public long getRequestedDynamicFilterWaitTimeoutMillis() {
        return waitMillis;
    }

    @Override
    public synchronized boolean isFinished() {
        return closed || (splits != null && next == splits.size());
    }

    @Override
    public synchronized void close() {
        closed = true;
    }
}
