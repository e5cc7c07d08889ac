package io.stele.storage.fault;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The moment at which a simulated process dies: its k-th operation on any of the stores and log
 * files that share this. The k-th operation may or may not take effect, wholly or in part; every
 * later one fails without effect.
 *
 * <p>Safe for use by many threads.
 */
public final class CrashPoint {
    private final long at;
    private final AtomicLong operations = new AtomicLong();

    private CrashPoint(long at) {
        this.at = at;
    }

    /** The {@code operation}-th operation, counted from 1, is the last. */
    public static CrashPoint after(long operation) {
        if (operation < 1) {
            throw new IllegalArgumentException(
                    "Expected an operation number of at least 1, found %d".formatted(operation));
        }
        return new CrashPoint(operation);
    }

    /** No crash; the operations are counted, to learn how many there are to crash at. */
    public static CrashPoint never() {
        return new CrashPoint(Long.MAX_VALUE);
    }

    /**
     * Counts an operation. Returns whether the process dies during it: then the caller performs any
     * part of it and throws {@link #crash}.
     *
     * @throws SimulatedCrash if the process is dead already
     */
    public boolean step(String operation) throws SimulatedCrash {
        long number = operations.incrementAndGet();
        if (number > at) {
            throw new SimulatedCrash(
                    "Process is dead since operation %d: %s".formatted(at, operation));
        }
        return number == at;
    }

    /** The exception for the operation during which the process dies. */
    public SimulatedCrash crash(String operation) {
        return new SimulatedCrash("Process dies at operation %d: %s".formatted(at, operation));
    }

    /** Operations so far, including those after the crash. */
    public long operations() {
        return operations.get();
    }

    /** Whether the process has died. */
    public boolean crashed() {
        return operations.get() >= at;
    }
}
