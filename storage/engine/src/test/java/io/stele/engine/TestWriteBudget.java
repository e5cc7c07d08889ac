package io.stele.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.wire.WriteBatchBuilder;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

final class TestWriteBudget {
    private static final long LIMIT = 100_000;
    private static final String KILOBYTE = "x".repeat(1_000);
    private static final StorageOptions OPTIONS =
            StorageOptions.DEFAULT
                    .withPendingWrites(LIMIT)
                    .withTransactions(60_000, Duration.ofHours(1));

    private final SimulatedNode node = start();
    private final TestTable table = TestTable.create(node.engine(), "t", Orientation.ROW, true, 2);

    /** Each transaction is within its limit, all together are not. */
    @Test
    void transactionsShareWhatThereIs() {
        String first = begin();
        String second = begin();
        fill(first, 50);
        assertThatThrownBy(() -> fill(second, 50))
                .hasMessageContaining("stele.write.max-pending-size")
                .extracting(failure -> ((SteleException) failure).code())
                .isEqualTo(ErrorCode.BUSY);
        assertThat(node.engine().pendingWriteBytes()).isBetween(50_000L, LIMIT / 4 * 3);

        // Batches still pass, and what ends makes room
        node.await(table.upsert(node.engine(), 1, "here", 1));
        node.await(node.engine().abort(first));
        fill(second, 20);
        node.await(node.commit(second, List.of()));
        assertThat(node.engine().pendingWriteBytes()).isZero();
    }

    @Test
    void transactionThatCanNeverFitIsTooLarge() throws IOException {
        node.restart(OPTIONS.withTransactions(1_000_000, Duration.ofHours(1)));
        String transaction = begin();
        assertThatThrownBy(() -> fill(transaction, 80))
                .extracting(failure -> ((SteleException) failure).code())
                .isEqualTo(ErrorCode.TRANSACTION_TOO_LARGE);
    }

    /** As a put that sends and does not wait. */
    @Test
    void batchesBeyondAreBusy() {
        List<CompletableFuture<?>> writes = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            writes.add(apply(i));
        }
        long refused =
                writes.stream()
                        .filter(
                                write -> {
                                    try {
                                        node.await(write);
                                        return false;
                                    } catch (SteleException e) {
                                        assertThat(e.code()).isEqualTo(ErrorCode.BUSY);
                                        return true;
                                    }
                                })
                        .count();
        assertThat(refused).isBetween(200L, 205L);
        assertThat(node.engine().pendingWriteBytes()).isZero();
        node.await(apply(1));
    }

    /** Nothing is left of it after any end that a write can have. */
    @Test
    void everythingIsGivenBack() {
        Random random = new Random(Long.getLong("simulation.seed", 7));
        for (int round = 0; round < 200; round++) {
            Optional<Lsn> readLsn =
                    random.nextBoolean() ? Optional.of(node.readPoint().lsn()) : Optional.empty();
            String transaction = node.engine().beginTransaction(table.id(), readLsn);
            List<CompletableFuture<?>> ends = new ArrayList<>();
            try {
                fill(transaction, random.nextInt(80)); // too many at times
            } catch (SteleException tooLarge) {
                assertThat(tooLarge.code()).isEqualTo(ErrorCode.TRANSACTION_TOO_LARGE);
            }
            ends.add(apply(random.nextInt(50))); // a conflict at times
            ends.add(node.engine().apply(table.shard(1), UUID.randomUUID(), 0, new byte[9], 0, 9));
            switch (random.nextInt(4)) {
                case 0 -> ends.add(node.commit(transaction, List.of()));
                case 1 -> ends.add(node.engine().abort(transaction));
                case 2 -> {
                    ends.add(node.commit(transaction, List.of()));
                    ends.add(node.engine().abort(transaction));
                }
                default -> node.tick(Duration.ofHours(2).toMillis()); // its client is gone
            }
            for (CompletableFuture<?> end : ends) {
                try {
                    node.await(end);
                } catch (SteleException failed) {
                    assertThat(failed.code()).isNotEqualTo(ErrorCode.INTERNAL);
                }
            }
            assertThat(node.engine().pendingWriteBytes()).as("round %s", round).isZero();
        }
    }

    private String begin() {
        return node.engine().beginTransaction(table.id(), Optional.empty());
    }

    private void fill(String transaction, int rows) {
        for (int id = 0; id < rows; id++) {
            WriteBatchBuilder batch = batch(id);
            node.engine()
                    .stage(transaction, table.shard(id), batch.toByteArray(), 0, batch.sizeBytes());
        }
    }

    private CompletableFuture<?> apply(int id) {
        WriteBatchBuilder batch = batch(id);
        return node.engine()
                .apply(
                        table.shard(id),
                        UUID.randomUUID(),
                        0,
                        batch.toByteArray(),
                        0,
                        batch.sizeBytes());
    }

    private WriteBatchBuilder batch(int id) {
        WriteBatchBuilder batch = table.batch();
        batch.upsert(table.key(id), table.row(id, KILOBYTE, 0));
        return batch;
    }

    private static SimulatedNode start() {
        try {
            return SimulatedNode.start(OPTIONS, 11);
        } catch (IOException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
