package io.stele.objectstore.fault;

import java.util.Locale;
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
                    String.format(
                            Locale.ROOT,
                            "Expected an operation number of at least 1, found %d",
                            operation));
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
                    String.format(
                            Locale.ROOT, "Process is dead since operation %d: %s", at, operation));
        }
        return number == at;
    }

    /** For operations that change nothing: not counted, but the dead do not read either. */
    public void checkAlive(String operation) throws SimulatedCrash {
        if (crashed()) {
            throw new SimulatedCrash(
                    String.format(
                            Locale.ROOT, "Process is dead since operation %d: %s", at, operation));
        }
    }

    /** The exception for the operation during which the process dies. */
    public SimulatedCrash crash(String operation) {
        return new SimulatedCrash(
                String.format(Locale.ROOT, "Process dies at operation %d: %s", at, operation));
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
