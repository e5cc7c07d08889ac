package io.stele.engine;

import static java.util.Objects.requireNonNull;

import io.stele.engine.wal.HybridClock;

/**
 * Milliseconds for ages and leases, from the clock that makes LSNs: they never go back and are
 * comparable with LSNs.
 */
final class EngineClock {
    private final HybridClock clock;

    EngineClock(HybridClock clock) {
        this.clock = requireNonNull(clock, "clock is null");
    }

    long nowMillis() {
        return clock.next().millis();
    }
}
