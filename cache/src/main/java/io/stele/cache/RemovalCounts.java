package io.stele.cache;

import com.github.benmanes.caffeine.cache.RemovalCause;
import java.util.concurrent.atomic.LongAdder;

/**
 * The counters of values removed from a cache, by cause: evicted for space, replaced or
 * invalidated. Thread-safe.
 */
final class RemovalCounts {
    private final LongAdder space = new LongAdder();
    private final LongAdder replaced = new LongAdder();
    private final LongAdder invalidated = new LongAdder();

    void count(RemovalCause cause) {
        switch (cause) {
            case SIZE -> space.increment();
            case REPLACED -> replaced.increment();
            case EXPLICIT -> invalidated.increment();
            case COLLECTED, EXPIRED -> {} // impossible: the cache has no weak values and no expiry
        }
    }

    long space() {
        return space.sum();
    }

    long replaced() {
        return replaced.sum();
    }

    long invalidated() {
        return invalidated.sum();
    }
}
