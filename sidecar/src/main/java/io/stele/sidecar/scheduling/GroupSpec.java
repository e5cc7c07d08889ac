package io.stele.sidecar.scheduling;

import static java.util.Objects.requireNonNull;

/**
 * The configuration of one scheduling group of reads: its shares of processor time and its limits
 * on scans and lookups.
 *
 * @param name in selectors and metrics
 * @param shares the weight of its claim to processor time, relative to other groups
 * @param maxRunning the most scans that produce rows at once; further scans wait
 * @param maxQueued the most waiting scans; a further scan is refused as BUSY
 * @param maxLookups the most lookups by key in progress; a further lookup is refused as BUSY
 * @param maxMemoryBytes the most memory that running scans reserve; further scans wait. {@link
 *     Long#MAX_VALUE}: no limit
 */
record GroupSpec(
        String name,
        int shares,
        int maxRunning,
        int maxQueued,
        int maxLookups,
        long maxMemoryBytes) {
    /** The group of reads to which no selector applies. */
    static final String DEFAULT_NAME = "default";

    /** A tenth of the shares of writes (see EngineThreads). */
    static final int DEFAULT_SHARES = 1_000;

    /** Each scan holds a few MiB of batches, and more scans at once would not be faster. */
    static final int DEFAULT_MAX_RUNNING = 64;

    /** The default limit of Flight calls, so that this limit applies first. */
    static final int DEFAULT_MAX_QUEUED = 256;

    /**
     * About a tenth of a second of work, at 10 microseconds for each lookup; a client with a longer
     * wait receives BUSY.
     */
    static final int DEFAULT_MAX_LOOKUPS = 10_000;

    GroupSpec {
        requireNonNull(name, "name is null");
    }

    static GroupSpec ofName(String name) {
        return new GroupSpec(
                name,
                DEFAULT_SHARES,
                DEFAULT_MAX_RUNNING,
                DEFAULT_MAX_QUEUED,
                DEFAULT_MAX_LOOKUPS,
                Long.MAX_VALUE);
    }
}
