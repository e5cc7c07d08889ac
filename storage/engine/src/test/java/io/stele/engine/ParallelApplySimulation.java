package io.stele.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.shard.apply.ApplyOptions;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * Every kind of workload on shards whose log is always applied by several workers, each in its own
 * time, over crashes and faults of the store: rows, transactions, deletions of partitions, changes
 * of columns and of indexes. The oracle of each is a serial history, so what is read at any LSN
 * must be what one after the other would have left.
 *
 * <p>{@code -Dsimulation.seed=N} runs one seed, {@code -Dsimulation.seeds=N} that many over all
 * workloads.
 */
class ParallelApplySimulation {
    private static final int SEEDS = 3; // of each workload, at least

    private static final List<String> WORKLOADS =
            List.of(
                    "row-changes",
                    "column-changes",
                    "row-column-changes",
                    "appends",
                    "batches",
                    "transfers",
                    "indexes",
                    "row-conditional",
                    "column-unique",
                    "unique-builds",
                    "row-partition-deletes",
                    "column-partition-deletes",
                    "append-partition-deletes",
                    "column-expiry",
                    "column-evolution",
                    "append-evolution");

    @ParameterizedTest
    @FieldSource("WORKLOADS")
    void workersGiveWhatOneAfterTheOtherGives(String workload) {
        Long only = Long.getLong("simulation.seed");
        int seeds = Math.max(SEEDS, Integer.getInteger("simulation.seeds", 0) / WORKLOADS.size());
        long acknowledged = 0;
        for (long seed = 0; seed < seeds && only == null; seed++) {
            acknowledged += run(workload, seed);
        }
        if (only != null) {
            acknowledged = run(workload, only);
        }
        assertThat(acknowledged).isPositive();
    }

    private static long run(String workload, long seed) {
        int workers = 2 + (int) (seed % 3);
        ApplyOptions apply = new ApplyOptions(workers, workers, 0, 1);
        try {
            Simulation simulation =
                    new Simulation(seed, List.of(workload), options -> options.withApply(apply));
            simulation.run();
            return simulation.acknowledged();
        } catch (IOException | RuntimeException | AssertionError failed) {
            throw new AssertionError(
                    "Failed with %d apply workers; again: -Dtest=ParallelApplySimulation -Dsimulation.seed=%d (%s)%n%s"
                            .formatted(workers, seed, workload, failed),
                    failed);
        }
    }
}
