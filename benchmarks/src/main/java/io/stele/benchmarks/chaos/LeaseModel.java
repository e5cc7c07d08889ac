package io.stele.benchmarks.chaos;

/**
 * A model of a lease that a client renews, as far as the client can know: the lease counts from the
 * moment at which the server handled a renewal, which lies between sending it and its answer.
 * Confined to one thread.
 */
final class LeaseModel {
    private final long ttlNanos;
    private long sentNanos;
    private boolean isUnbroken = true;

    /**
     * @param sentNanos before the request that began it
     */
    LeaseModel(long ttlNanos, long sentNanos) {
        this.ttlNanos = ttlNanos;
        this.sentNanos = sentNanos;
    }

    /** A renewal was answered as done. */
    void renewed(long renewalSentNanos, long answeredNanos) {
        isUnbroken = isHeld(answeredNanos);
        sentNanos = renewalSentNanos;
    }

    /** Whether the server must have held it all the time until this moment. */
    boolean isHeld(long nowNanos) {
        return isUnbroken && nowNanos - sentNanos < ttlNanos;
    }
}
