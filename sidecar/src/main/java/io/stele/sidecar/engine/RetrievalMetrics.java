package io.stele.sidecar.engine;

import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.stele.objectstore.metrics.Cumulative;
import io.stele.objectstore.retrieval.RetrievalStatistics;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import org.weakref.jmx.Managed;

/**
 * Gauges of the reads of a warehouse over a network. All are 0 if the warehouse is not read over a
 * network, and while there is no engine. Thread-safe.
 */
public final class RetrievalMetrics {
    private final EngineService service;

    @Inject
    public RetrievalMetrics(EngineService service) {
        this.service = requireNonNull(service, "service is null");
    }

    private long count(ToLongFunction<RetrievalStatistics> value) {
        return service.retrieval().map(present -> value.applyAsLong(present)).orElse(0L);
    }

    private double gauge(ToDoubleFunction<RetrievalStatistics> value) {
        return service.retrieval().map(present -> value.applyAsDouble(present)).orElse(0.0);
    }

    @Managed(description = "Requests sent: first ones, repeated ones and hedges")
    @Cumulative
    public long getRequests() {
        return count(RetrievalStatistics::requests);
    }

    @Managed(description = "Bytes delivered to readers")
    @Cumulative
    public long getBytes() {
        return count(RetrievalStatistics::bytes);
    }

    @Managed(description = "Requests sent again after a failure")
    @Cumulative
    public long getRetries() {
        return count(RetrievalStatistics::retries);
    }

    @Managed(description = "Reads that failed in the end")
    @Cumulative
    public long getFailures() {
        return count(RetrievalStatistics::failures);
    }

    @Managed(description = "Second requests for what was late")
    @Cumulative
    public long getHedges() {
        return count(RetrievalStatistics::hedges);
    }

    @Managed(description = "Second requests whose answer was the first")
    @Cumulative
    public long getHedgeWins() {
        return count(RetrievalStatistics::hedgeWins);
    }

    @Managed(description = "Second requests for which there was no budget or no buffer")
    @Cumulative
    public long getHedgesRefused() {
        return count(RetrievalStatistics::hedgesRefused);
    }

    @Managed(description = "Bytes that came twice because of hedges")
    @Cumulative
    public long getWastedBytes() {
        return count(RetrievalStatistics::wastedBytes);
    }

    @Managed(description = "Ranges that came with the request of another reader")
    @Cumulative
    public long getSharedReads() {
        return count(RetrievalStatistics::sharedReads);
    }

    @Managed(description = "Requests in flight, without hedges")
    public long getRequestsInFlight() {
        return count(RetrievalStatistics::requestsInFlight);
    }

    @Managed(description = "Bytes of the requests in flight")
    public long getBytesInFlight() {
        return count(RetrievalStatistics::bytesInFlight);
    }

    @Managed(description = "Ranges that wait to be asked for")
    public long getWaiting() {
        return count(RetrievalStatistics::waiting);
    }

    @Managed(description = "Requests that may be in flight by the fitted model")
    public long getRequestLimit() {
        return count(RetrievalStatistics::requestLimit);
    }

    @Managed(description = "Fitted milliseconds of a request without its data")
    public double getBaseLatencyMillis() {
        return gauge(RetrievalStatistics::baseLatencyMillis);
    }

    @Managed(description = "Fitted milliseconds of a MiB of data")
    public double getDataLatencyMillisPerMebibyte() {
        return gauge(RetrievalStatistics::dataLatencyMillisPerMiB);
    }

    @Managed(description = "Bytes of buffers outside of the heap")
    public long getBufferBytes() {
        return count(RetrievalStatistics::bufferBytes);
    }
}
