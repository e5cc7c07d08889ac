package io.stele.paimon.plan;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.stele.paimon.handle.PaimonColumnHandle;
import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.connector.ConnectorSplit;
import io.trino.spi.connector.ConnectorSplitSource;
import io.trino.spi.connector.DynamicFilterSnapshot;
import io.trino.spi.metrics.Metrics;
import io.trino.spi.predicate.TupleDomain;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The splits of one scan, planned asynchronously at the engine's first request, after the wait for
 * dynamic filters. Guarded by itself.
 */
final class PaimonSplitSource implements ConnectorSplitSource {
    private final Function<TupleDomain<PaimonColumnHandle>, PlannedScan> planner;
    private final Executor executor;
    private final long waitMillis;

    @GuardedBy("this")
    private @Nullable PlannedScan planned; // from the first batch on

    @GuardedBy("this")
    private int next;

    @GuardedBy("this")
    private boolean closed;

    /**
     * @param planner plans the splits that may have rows of a dynamic filter; may wait for the
     *     store
     * @param waitMillis how long the engine should wait for dynamic filters
     */
    PaimonSplitSource(
            Function<TupleDomain<PaimonColumnHandle>, PlannedScan> planner,
            Executor executor,
            long waitMillis) {
        this.planner = requireNonNull(planner, "planner is null");
        this.executor = requireNonNull(executor, "executor is null");
        this.waitMillis = waitMillis;
    }

    @Override
    public CompletableFuture<List<ConnectorSplit>> getNextBatch(
            int maxSize, DynamicFilterSnapshot dynamicFilter) {
        synchronized (this) {
            if (closed || planned != null) {
                return CompletableFuture.completedFuture(batch(maxSize));
            }
        }
        TupleDomain<ColumnHandle> predicate = dynamicFilter.currentPredicate();
        return CompletableFuture.supplyAsync(
                () -> {
                    PlannedScan found = planner.apply(PaimonColumnHandle.ofWholeColumns(predicate));
                    synchronized (this) {
                        planned = found;
                        return batch(maxSize);
                    }
                },
                executor);
    }

    private synchronized List<ConnectorSplit> batch(int maxSize) {
        PlannedScan found = planned;
        if (closed || found == null) {
            return List.of();
        }
        List<ConnectorSplit> all = found.splits();
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
    public synchronized Metrics getMetrics() {
        PlannedScan found = planned;
        return found == null ? Metrics.EMPTY : found.metrics();
    }

    @Override
    public synchronized boolean isFinished() {
        PlannedScan found = planned;
        return closed || (found != null && next == found.splits().size());
    }

    @Override
    public synchronized void close() {
        closed = true;
    }
}
