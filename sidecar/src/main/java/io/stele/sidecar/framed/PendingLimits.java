package io.stele.sidecar.framed;

import java.util.concurrent.Semaphore;

/**
 * The byte budget of the framed server for requests not yet answered, shared by its connections.
 * The number of requests is limited by each connection itself. Taking from the budget waits, so
 * that TCP flow control holds a client back before memory is full. Thread-safe.
 */
final class PendingLimits {
    // Semaphores count in int: KiB reach 2 TiB.
    private static final int UNIT_BYTES = 1024;

    private final Semaphore units;
    private final int maxUnits;

    PendingLimits(long maxBytes) {
        this.maxUnits = Math.toIntExact(maxBytes / UNIT_BYTES);
        this.units = new Semaphore(maxUnits, true);
    }

    /** Waits for room for a request of that size and takes it; returns the units to give back. */
    int take(int sizeBytes) throws InterruptedException {
        int taken = Math.min(sizeBytes / UNIT_BYTES + 1, maxUnits);
        units.acquire(taken);
        return taken;
    }

    void giveBack(int taken) {
        units.release(taken);
    }

    /** Bytes accepted and not yet answered, rounded up. */
    long pendingBytes() {
        return (long) (maxUnits - units.availablePermits()) * UNIT_BYTES;
    }
}
