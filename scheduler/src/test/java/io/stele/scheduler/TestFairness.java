package io.stele.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How processor time is divided, in virtual time. */
class TestFairness {
    private static final long MICROSECOND = 1_000;
    private static final long MILLISECOND = 1_000_000;
    private static final FairPoolOptions TWO_WORKERS = FairPoolOptions.of(2);

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void queriesOfFigure8bGetEqualShares(long seed) {
        SimulatedBurst.Result result =
                SimulatedBurst.run(
                        TWO_WORKERS,
                        SimulatedBurst.paper(),
                        SimulatedBurst.WINDOW_NANOS,
                        new SplittableRandom(seed));

        for (int window = 0; window < result.windows(); window++) {
            assertThat(result.deviation(window))
                    .as("seed %d, deviation in the window at %d ms", seed, window * 100)
                    .isLessThanOrEqualTo(0.05);
        }
    }

    @Test
    void sharesAreFairAgainSoonAfterABurst() {
        SimulatedBurst.Result result =
                SimulatedBurst.run(
                        TWO_WORKERS,
                        SimulatedBurst.paper(),
                        5 * MILLISECOND,
                        new SplittableRandom(11));

        assertThat(result.nanosUntilFair(5, 30, 0.10)).isLessThanOrEqualTo(50 * MILLISECOND);
    }

    @Test
    void aRequestWaitsForAChunkAndNotForAQuantum() {
        SimulatedServing.Load load =
                new SimulatedServing.Load(
                        16, 20 * MICROSECOND, 50 * MICROSECOND, MILLISECOND, 20_000);
        FairPoolOptions options = FairPoolOptions.of(2).withQuantumNanos(MILLISECOND);
        SimulatedServing.Result latency =
                SimulatedServing.run(options, Urgency.LATENCY, load, new SplittableRandom(3));
        SimulatedServing.Result normal =
                SimulatedServing.run(options, Urgency.NORMAL, load, new SplittableRandom(3));

        assertThat(latency.p99Nanos()).isLessThanOrEqualTo(100 * MICROSECOND);
        assertThat(latency.computingShare()).isGreaterThan(0.95);
        // without the class a request waits for quanta: the number above is not for free
        assertThat(normal.p99Nanos()).isGreaterThan(500 * MICROSECOND);
    }

    @Test
    void aLatencyClassThatWantsEverythingGetsItsShare() {
        SimulatedWorkers workers = workers(TWO_WORKERS);
        SchedulingGroup greedy = workers.pool().createGroup("greedy", 1000, Urgency.LATENCY);
        for (int i = 0; i < 8; i++) {
            workers.pool().createContext("greedy", greedy).start(endless(workers));
        }
        SchedulingGroup query = workers.pool().createGroup("query", 3000, Urgency.NORMAL);
        for (int i = 0; i < 4; i++) {
            workers.pool().createContext("query", query).start(endless(workers));
        }
        workers.runUntil(1000 * MILLISECOND);

        assertThat(cpuShare(workers, "greedy")).isBetween(0.23, 0.27);
    }

    @Test
    void sharesDecideAndCanBeMovedWhileQueriesRun() {
        SimulatedWorkers workers = workers(TWO_WORKERS);
        SchedulingGroup small = workers.pool().createGroup("small", 1000, Urgency.NORMAL);
        SchedulingGroup large = workers.pool().createGroup("large", 3000, Urgency.NORMAL);
        for (int i = 0; i < 4; i++) {
            workers.pool().createContext("small", small).start(endless(workers));
            workers.pool().createContext("large", large).start(endless(workers));
        }
        workers.runUntil(500 * MILLISECOND);
        assertThat(cpuShare(workers, "small")).isBetween(0.24, 0.26);

        large.transfer(2000, small);
        long smallBefore = cpuNanos(workers, "small");
        long largeBefore = cpuNanos(workers, "large");
        workers.runUntil(1000 * MILLISECOND);
        double smallUsed = cpuNanos(workers, "small") - smallBefore;
        double largeUsed = cpuNanos(workers, "large") - largeBefore;
        assertThat(smallUsed / (smallUsed + largeUsed)).isBetween(0.73, 0.77);
        assertThat(small.shares()).isEqualTo(3000);
        assertThat(large.shares()).isEqualTo(1000);
    }

    @Test
    void nobodyWaitsMuchLongerThanEverybodysTurn() {
        SimulatedWorkers workers = workers(TWO_WORKERS);
        int queries = 20;
        long[] lastNanos = new long[queries];
        long[] longestNanos = new long[queries];
        for (int i = 0; i < queries; i++) {
            int query = i;
            SchedulingGroup group = workers.pool().createGroup("query " + i, 1000, Urgency.NORMAL);
            workers.pool()
                    .createContext("query", group)
                    .start(
                            signal -> {
                                long waited = workers.nowNanos() - lastNanos[query];
                                longestNanos[query] = Math.max(longestNanos[query], waited);
                                workers.spend(50 * MICROSECOND);
                                lastNanos[query] = workers.nowNanos();
                                return false;
                            });
        }
        workers.runUntil(2000 * MILLISECOND);

        // Ten a worker, a quantum each, and now and then one more that came from the other worker.
        assertThat(LongStream.of(longestNanos).min().orElseThrow()).isPositive();
        assertThat(LongStream.of(longestNanos).max().orElseThrow())
                .isLessThanOrEqualTo(queries * TWO_WORKERS.quantumNanos());
    }

    @Test
    void anIdleGroupComesBackWithoutCreditForThePast() {
        SimulatedWorkers workers = workers(TWO_WORKERS);
        SchedulingGroup busy = workers.pool().createGroup("busy", 1000, Urgency.NORMAL);
        SchedulingGroup late = workers.pool().createGroup("late", 1000, Urgency.NORMAL);
        List<ExecutionContext> waiting =
                List.of(
                        workers.pool().createContext("late", late),
                        workers.pool().createContext("late", late));
        for (int i = 0; i < 2; i++) {
            workers.pool().createContext("busy", busy).start(endless(workers));
        }
        workers.runUntil(1000 * MILLISECOND);
        long before = cpuNanos(workers, "busy");
        waiting.forEach(context -> context.start(endless(workers)));
        workers.runUntil(1100 * MILLISECOND);

        assertThat((cpuNanos(workers, "busy") - before) / (200.0 * MILLISECOND))
                .isBetween(0.48, 0.52);
    }

    @Test
    void noWorkerIdlesWhileAnotherHasMoreThanItRuns() {
        SimulatedWorkers workers = workers(FairPoolOptions.of(4));
        SchedulingGroup query = workers.pool().createGroup("query", 1000, Urgency.NORMAL);
        for (int i = 0; i < 4; i++) {
            long stopAt = (10 + i) * MILLISECOND;
            // of four on each worker all but those of the last one end soon
            for (int copy = 0; copy < 4; copy++) {
                boolean endless = i == 3;
                workers.pool()
                        .createContext("query", query)
                        .start(
                                signal -> {
                                    workers.spend(20 * MICROSECOND);
                                    return !endless && workers.nowNanos() > stopAt;
                                });
            }
        }
        workers.runUntil(20 * MILLISECOND);
        long before = cpuNanos(workers, "query");
        workers.runUntil(120 * MILLISECOND);

        assertThat(cpuNanos(workers, "query") - before).isGreaterThan(396 * MILLISECOND);
        assertThat(workers.pool().status().idleWorkers()).isZero();
    }

    @Test
    void aQueryGetsTheSameHoweverManyContextsItHas() {
        SimulatedWorkers workers = workers(TWO_WORKERS);
        SchedulingGroup boards = workers.pool().createGroup("boards", 1000, Urgency.NORMAL);
        SchedulingGroup etl = workers.pool().createGroup("etl", 1000, Urgency.NORMAL);
        compute(workers, workers.pool().createGroup("one", 1000, boards), 1);
        compute(workers, workers.pool().createGroup("sixteen", 1000, boards), 16);
        compute(workers, workers.pool().createGroup("other", 1000, etl), 4);
        workers.runUntil(1000 * MILLISECOND);

        assertThat(cpuShare(workers, "boards")).isBetween(0.48, 0.52);
        assertThat(cpuShare(workers, "boards", "one")).isBetween(0.49, 0.51);
        assertThat(cpuShare(workers, "boards", "sixteen")).isBetween(0.49, 0.51);
        assertThat(cpuShare(workers, "etl", "other")).isEqualTo(1);
        for (GroupStatus group : workers.pool().status().groups()) {
            for (GroupStatus query : group.nested()) {
                assertThat((double) query.entitledNanos() / query.cpuNanos())
                        .as(query.name())
                        .isBetween(0.95, 1.05);
            }
        }
    }

    @Test
    void theShareOfAQueryThatWaitsMovesToItsClassAndComesBack() {
        SimulatedWorkers workers = workers(TWO_WORKERS);
        SchedulingGroup boards = workers.pool().createGroup("boards", 1000, Urgency.NORMAL);
        SchedulingGroup etl = workers.pool().createGroup("etl", 1000, Urgency.NORMAL);
        boolean[] waits = new boolean[1];
        SchedulingGroup waiting = workers.pool().createGroup("waiting", 1000, boards);
        List<ExecutionContext> contexts =
                List.of(
                        workers.pool().createContext("waiting", waiting),
                        workers.pool().createContext("waiting", waiting));
        WorkUnit untilItWaits =
                signal -> {
                    workers.spend(20 * MICROSECOND);
                    return waits[0];
                };
        contexts.forEach(context -> context.start(untilItWaits));
        compute(workers, workers.pool().createGroup("steady", 1000, boards), 4);
        compute(workers, workers.pool().createGroup("other", 1000, etl), 4);
        workers.runUntil(500 * MILLISECOND);
        assertThat(cpuShare(workers, "boards", "waiting")).isBetween(0.48, 0.52);

        waits[0] = true;
        workers.runUntil(600 * MILLISECOND);
        double[] before = {cpuNanos(workers, "boards"), cpuNanos(workers, "etl")};
        workers.runUntil(1100 * MILLISECOND);
        double boardsUsed = cpuNanos(workers, "boards") - before[0];
        double etlUsed = cpuNanos(workers, "etl") - before[1];
        assertThat(boardsUsed / (boardsUsed + etlUsed)).isBetween(0.48, 0.52);

        waits[0] = false;
        long steadyBefore = nested(workers, "boards", "steady").cpuNanos();
        long waitingBefore = nested(workers, "boards", "waiting").cpuNanos();
        contexts.forEach(context -> context.start(untilItWaits));
        workers.runUntil(1600 * MILLISECOND);
        double steadyUsed = nested(workers, "boards", "steady").cpuNanos() - steadyBefore;
        double waitingUsed = nested(workers, "boards", "waiting").cpuNanos() - waitingBefore;
        assertThat(waitingUsed / (steadyUsed + waitingUsed)).isBetween(0.48, 0.52);
    }

    @Test
    void sharesMoveBetweenQueriesOfAClassOnly() {
        SimulatedWorkers workers = workers(TWO_WORKERS);
        SchedulingGroup boards = workers.pool().createGroup("boards", 1000, Urgency.NORMAL);
        SchedulingGroup etl = workers.pool().createGroup("etl", 1000, Urgency.NORMAL);
        SchedulingGroup one = workers.pool().createGroup("one", 1000, boards);
        SchedulingGroup two = workers.pool().createGroup("two", 1000, boards);
        SchedulingGroup other = workers.pool().createGroup("other", 1000, etl);
        assertThatThrownBy(() -> one.transfer(500, other))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("with the parent SchedulingGroup[boards]");
        compute(workers, one, 2);
        compute(workers, two, 8);
        compute(workers, other, 2);
        workers.runUntil(100 * MILLISECOND);
        one.transfer(500, two);
        long oneBefore = nested(workers, "boards", "one").cpuNanos();
        long twoBefore = nested(workers, "boards", "two").cpuNanos();
        workers.runUntil(1100 * MILLISECOND);
        double oneUsed = nested(workers, "boards", "one").cpuNanos() - oneBefore;
        double twoUsed = nested(workers, "boards", "two").cpuNanos() - twoBefore;
        assertThat(oneUsed / (oneUsed + twoUsed)).isBetween(0.24, 0.26);
        assertThat(cpuShare(workers, "boards")).isBetween(0.48, 0.52);
    }

    @Test
    void entitledTimeIsWhatSharesComeTo() {
        SimulatedWorkers workers = workers(TWO_WORKERS);
        SchedulingGroup one = workers.pool().createGroup("one", 1000, Urgency.NORMAL);
        SchedulingGroup three = workers.pool().createGroup("three", 3000, Urgency.NORMAL);
        for (int i = 0; i < 2; i++) {
            workers.pool().createContext("one", one).start(endless(workers));
            workers.pool().createContext("three", three).start(endless(workers));
        }
        workers.runUntil(1000 * MILLISECOND);

        for (GroupStatus group : workers.pool().status().groups()) {
            assertThat((double) group.entitledNanos() / group.cpuNanos())
                    .as(group.name())
                    .isBetween(0.95, 1.05);
        }
    }

    private static SimulatedWorkers workers(FairPoolOptions options) {
        return new SimulatedWorkers(
                options,
                failure -> {
                    throw new IllegalStateException(failure);
                });
    }

    private static WorkUnit endless(SimulatedWorkers workers) {
        return signal -> {
            workers.spend(20 * MICROSECOND);
            return false;
        };
    }

    private static void compute(SimulatedWorkers workers, SchedulingGroup group, int contexts) {
        for (int i = 0; i < contexts; i++) {
            workers.pool().createContext(group.name(), group).start(endless(workers));
        }
    }

    private static GroupStatus nested(SimulatedWorkers workers, String group, String query) {
        return workers.pool().status().groups().stream()
                .filter(status -> status.name().equals(group))
                .flatMap(status -> status.nested().stream())
                .filter(status -> status.name().equals(query))
                .findFirst()
                .orElseThrow();
    }

    /** The part of the processor time of a group that one of its queries used. */
    private static double cpuShare(SimulatedWorkers workers, String group, String query) {
        return (double) nested(workers, group, query).cpuNanos() / cpuNanos(workers, group);
    }

    private static long cpuNanos(SimulatedWorkers workers, String group) {
        return workers.pool().status().groups().stream()
                .filter(status -> status.name().equals(group))
                .mapToLong(GroupStatus::cpuNanos)
                .sum();
    }

    private static double cpuShare(SimulatedWorkers workers, String group) {
        long all = workers.pool().status().groups().stream().mapToLong(GroupStatus::cpuNanos).sum();
        return (double) cpuNanos(workers, group) / all;
    }
}
