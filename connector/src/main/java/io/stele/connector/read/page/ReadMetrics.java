package io.stele.connector.read.page;

import io.stele.protocol.api.status.ReadCounters;
import io.trino.plugin.base.metrics.LongCount;
import io.trino.spi.metrics.Metrics;
import java.util.Map;

/**
 * A converter of {@link ReadCounters} into the operator metrics of EXPLAIN ANALYZE VERBOSE, the
 * same for reads of workers and of sidecars. Stateless.
 */
public final class ReadMetrics {
    private ReadMetrics() {}

    public static Metrics of(ReadCounters counters) {
        return new Metrics(
                Map.of(
                        "Requests to the warehouse",
                        new LongCount(counters.requests()),
                        "Rounds of requests to the warehouse",
                        new LongCount(counters.rounds()),
                        "Bytes fetched from the warehouse",
                        new LongCount(counters.storeBytes()),
                        "Bytes from the data cache",
                        new LongCount(counters.diskBytes()),
                        "Bytes from memory",
                        new LongCount(counters.memoryBytes())));
    }
}
