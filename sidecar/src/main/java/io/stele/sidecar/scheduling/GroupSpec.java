package io.stele.sidecar.scheduling;

import static java.util.Objects.requireNonNull;

/**
 * The configuration of one scheduling group of reads.
 *
 * @param name as selectors and metrics call it
 * @param shares the weight of its claim to processor time beside other groups
 * @param maxRunning scans that make rows at once; further ones wait
 * @param maxQueued scans that may wait for that; one more is refused as BUSY
 * @param maxLookups lookups by key that may be unanswered; one more is refused as BUSY
 */
record GroupSpec(String name, int shares, int maxRunning, int maxQueued, int maxLookups) {
    /** Reads that no selector names another group for. */
    static final String DEFAULT_NAME = "default";

    /** 1,000 for every user: a tenth of the shares of writes (see EngineThreads). */
    static final int DEFAULT_SHARES = 1_000;

    /** 64: each scan holds a few MiB of batches, and more of them would not be faster. */
    static final int DEFAULT_MAX_RUNNING = 64;

    /** As many as Flight calls are served by default, so that the calls are the limit. */
    static final int DEFAULT_MAX_QUEUED = 256;

    /**
     * At 10 microseconds each, a tenth of a second: a longer wait is reported to the client as
     * BUSY.
     */
    static final int DEFAULT_MAX_LOOKUPS = 10_000;

    GroupSpec {
        requireNonNull(name, "name is null");
    }

    static GroupSpec ofName(String name) {
        return new GroupSpec(
                name, DEFAULT_SHARES, DEFAULT_MAX_RUNNING, DEFAULT_MAX_QUEUED, DEFAULT_MAX_LOOKUPS);
    }
}
