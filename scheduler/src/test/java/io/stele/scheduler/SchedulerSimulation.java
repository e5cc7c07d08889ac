package io.stele.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random submissions, cancellations, joins, transfers of shares, and nested groups that come and
 * go, on random numbers of workers, in virtual time; {@link RandomSchedule} says what must hold.
 * {@code -Dsimulation.seed=N} replays one seed, {@code -Dsimulation.seeds=N} runs that many.
 */
class SchedulerSimulation {
    private static final int SEEDS = Integer.getInteger("simulation.seeds", 120);

    static LongStream seeds() {
        Long only = Long.getLong("simulation.seed");
        return only != null ? LongStream.of(only) : LongStream.range(0, SEEDS);
    }

    @ParameterizedTest(name = "-Dsimulation.seed={0}")
    @MethodSource("seeds")
    void everyTaskRunsOnceOrIsCancelled(long seed) {
        RandomSchedule schedule = new RandomSchedule(seed);
        schedule.run();
        assertThat(schedule.tasksSubmitted()).as("tasks of seed %d", seed).isGreaterThan(100);
    }
}
