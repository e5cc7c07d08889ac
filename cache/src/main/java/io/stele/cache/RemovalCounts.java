package io.stele.cache;

import com.github.benmanes.caffeine.cache.RemovalCause;
import java.util.concurrent.atomic.LongAdder;

/** Why values left a cache. Thread-safe. */
final class RemovalCounts {
    private final LongAdder space = new LongAdder();
    private final LongAdder replaced = new LongAdder();
    private final LongAdder invalidated = new LongAdder();

    void count(RemovalCause cause) {
        switch (cause) {
            case SIZE -> space.increment();
            case REPLACED -> replaced.increment();
            case EXPLICIT -> invalidated.increment();
            case COLLECTED, EXPIRED -> {} // values are held strongly and for any time
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
