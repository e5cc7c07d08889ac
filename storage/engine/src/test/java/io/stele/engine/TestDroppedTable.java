package io.stele.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.node.StorageOptions;
import io.stele.protocol.Lsn;
import io.stele.protocol.schema.Orientation;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a table leaves behind that is dropped while its flushes and compactions are at work. */
class TestDroppedTable {
    private static final int SEEDS = 20;
    private static final int TASK_LIMIT = 10_000;

    @ParameterizedTest
    @EnumSource(Orientation.class)
    void leavesNoWork(Orientation orientation) throws IOException {
        for (int seed = 0; seed < SEEDS; seed++) {
            SimulatedNode node =
                    SimulatedNode.start(
                            StorageOptions.DEFAULT.withMemTables(
                                    2048, 1 << 20, Duration.ofMinutes(1)),
                            seed);
            TestTable table = TestTable.create(node.engine(), "t", orientation, true, 1);
            List<CompletableFuture<Lsn>> writes = new ArrayList<>();
            for (int id = 0; id < 200; id++) {
                writes.add(table.upsert(node.engine(), id, "name", id));
            }
            // Somewhere among writes, flushes, compactions and manifests.
            for (int ran = 0; ran < 20 * seed; ran++) {
                node.pool().runOne();
            }

            node.engine().catalog().dropTable(table.id());
            node.pool().runUntilIdle(TASK_LIMIT);
            node.tick(500);
            node.tick(500);

            assertThat(node.pool().waitingTasks()).as("seed %s", seed).isZero();
            assertThat(node.engine().status().memTableBytes()).as("seed %s", seed).isZero();
            assertThat(writes).allMatch(CompletableFuture::isDone);
            assertThat(node.uncaught()).isEmpty();
        }
    }
}
