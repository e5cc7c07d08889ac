package io.stele.objectstore.retrieval;

/** A source of timed callbacks. Thread-safe. */
public interface Timers {
    /**
     * Calls {@code task} after at least {@code delayNanos}, unless it is cancelled before. The task
     * must not block.
     */
    Timer schedule(long delayNanos, Runnable task);

    /** A call to come. */
    @FunctionalInterface
    interface Timer {
        /** It may be under way already. */
        void cancel();
    }
}
