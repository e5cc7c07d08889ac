package io.stele.sidecar.metrics;

import static com.google.common.base.Preconditions.checkArgument;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import org.weakref.jmx.Managed;

/**
 * A histogram of values since the start of the process, in buckets whose upper bounds grow by a
 * constant factor. Thread-safe; a reader may see a value in its bucket before it is in the sum.
 *
 * <p>Invariant: the bounds are strictly ascending, and the last bucket counts the values above all
 * of them.
 */
public final class Histogram {
    private static final double NANOS = 1e-9;

    private final double unit;
    private final long[] bounds;
    private final AtomicLongArray counts;
    private final LongAdder sum = new LongAdder();

    private Histogram(double unit, long first, int factor, int count) {
        checkArgument(first > 0, "first must be > 0: %s", first);
        this.unit = unit;
        this.bounds = new long[count];
        long bound = first;
        for (int i = 0; i < count; i++) {
            bounds[i] = bound;
            bound = Math.multiplyExact(bound, factor);
        }
        this.counts = new AtomicLongArray(count + 1);
    }

    /**
     * A histogram of times that are added in nanoseconds and exported in seconds: 10 us to 84 s, by
     * factors of 2.
     */
    public static Histogram ofSeconds() {
        return new Histogram(NANOS, 10_000, 2, 24);
    }

    /** A histogram of counts and bytes: 1 to 2^30, by factors of 4. */
    static Histogram ofCounts() {
        return new Histogram(1, 1, 4, 16);
    }

    /** Counts a value; of a histogram of times, in nanoseconds. */
    public void add(long value) {
        int found = Arrays.binarySearch(bounds, value);
        counts.incrementAndGet(found >= 0 ? found : -found - 1);
        sum.add(value);
    }

    /**
     * The present state.
     *
     * @param bounds upper bounds, in the exported unit; a value equal to a bound counts as below it
     * @param counts of values up to each bound, and last of all values
     * @param sum of all values, in the same unit
     */
    record Snapshot(double[] bounds, long[] counts, double sum) {}

    Snapshot snapshot() {
        double[] scaled = new double[bounds.length];
        long[] upTo = new long[bounds.length + 1];
        long count = 0;
        for (int i = 0; i <= bounds.length; i++) {
            count += counts.get(i);
            upTo[i] = count;
            if (i < bounds.length) {
                scaled[i] = bounds[i] * unit;
            }
        }
        return new Snapshot(scaled, upTo, sum.sum() * unit);
    }

    @Managed(description = "Values since the start")
    public long getCount() {
        long count = 0;
        for (int i = 0; i < counts.length(); i++) {
            count += counts.get(i);
        }
        return count;
    }

    @Managed(description = "Sum of the values since the start")
    public double getSum() {
        return sum.sum() * unit;
    }

    @Managed(description = "Upper bound of the bucket that has the median since the start")
    public double getP50() {
        return quantile(0.5);
    }

    @Managed(description = "Upper bound of the bucket that has the 99th percentile")
    public double getP99() {
        return quantile(0.99);
    }

    /**
     * The upper bound of the bucket of a quantile; infinite above the last bound, 0 without values.
     */
    private double quantile(double share) {
        Snapshot now = snapshot();
        long all = now.counts()[bounds.length];
        if (all == 0) {
            return 0;
        }
        for (int i = 0; i < bounds.length; i++) {
            if (now.counts()[i] >= share * all) {
                return now.bounds()[i];
            }
        }
        return Double.POSITIVE_INFINITY;
    }
}
