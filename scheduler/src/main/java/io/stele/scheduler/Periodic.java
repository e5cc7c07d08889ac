package io.stele.scheduler;

/**
 * A timer of recurring background tasks, each of which is called about once a period until it is
 * stopped.
 */
public interface Periodic {
    /**
     * Starts calling {@code task}, one call at a time, about every {@code periodMillis}.
     *
     * @return a handle whose close stops the calls; a call in progress ends by itself
     */
    AutoCloseable every(long periodMillis, Runnable task);
}
