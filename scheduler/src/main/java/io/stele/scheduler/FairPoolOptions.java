package io.stele.scheduler;

/**
 * The options of a {@link FairPool}: number of workers, quantum and period of load balancing.
 *
 * @param workers number of threads
 * @param quantumNanos how long a context may run while other contexts wait; a waiting latency
 *     context interrupts it earlier
 * @param balanceNanos how often the loads of the workers are compared and balanced
 */
public record FairPoolOptions(int workers, long quantumNanos, long balanceNanos) {
    private static final int MAX_WORKERS = 1024; // far above the cores of one machine
    private static final long MILLISECOND = 1_000_000;

    // 200 us: with 1 ms, shares over 100 ms would be inexact, and a turn costs only 0.2 us.
    private static final long QUANTUM_NANOS = 200_000;

    public FairPoolOptions {
        if (workers < 1 || workers > MAX_WORKERS) {
            throw new IllegalArgumentException(
                    "workers must be 1 to " + MAX_WORKERS + ", found " + workers);
        }
        if (quantumNanos < 1_000 || quantumNanos > 1_000 * MILLISECOND) {
            throw new IllegalArgumentException(
                    "quantumNanos must be 1 microsecond to 1 second, found " + quantumNanos);
        }
        if (balanceNanos < MILLISECOND) {
            throw new IllegalArgumentException(
                    "balanceNanos must be at least 1 millisecond, found " + balanceNanos);
        }
    }

    /** A quantum of 200 us, balanced every 5 ms. */
    public static FairPoolOptions of(int workers) {
        return new FairPoolOptions(workers, QUANTUM_NANOS, 5 * MILLISECOND);
    }

    public FairPoolOptions withQuantumNanos(long newQuantumNanos) {
        return new FairPoolOptions(workers, newQuantumNanos, balanceNanos);
    }

    /** The time in nanoseconds over which the average of a group's runnable shares falls. */
    long averageNanos() {
        return 4 * balanceNanos;
    }
}
