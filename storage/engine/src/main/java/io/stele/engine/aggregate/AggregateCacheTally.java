package io.stele.engine.aggregate;

import io.stele.protocol.api.status.CachedResultUse;
import java.util.concurrent.atomic.LongAdder;

/** Counters of the cached and the computed partial results of one aggregation. Thread-safe. */
final class AggregateCacheTally {
    private final LongAdder found = new LongAdder();
    private final LongAdder computed = new LongAdder();
    private final LongAdder foundBytes = new LongAdder();
    private final LongAdder savedNanos = new LongAdder();

    void found(long bytes, long nanos) {
        found.increment();
        foundBytes.add(bytes);
        savedNanos.add(nanos);
    }

    void computed() {
        computed.increment();
    }

    CachedResultUse use() {
        return new CachedResultUse(found.sum(), computed.sum(), foundBytes.sum(), savedNanos.sum());
    }
}
