package io.stele.benchmarks.get;

import io.stele.benchmarks.Machine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * A timed phase of the point read benchmark: threads look up uniformly random rows, each waiting
 * for its answer.
 */
record LookupPhase(int threads, int rows, int keysAtOnce, Duration duration) {
    private static final long HIGHEST_NANOS = TimeUnit.MINUTES.toNanos(1);

    /** A lookup of {@code keysAtOnce} rows. */
    interface Lookup {
        void run(int[] numbers) throws Exception;
    }

    /** CPU time of the processes that took part, in nanoseconds, beside this one. */
    interface OtherCpu {
        long nanos() throws Exception;
    }

    /**
     * The measurements of one phase.
     *
     * @param keysPerSecond rows found, by wall time
     * @param p50Micros median time of a call
     * @param p99Micros 99th percentile of the same
     * @param cpuMicrosPerKey CPU time of all threads and processes that took part, garbage
     *     collection included
     */
    record Result(
            double keysPerSecond, double p50Micros, double p99Micros, double cpuMicrosPerKey) {}

    Result run(Lookup lookup, OtherCpu otherCpu, long seed) throws Exception {
        List<Histogram> latencies = new ArrayList<>();
        long cpuBefore = Machine.processCpuNanos() + otherCpu.nanos();
        long start = System.nanoTime();
        long keys = 0;
        try (ExecutorService executor = Executors.newFixedThreadPool(threads)) {
            List<Callable<Long>> tasks = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                SplittableRandom random = new SplittableRandom(seed * 31 + thread);
                Histogram own = new Histogram(HIGHEST_NANOS, 3);
                latencies.add(own);
                tasks.add(() -> read(lookup, random, start + duration.toNanos(), own));
            }
            for (Future<Long> finished : executor.invokeAll(tasks)) {
                keys += finished.get();
            }
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        long cpu = Machine.processCpuNanos() + otherCpu.nanos() - cpuBefore;
        Histogram all = new Histogram(HIGHEST_NANOS, 3);
        latencies.forEach(all::add);
        return new Result(
                keys / seconds,
                all.getValueAtPercentile(50) / 1e3,
                all.getValueAtPercentile(99) / 1e3,
                cpu / 1e3 / keys);
    }

    private long read(Lookup lookup, SplittableRandom random, long deadline, Histogram latencies)
            throws Exception {
        int[] numbers = new int[keysAtOnce];
        long keys = 0;
        long before = System.nanoTime();
        while (before < deadline) {
            for (int i = 0; i < keysAtOnce; i++) {
                numbers[i] = random.nextInt(rows);
            }
            lookup.run(numbers);
            long after = System.nanoTime();
            latencies.recordValue(Math.min(after - before, HIGHEST_NANOS));
            before = after;
            keys += keysAtOnce;
        }
        return keys;
    }
}
