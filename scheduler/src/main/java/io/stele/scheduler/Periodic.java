package io.stele.scheduler;

/** A source of regular ticks: something that calls back now and then until it is told to stop. */
public interface Periodic {
    /**
     * Starts calling {@code task}, one call at a time, about every {@code periodMillis}.
     *
     * @return closing it stops the calls; a call in progress ends by itself
     */
    AutoCloseable every(long periodMillis, Runnable task);
}
