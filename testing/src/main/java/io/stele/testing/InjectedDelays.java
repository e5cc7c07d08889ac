package io.stele.testing;

import java.util.concurrent.TimeUnit;

/**
 * The simulated response times of an object store, drawn by hash, for tests and benchmarks. The
 * same request of the same round takes the same time for every client. So policies meet identical
 * stragglers.
 *
 * @param firstByteNanos time until the response begins
 * @param nanosPerMiB for each 2^20 bytes of the response
 * @param jitter share by which each request is slower or faster, uniform
 * @param stragglers share of requests that take longer
 * @param stragglerFactor how much longer
 * @param seed of all draws
 */
public record InjectedDelays(
        long firstByteNanos,
        long nanosPerMiB,
        double jitter,
        double stragglers,
        double stragglerFactor,
        long seed) {
    /** Nothing is delayed. */
    public static final InjectedDelays NONE = new InjectedDelays(0, 0, 0, 0, 1, 0);

    /**
     * S3 as AnyBlob measured it: 30 ms and 20 ms a MiB in the median; spread by a fifth, without
     * stragglers.
     */
    public static final InjectedDelays S3 =
            new InjectedDelays(
                    TimeUnit.MILLISECONDS.toNanos(30),
                    TimeUnit.MILLISECONDS.toNanos(20),
                    0.2,
                    0,
                    1,
                    0);

    public InjectedDelays {
        if (firstByteNanos < 0
                || nanosPerMiB < 0
                || !(jitter >= 0 && jitter < 1)
                || !(stragglers >= 0 && stragglers <= 1)
                || !(stragglerFactor >= 1)) {
            throw new IllegalArgumentException(
                    "Expected times of at least 0, shares of 0 to 1 and a factor of at least 1,"
                            + " found %d ns, %d ns, %s, %s and %s"
                                    .formatted(
                                            firstByteNanos,
                                            nanosPerMiB,
                                            jitter,
                                            stragglers,
                                            stragglerFactor));
        }
    }

    /** The same with stragglers. */
    public InjectedDelays withStragglers(double share, double factor, long newSeed) {
        return new InjectedDelays(firstByteNanos, nanosPerMiB, jitter, share, factor, newSeed);
    }

    /** Whether the {@code attempt}-th request (from 0) for this target is a straggler. */
    public boolean isStraggler(String target, int attempt) {
        return uniform(target, attempt, 1) < stragglers;
    }

    /** By what the times of this request are multiplied. */
    double factor(String target, int attempt) {
        double spread = 1 + jitter * (2 * uniform(target, attempt, 2) - 1);
        return isStraggler(target, attempt) ? spread * stragglerFactor : spread;
    }

    private double uniform(String target, int attempt, int purpose) {
        long hash = mix(seed ^ mix(purpose));
        for (int i = 0; i < target.length(); i++) {
            hash = mix(hash ^ target.charAt(i));
        }
        return (mix(hash ^ attempt) >>> 11) * 0x1p-53;
    }

    /** SplitMix64's finalizer. */
    private static long mix(long value) {
        long mixed = value + 0x9e3779b97f4a7c15L;
        mixed = (mixed ^ (mixed >>> 30)) * 0xbf58476d1ce4e5b9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94d049bb133111ebL;
        return mixed ^ (mixed >>> 31);
    }
}
