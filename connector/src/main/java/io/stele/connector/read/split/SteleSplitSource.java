package io.stele.connector.read.split;

import static java.util.Objects.requireNonNull;

import io.stele.connector.handle.ReadEstimate;
import io.stele.connector.handle.SteleColumnHandle;
import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.connector.ConnectorSplit;
import io.trino.spi.connector.ConnectorSplitSource;
import io.trino.spi.connector.DynamicFilterSnapshot;
import io.trino.spi.metrics.Metrics;
import io.trino.spi.predicate.TupleDomain;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * An asynchronous source of a scan's splits, which plans them at Trino's first request, when the
 * other side of a join was read or took too long. Guarded by itself.
 */
final class SteleSplitSource implements ConnectorSplitSource {
    private final Function<TupleDomain<SteleColumnHandle>, PlannedSplits> planner;
    private final long waitMillis;
    private final Metrics choice;
    private @Nullable PlannedSplits planned; // from the first batch on
    private int next;
    private boolean closed;

    /**
     * @param planner the splits that have rows of a constraint; makes a request to the sidecar, so
     *     it is not called on Trino's thread
     * @param waitMillis how long Trino should wait for the join
     * @param choice the estimates by which the plan has this scan
     */
    SteleSplitSource(
            Function<TupleDomain<SteleColumnHandle>, PlannedSplits> planner,
            long waitMillis,
            Metrics choice) {
        this.choice = requireNonNull(choice, "choice is null");
        this.planner = requireNonNull(planner, "planner is null");
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
                    PlannedSplits found =
                            planner.apply(predicate.transformKeys(SteleColumnHandle.class::cast));
                    synchronized (this) {
                        planned = found;
                        return batch(maxSize);
                    }
                },
                task -> Thread.ofVirtual().name("stele-plan").start(task));
    }

    private synchronized List<ConnectorSplit> batch(int maxSize) {
        PlannedSplits found = planned;
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

    /** The estimates, if there was a choice. */
    @Override
    public synchronized Metrics getMetrics() {
        PlannedSplits found = planned;
        return found == null
                ? choice
                : choice.mergeWith(
                        found.estimate().map(ReadEstimate::metrics).orElse(Metrics.EMPTY));
    }

    @Override
    public synchronized boolean isFinished() {
        PlannedSplits found = planned;
        return closed || (found != null && next == found.splits().size());
    }

    @Override
    public synchronized void close() {
        closed = true;
    }
}
