package io.stele.scheduler;

import static java.util.Objects.requireNonNull;

import java.util.Arrays;
import java.util.random.RandomGenerator;

/**
 * Short requests at regular times beside computations without end, in virtual time: how long the
 * requests take under a {@link FairPool}.
 *
 * <p>Each computation is a query of its own with default shares and polls after every chunk.
 */
public final class SimulatedServing {
    /**
     * The load.
     *
     * @param computations how many queries compute without end
     * @param chunkNanos how long each computes between two polls
     * @param requestNanos how long a request computes
     * @param periodNanos from one request to the next, with up to a tenth of jitter
     * @param requests how many
     */
    public record Load(
            int computations, long chunkNanos, long requestNanos, long periodNanos, int requests) {}

    /**
     * The result.
     *
     * @param p50Nanos from arrival to end, of half the requests at most
     * @param computingShare the part of the workers' time that went to the computations
     */
    public record Result(long p50Nanos, long p99Nanos, long maxNanos, double computingShare) {}

    private SimulatedServing() {}

    /**
     * Runs the load.
     *
     * @param urgency of the group of the requests
     */
    public static Result run(
            FairPoolOptions options, Urgency urgency, Load load, RandomGenerator random) {
        requireNonNull(random, "random is null");
        SimulatedWorkers workers =
                new SimulatedWorkers(
                        options,
                        failure -> {
                            throw new IllegalStateException(failure);
                        });
        ContextPool pool = workers.pool();
        for (int i = 0; i < load.computations(); i++) {
            SchedulingGroup query =
                    pool.createGroup("query " + i, SchedulingGroup.DEFAULT_SHARES, Urgency.NORMAL);
            pool.createContext("query " + i, query)
                    .start(
                            signal -> {
                                workers.spend(load.chunkNanos());
                                return false;
                            });
        }
        SchedulingGroup serving =
                pool.createGroup("serving", SchedulingGroup.DEFAULT_SHARES, urgency);
        long[] latencies = new long[load.requests()];
        long jitter = load.periodNanos() / 10;
        for (int i = 0; i < load.requests(); i++) {
            int request = i;
            long arrival = (i + 1) * load.periodNanos() + random.nextLong(jitter);
            workers.at(
                    arrival,
                    () ->
                            pool.createContext("request", serving)
                                    .execute(
                                            () -> {
                                                workers.spend(load.requestNanos());
                                                latencies[request] = workers.nowNanos() - arrival;
                                            }));
        }
        long end = (load.requests() + 10L) * load.periodNanos();
        workers.runUntil(end);
        long computing =
                pool.status().groups().stream()
                        .filter(group -> group.name().startsWith("query"))
                        .mapToLong(GroupStatus::cpuNanos)
                        .sum();
        Arrays.sort(latencies);
        return new Result(
                latencies[latencies.length / 2],
                latencies[(int) (latencies.length * 0.99)],
                latencies[latencies.length - 1],
                (double) computing / end / options.workers());
    }
}
