package io.stele.engine.node;

import static java.util.Objects.requireNonNull;

import io.stele.engine.wal.HybridClock;

/**
 * A clock for ages, leases and expiry, in milliseconds read from the LSN clock. Its present time
 * never goes back and is comparable with LSNs.
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
     * The time by which rows expire and history is discarded: the present, or an earlier time while
     * the machine's clock is in doubt.
     */
    public long expiryMillis() {
        return Math.min(nowMillis(), clock.expiryMillis());
    }
}
