package io.stele.storage.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.wire.WriteBatchBuilder;
import io.stele.storage.objectstore.StoreFaults;
import io.stele.storage.wal.LogOptions;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * Writes that were slowed down come into a log that a transaction holds, whose decision the store
 * does not give: none of the threads for short tasks waits for room, as the decision may be behind
 * it.
 */
final class TestWaitingTasks {
    private static final int QUEUE_BYTES = 1 << 14;
    private static final StorageOptions OPTIONS =
            StorageOptions.DEFAULT
                    .withMemTables(1 << 20, 1 << 16, Duration.ofHours(10))
                    .withLog(
                            new LogOptions(
                                    1 << 20, 1 << 16, QUEUE_BYTES, 1 << 16, Duration.ZERO));

    private final SimulatedNode node = SimulatedNode.start(OPTIONS, 5);
    private final TestTable table = TestTable.create(node.engine(), "t", Orientation.ROW, true, 1);

    TestWaitingTasks() throws IOException {}

    @Test
    void noTaskWaitsForRoomInAHeldLog() throws IOException {
        for (long id = 0; id < 58; id++) {
            node.await(table.upsert(node.engine(), id, "x".repeat(1_000), id));
        }
        node.store().setFaults(StoreFaults.OUTAGE); // no flush comes to an end
        node.tick(500);
        assertThat(node.engine().status().gates().state()).as("slow").isPositive();
        String transaction = node.engine().beginTransaction(table.id(), Optional.empty());
        WriteBatchBuilder batch = table.batch();
        batch.upsert(table.key(1), table.row(1, "transaction", 1));
        ShardId shard = table.schema().shard(0);
        node.engine().stage(transaction, shard, batch.toByteArray(), 0, batch.sizeBytes());
        CompletableFuture<Lsn> commit = node.commit(transaction, List.of());
        node.tick(500);
        List<CompletableFuture<Lsn>> writes = new ArrayList<>();
        for (long id = 100; id < 140; id++) {
            writes.add(table.upsert(node.engine(), id, "x".repeat(1_000), id));
        }
        for (int tick = 0; tick < 10; tick++) {
            node.tick(500);
        }
        assertThat(commit).isNotDone();
        assertThat(node.engine().status().log().heldBytes()).isGreaterThan(QUEUE_BYTES / 2);
        assertThat(writes).anyMatch(write -> !write.isDone());
        assertThat(node.waits()).isEmpty();
        node.store().setFaults(StoreFaults.NONE);
        node.await(commit);
    }
}
