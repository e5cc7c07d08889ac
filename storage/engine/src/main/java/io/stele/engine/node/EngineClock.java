package io.stele.engine.node;

import static java.util.Objects.requireNonNull;

import io.stele.engine.wal.HybridClock;

/**
 * Milliseconds for ages and leases, from the clock that makes LSNs: they never go back and are
 * comparable with LSNs.
 */
public final class EngineClock {
    private final HybridClock clock;

    public EngineClock(HybridClock clock) {
        this.clock = requireNonNull(clock, "clock is null");
    }

    public long nowMillis() {
        return clock.presentMillis();
    }

    /**
     * The time by which rows expire and history is discarded: the present, or one before it while
     * the machine's clock is in doubt.
     */
    public long expiryMillis() {
        return Math.min(nowMillis(), clock.expiryMillis());
    }
}
