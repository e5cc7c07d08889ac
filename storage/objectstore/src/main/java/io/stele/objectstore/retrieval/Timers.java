package io.stele.objectstore.retrieval;

/** A timer service of the retrieval layer, which calls tasks after a delay. Thread-safe. */
public interface Timers {
    /**
     * Calls {@code task} after at least {@code delayNanos}, unless it is cancelled before. The task
     * must not block.
     */
    Timer schedule(long delayNanos, Runnable task);

    /** A scheduled call. */
    @FunctionalInterface
    interface Timer {
        /** Cancels the call; it may be running already. */
        void cancel();
    }
}
