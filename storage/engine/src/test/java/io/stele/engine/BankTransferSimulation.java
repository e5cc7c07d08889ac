package io.stele.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * Money moves between accounts in many shards, by transactions, while the node fails and dies; an
 * auditor comes at any time and looks at the accounts at the present or at any LSN of the past
 * minutes. The sum is always the same: a transaction is visible in all shards or in none, at every
 * snapshot, whatever was flushed, compacted or lost since.
 *
 * <p>{@code -Dsimulation.seed=N} replays one seed, {@code -Dsimulation.seeds=N} runs that many. The
 * workload is {@link TransfersWorkload}, which {@link EngineSimulation} runs beside others.
 */
class BankTransferSimulation {
    private static final int SEEDS = 25;
    private static final Duration RETENTION = Duration.ofMinutes(3);

    @Test
    void theSumIsTheSameAtEverySnapshot() {
        Long only = Long.getLong("simulation.seed");
        int count = only != null ? 1 : Integer.getInteger("simulation.seeds", SEEDS);
        long acknowledged = 0;
        long audits = 0;
        long pastAudits = 0;
        for (int i = 0; i < count; i++) {
            TransfersWorkload bank = run(only != null ? only : i);
            acknowledged += bank.acknowledged();
            audits += bank.audits();
            pastAudits += bank.pastAudits();
        }
        // A bank where nothing moves, and one that nobody looks at, prove nothing.
        assertThat(acknowledged).isGreaterThan(count * 10L);
        assertThat(audits).isGreaterThan(count * 10L);
        assertThat(pastAudits).isGreaterThan(count * 10L);
    }

    private static TransfersWorkload run(long seed) {
        try {
            Simulation simulation =
                    new Simulation(seed, List.of("transfers"), Optional.of(RETENTION));
            simulation.run();
            return (TransfersWorkload) simulation.workload();
        } catch (IOException | RuntimeException | AssertionError failed) {
            throw new AssertionError(
                    "Failed with -Dsimulation.seed=" + seed + ": " + failed, failed);
        }
    }
}
