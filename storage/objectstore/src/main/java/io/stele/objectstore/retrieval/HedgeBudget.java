package io.stele.objectstore.retrieval;

/**
 * A budget of the bytes that hedges may cost: a share of the bytes that readers received. A hedge
 * reserves all of its bytes and returns those that did not arrive twice. Thread-safe: guarded by
 * its own lock.
 *
 * <p>Invariant: wastedBytes + reservedBytes <= allowanceBytes + share * wantedBytes when something
 * is reserved.
 */
final class HedgeBudget {
    private final double share;
    private final long allowanceBytes;
    private long wantedBytes;
    private long reservedBytes;
    private long wastedBytes;

    /**
     * @param share of the wanted bytes
     * @param allowanceBytes may be spent before anything was wanted
     */
    HedgeBudget(double share, long allowanceBytes) {
        if (!(share >= 0 && share <= 1) || allowanceBytes < 0) {
            throw new IllegalArgumentException(
                    "Expected a share of 0 to 1 and an allowance of at least 0, found %s and %d"
                            .formatted(share, allowanceBytes));
        }
        this.share = share;
        this.allowanceBytes = allowanceBytes;
    }

    /** Counts bytes that readers received. */
    synchronized void want(long bytes) {
        wantedBytes += bytes;
    }

    /** Reserves the cost of a hedge; false if the budget does not allow it. */
    synchronized boolean reserve(long bytes) {
        if (share == 0
                || wastedBytes + reservedBytes + bytes > allowanceBytes + share * wantedBytes) {
            return false;
        }
        reservedBytes += bytes;
        return true;
    }

    /** Settles a reservation: {@code wasted} bytes arrived twice. */
    synchronized void settle(long bytes, long wasted) {
        reservedBytes -= bytes;
        wastedBytes += wasted;
    }

    synchronized long reservedBytes() {
        return reservedBytes;
    }

    synchronized long wastedBytes() {
        return wastedBytes;
    }
}
