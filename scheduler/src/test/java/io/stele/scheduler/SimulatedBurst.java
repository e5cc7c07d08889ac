package io.stele.scheduler;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/**
 * Queries that come and go, as in Figure 8(b) of the Hologres paper (PVLDB 2020), in virtual time
 * and with the paper's seconds as tenths: how processor time is divided among them.
 *
 * <p>Each query is a group of its own with the default shares and computes without end on all its
 * contexts, in steps of random length up to one and a half quanta. Confined to one thread.
 */
public final class SimulatedBurst {
    /** One paper second, divided by ten. */
    public static final long WINDOW_NANOS = 100_000_000;

    /** When the last query leaves. */
    public static final int WINDOWS = 70;

    /**
     * A query of the experiment.
     *
     * @param name as the paper calls it
     * @param fromWindow the first window in which it computes
     * @param toWindow the first window in which it is gone
     * @param contexts on how many execution contexts it computes
     */
    public record Query(String name, int fromWindow, int toWindow, int contexts) {
        public Query {
            requireNonNull(name, "name is null");
        }

        boolean runsIn(int window) {
            return window >= fromWindow && window < toWindow;
        }
    }

    private final SimulatedWorkers workers;
    private final RandomGenerator random;
    private final long quantumNanos;
    private final long windowNanos;
    private final List<Query> queries;
    private final Map<String, long[]> usedNanos = new HashMap<>();

    private SimulatedBurst(
            FairPoolOptions options,
            List<Query> queries,
            long windowNanos,
            RandomGenerator random) {
        this.workers =
                new SimulatedWorkers(
                        options,
                        failure -> {
                            throw new IllegalStateException(failure);
                        });
        this.random = requireNonNull(random, "random is null");
        this.quantumNanos = options.quantumNanos();
        this.windowNanos = windowNanos;
        this.queries = List.copyOf(queries);
    }

    /** The arrivals and departures of the paper, with 1 to 8 contexts a query. */
    public static List<Query> paper() {
        List<Query> queries = new ArrayList<>();
        queries.add(new Query("Q1", 0, 50, 1));
        queries.add(new Query("Q2", 0, 50, 2));
        for (int i = 3; i <= 7; i++) {
            queries.add(new Query("Q" + i, 5, 30, i));
        }
        queries.add(new Query("Q8", 40, WINDOWS, 8));
        queries.add(new Query("Q9", 60, WINDOWS, 1));
        queries.add(new Query("Q10", 60, WINDOWS, 2));
        return queries;
    }

    /**
     * Runs the experiment.
     *
     * @param windowNanos over which shares are measured; divides {@link #WINDOW_NANOS}
     */
    public static Result run(
            FairPoolOptions options,
            List<Query> queries,
            long windowNanos,
            RandomGenerator random) {
        return new SimulatedBurst(options, queries, windowNanos, random).run();
    }

    /**
     * The result.
     *
     * @param windowNanos the length of a window
     * @param shares of each query, by name: its part of the processor time in each window
     * @param migrations contexts moved between workers for balance
     */
    public record Result(
            List<Query> queries, long windowNanos, Map<String, double[]> shares, long migrations) {
        /** The shares of a query in each window. */
        public double[] sharesOf(String query) {
            double[] found = shares.get(query);
            if (found == null) {
                throw new IllegalArgumentException(
                        "Expected one of the queries %s, found %s"
                                .formatted(shares.keySet(), query));
            }
            return found;
        }

        /** The greatest deviation of a window's shares from equal ones, relative to those. */
        public double deviation(int window) {
            return deviation(window, 1);
        }

        /** As the other, over some windows in a row in which the same queries are there. */
        private double deviation(int fromWindow, int count) {
            int paperWindow = (int) (fromWindow * windowNanos / WINDOW_NANOS);
            List<Query> present =
                    queries.stream().filter(query -> query.runsIn(paperWindow)).toList();
            double deviation = 0;
            for (Query query : present) {
                double[] of = sharesOf(query.name());
                double sum = 0;
                for (int window = fromWindow; window < fromWindow + count; window++) {
                    sum += of[window];
                }
                deviation = Math.max(deviation, Math.abs(sum / count * present.size() - 1));
            }
            return deviation;
        }

        public int windows() {
            return (int) (WINDOWS * (WINDOW_NANOS / windowNanos));
        }

        public double maxDeviation() {
            double max = 0;
            for (int window = 0; window < windows(); window++) {
                max = Math.max(max, deviation(window));
            }
            return max;
        }

        /**
         * The time after the arrival of queries from which the shares over every {@link
         * #WINDOW_NANOS} stay within a deviation, until queries come or end again; in nanoseconds,
         * whole windows.
         *
         * @param fromWindow of the paper
         * @param toWindow of the paper
         */
        public long nanosUntilFair(int fromWindow, int toWindow, double tolerance) {
            int perPaperWindow = (int) (WINDOW_NANOS / windowNanos);
            int start = fromWindow * perPaperWindow;
            int fair = (toWindow - 1) * perPaperWindow;
            while (fair > start && deviation(fair - 1, perPaperWindow) <= tolerance) {
                fair--;
            }
            return (fair - start) * windowNanos;
        }
    }

    private Result run() {
        int windowCount = (int) (WINDOWS * (WINDOW_NANOS / windowNanos));
        for (Query query : queries) {
            usedNanos.put(query.name(), new long[windowCount]);
            workers.at(query.fromWindow() * WINDOW_NANOS, () -> start(query));
        }
        workers.runUntil(WINDOWS * WINDOW_NANOS);
        Map<String, double[]> shares = new HashMap<>();
        for (Query query : queries) {
            shares.put(query.name(), new double[windowCount]);
        }
        for (int window = 0; window < windowCount; window++) {
            long sum = 0;
            for (long[] used : usedNanos.values()) {
                sum += used[window];
            }
            for (Query query : queries) {
                long used = usedNanos.getOrDefault(query.name(), new long[0])[window];
                shares.getOrDefault(query.name(), new double[0])[window] =
                        sum == 0 ? 0 : (double) used / sum;
            }
        }
        return new Result(queries, windowNanos, shares, workers.pool().status().migrations());
    }

    private void start(Query query) {
        SchedulingGroup group =
                workers.pool()
                        .createGroup(query.name(), SchedulingGroup.DEFAULT_SHARES, Urgency.NORMAL);
        for (int i = 0; i < query.contexts(); i++) {
            ExecutionContext context = workers.pool().createContext(query.name(), group);
            context.start(signal -> compute(query));
            workers.at(query.toWindow() * WINDOW_NANOS, context::cancel);
        }
    }

    private boolean compute(Query query) {
        long nanos = Math.round(quantumNanos * (0.2 + 1.3 * random.nextDouble()));
        long[] used = usedNanos.getOrDefault(query.name(), new long[0]);
        long from = workers.nowNanos();
        long to = from + nanos;
        while (from < to) {
            int window = (int) (from / windowNanos);
            long end = Math.min(to, (window + 1) * windowNanos);
            if (window < used.length) {
                used[window] += end - from;
            }
            from = end;
        }
        workers.spend(nanos);
        return false;
    }
}
