package io.stele.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Workloads over a node that dies after random writes to its store or log, for many seeds; each
 * failure names the seed.
 *
 * <pre>
 * -Dsimulation.seed=N          one seed only
 * -Dsimulation.seeds=N         that many, from 0
 * -Dsimulation.minutes=M       as many as fit, from a seed of the clock's
 * -Dsimulation.workloads=a,b   these of {@link Workloads}, instead of those that the seed picks
 * </pre>
 */
class EngineSimulation {
    private static final int SEEDS = 40;

    @Test
    void nothingAcknowledgedIsLostAndNothingIsHalfDone() {
        Long only = Long.getLong("simulation.seed");
        if (only != null) {
            run(only);
            return;
        }
        Long minutes = Long.getLong("simulation.minutes");
        if (minutes != null) {
            runFor(Duration.ofMinutes(minutes));
            return;
        }
        int count = Integer.getInteger("simulation.seeds", SEEDS);
        int crashes = 0;
        int logFailures = 0;
        int damages = 0;
        int fullDisks = 0;
        int givenUp = 0;
        long acknowledged = 0;
        for (int seed = 0; seed < count; seed++) {
            Simulation simulation = run(seed);
            crashes += simulation.crashes();
            logFailures += simulation.logFailures();
            damages += simulation.damages();
            fullDisks += simulation.fullDisks();
            givenUp += simulation.givenUp();
            acknowledged += simulation.acknowledged();
        }
        // A simulation in which nothing crashes or nothing gets through proves nothing.
        assertThat(crashes).isGreaterThan(count);
        assertThat(logFailures).isGreaterThanOrEqualTo(count / 20);
        assertThat(damages).isGreaterThan(count / 4);
        // Few of them, since gates hold writes back before a disk is full
        assertThat(fullDisks).isGreaterThanOrEqualTo(count / 30);
        assertThat(givenUp).isGreaterThanOrEqualTo(count / 40);
        assertThat(acknowledged).isGreaterThan(count * 20L);
    }

    @Test
    void oneSeedIsOneHistory() {
        for (long seed = 1000; seed < 1003; seed++) {
            assertThat(run(seed).traceHash()).as("seed %s", seed).isEqualTo(run(seed).traceHash());
        }
        assertThat(run(1000).traceHash()).isNotEqualTo(run(1001).traceHash());
    }

    private static void runFor(Duration time) {
        long first = System.currentTimeMillis();
        long end = System.nanoTime() + time.toNanos();
        long seed = first;
        while (System.nanoTime() < end) {
            run(seed++);
        }
        System.out.printf("Simulated %d seeds, from %d on%n", seed - first, first);
    }

    private static Simulation run(long seed) {
        String named = System.getProperty("simulation.workloads", "");
        List<String> names = named.isEmpty() ? List.of() : Arrays.asList(named.split(","));
        try {
            Simulation simulation = new Simulation(seed, names);
            simulation.run();
            return simulation;
        } catch (IOException | RuntimeException | AssertionError failed) {
            throw new AssertionError(
                    "Failed; to see it again: bin/stele simulate --seed "
                            + seed
                            + (named.isEmpty() ? "" : " --workloads " + named)
                            + "\n"
                            + failed,
                    failed);
        }
    }
}
