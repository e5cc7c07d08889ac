package io.stele.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Shares on real threads, by the work that was done in windows that grow until the shares are
 * right: noise of the machine averages out, a wrong scheduler does not. Only ratios are compared.
 */
@Timeout(300)
class TestThreadedFairness {
    // Other tests run beside this one, and a context is charged for wall time: `bench hos` has 10 %
    private static final double TOLERANCE = 0.25;
    private static final double WRONG = 0.4; // without nested shares it is 0.9, less some noise
    private static final double GROWTH = 1.618;
    private static final long FIRST_WINDOW_MILLIS = 100;
    private static final long LAST_WINDOW_MILLIS = 30_000;
    private static final int MIN_WINDOWS = 5;

    // A worker without a core of its own holds a context that it does not run, and charges it
    private static final int WORKERS = Math.min(2, Runtime.getRuntime().availableProcessors());

    private final List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());

    /** A computation without end on some contexts, which counts its chunks of work. */
    private static final class Computation {
        private final double expectedShare;
        private final AtomicLong chunks = new AtomicLong();
        private volatile boolean stopped;

        Computation(ContextPool pool, SchedulingGroup group, int contexts, double expectedShare) {
            this.expectedShare = expectedShare;
            for (int i = 0; i < contexts; i++) {
                ExecutionContext context = pool.createContext(group.name() + " " + i, group);
                context.execute(() -> compute(context));
            }
        }

        /** One chunk, then a task for the next one: a pool without time slices changes contexts. */
        private void compute(ExecutionContext context) {
            long mixed = chunks.get();
            for (int i = 0; i < 20_000; i++) {
                mixed = mixed * 6_364_136_223_846_793_005L + 1;
            }
            chunks.addAndGet(mixed == 0 ? 2 : 1); // uses the result, or nothing is computed
            if (!stopped) {
                context.execute(() -> compute(context));
            }
        }
    }

    /** The windows of a measurement, and the largest deviation from the expected shares in each. */
    private record Deviations(List<Double> ofWindows) {
        double last() {
            return ofWindows.getLast();
        }
    }

    @Test
    void classesAndQueriesGetTheirSharesHoweverManyContextsTheyHave() {
        Deviations nested = measure(fair(), true, Integer.MAX_VALUE);
        assertThat(nested.last()).as("deviations %s", nested).isLessThanOrEqualTo(TOLERANCE);

        // In windows of the same lengths, without groups of queries and without any shares.
        int windows = Math.max(MIN_WINDOWS, nested.ofWindows().size());
        checkUnfair("one group for a class", measure(fair(), false, windows));
        checkUnfair("first in, first out", measure(fifo(), true, windows));
        assertThat(failures).isEmpty();
    }

    private static void checkUnfair(String scheduler, Deviations deviations) {
        assertThat(deviations.ofWindows())
                .as("%s, deviations", scheduler)
                .allSatisfy(deviation -> assertThat(deviation).isGreaterThan(TOLERANCE))
                .last()
                .satisfies(deviation -> assertThat(deviation).isGreaterThan(WRONG));
    }

    /**
     * Measures three queries: of one and of sixteen contexts in one class, and of four in a class
     * with the same shares.
     *
     * @param nested whether each query has a group of its own
     * @param maxWindows the number of windows, unless the shares are right before
     */
    private static Deviations measure(ContextPool pool, boolean nested, int maxWindows) {
        try (pool) {
            SchedulingGroup boards = pool.createGroup("boards", 1000, Urgency.NORMAL);
            SchedulingGroup etl = pool.createGroup("etl", 1000, Urgency.NORMAL);
            List<Computation> queries =
                    List.of(
                            new Computation(pool, query(pool, boards, nested), 1, 0.25),
                            new Computation(pool, query(pool, boards, nested), 16, 0.25),
                            new Computation(pool, query(pool, etl, nested), 4, 0.5));
            List<Double> deviations = new ArrayList<>();
            double millis = FIRST_WINDOW_MILLIS;
            boolean isFair = false;
            while (!isFair && millis < LAST_WINDOW_MILLIS && deviations.size() < maxWindows) {
                deviations.add(deviation(queries, Math.round(millis)));
                isFair = deviations.getLast() <= TOLERANCE;
                millis *= GROWTH;
            }
            queries.forEach(query -> query.stopped = true);
            return new Deviations(deviations);
        }
    }

    private static SchedulingGroup query(
            ContextPool pool, SchedulingGroup group, boolean isNested) {
        return isNested ? pool.createGroup("query", SchedulingGroup.DEFAULT_SHARES, group) : group;
    }

    private static double deviation(List<Computation> queries, long millis) {
        long[] before = queries.stream().mapToLong(query -> query.chunks.get()).toArray();
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left); // the length of a window, not a wait for something
        }
        long[] done = new long[before.length];
        for (int i = 0; i < done.length; i++) {
            done[i] = queries.get(i).chunks.get() - before[i];
        }
        double all = Math.max(1, Arrays.stream(done).sum());
        double deviation = 0;
        for (int i = 0; i < done.length; i++) {
            double share = done[i] / all;
            deviation = Math.max(deviation, Math.abs(share / queries.get(i).expectedShare - 1));
        }
        return deviation;
    }

    private ContextPool fair() {
        return new ThreadedFairPool(
                FairPoolOptions.of(WORKERS),
                System::nanoTime,
                Thread.ofPlatform().factory(),
                failures::add);
    }

    private ContextPool fifo() {
        return new FifoPool(
                WORKERS, System::nanoTime, Thread.ofPlatform().factory(), failures::add);
    }
}
