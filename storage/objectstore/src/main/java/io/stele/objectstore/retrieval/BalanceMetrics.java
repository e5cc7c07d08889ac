package io.stele.objectstore.retrieval;

import static java.util.Objects.requireNonNull;

import io.stele.objectstore.metrics.Cumulative;
import java.util.Optional;
import java.util.function.Supplier;
import org.weakref.jmx.Managed;

/**
 * The JMX metrics of the {@link RetrievalBalance} of a warehouse, all 0 for a store without
 * read-ahead. Thread-safe.
 */
public final class BalanceMetrics {
    private final Supplier<Optional<ReadingAhead>> ahead;

    /**
     * @param ahead supplies the present read-ahead of the warehouse
     */
    public BalanceMetrics(Supplier<Optional<ReadingAhead>> ahead) {
        this.ahead = requireNonNull(ahead, "ahead is null");
    }

    private BalanceStatistics now() {
        return ahead.get()
                .map(present -> present.balance().statistics())
                .orElse(BalanceStatistics.NONE);
    }

    @Managed(description = "Scans and merges that go through files now")
    public int getProcessors() {
        return now().processors();
    }

    @Managed(description = "Bytes fetched for them, or on their way, and not processed yet")
    public long getAheadBytes() {
        return now().aheadBytes();
    }

    @Managed(description = "Bytes that the fastest of them may have ahead")
    public long getWindowBytes() {
        return now().windowBytes();
    }

    @Managed(description = "Bytes a second that they would process if none waited for the store")
    public long getProcessedBytesPerSecond() {
        return now().processedBytesPerSecond();
    }

    @Managed(description = "Bytes a second that came in the best quarter of the last ten seconds")
    public long getRetrievedBytesPerSecond() {
        return now().retrievedBytesPerSecond();
    }

    @Managed(description = "Milliseconds that a range of the usual size takes")
    public double getLatencyMillis() {
        return now().latencyMillis();
    }

    @Managed(description = "Ranges that waited until more was processed, since the start")
    @Cumulative
    public long getRefused() {
        return now().refused();
    }
}
