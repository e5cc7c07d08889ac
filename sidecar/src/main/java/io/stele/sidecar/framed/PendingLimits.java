package io.stele.sidecar.framed;

import java.util.concurrent.Semaphore;

/**
 * A byte budget of the framed server, shared by its connections, for requests not yet answered or
 * for replies not yet taken by their clients. The number of requests is limited by each connection
 * itself. Taking from the budget waits, so that TCP flow control holds a client back before memory
 * is full. Thread-safe.
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

    /** Like {@link #take}, but not interruptible; the interrupt status is restored at the end. */
    int takeUninterruptibly(int sizeBytes) {
        int taken = Math.min(sizeBytes / UNIT_BYTES + 1, maxUnits);
        units.acquireUninterruptibly(taken);
        return taken;
    }

    /** Takes room if there is some now; returns the units to give back, 0: there is none. */
    int tryTake(int sizeBytes) {
        int taken = Math.min(sizeBytes / UNIT_BYTES + 1, maxUnits);
        return units.tryAcquire(taken) ? taken : 0;
    }

    void giveBack(int taken) {
        units.release(taken);
    }

    /** Bytes accepted and not yet answered, rounded up. */
    long pendingBytes() {
        return (long) (maxUnits - units.availablePermits()) * UNIT_BYTES;
    }
}
