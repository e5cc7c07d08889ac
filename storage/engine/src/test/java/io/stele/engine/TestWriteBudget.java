package io.stele.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.engine.node.StorageOptions;
import io.stele.engine.node.WriteRoom;
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

    /** As bytes of a client that become a batch: they count from their announcement, and once. */
    @Test
    void batchesTakeOverWhatTheirBytesHeld() {
        byte[] batch = batch(1).toByteArray();
        WriteRoom room = node.engine().writeRoom();
        assertThat(room.grow(40_000, 0)).isEmpty();
        CompletableFuture<?> write = apply(1, batch, room);
        assertThat(node.engine().pendingWriteBytes()).isEqualTo(40_000);
        room.close();
        assertThat(node.engine().pendingWriteBytes()).isEqualTo(batch.length);
        node.await(write);
        assertThat(node.engine().pendingWriteBytes()).isZero();
        room.close();
        assertThat(room.grow(1_000, 0)).isEmpty(); // its client has gone
        assertThat(node.engine().pendingWriteBytes()).isZero();
    }

    @Test
    void stagedRowsTakeOverWhatTheirBytesHeld() {
        String transaction = begin();
        WriteRoom room = node.engine().writeRoom();
        byte[] batch = batch(1).toByteArray();
        assertThat(room.grow(90_000, 0)).isEmpty();
        stage(transaction, batch, room);
        assertThat(node.engine().pendingWriteBytes()).isEqualTo(90_000);
        assertThat(room.exchange(90_000 - batch.length, 10)).isEmpty();
        stage(transaction, batch, room); // the room has less than it needs
        assertThat(node.engine().pendingWriteBytes()).isEqualTo(2 * batch.length);
        node.await(node.commit(transaction, List.of()));
        assertThat(node.engine().pendingWriteBytes()).isZero();
    }

    @Test
    void receivedBytesBeyondAreBusyButOneClientAlonePasses() {
        WriteRoom large = node.engine().writeRoom();
        assertThat(large.grow(90_000, 0)).isEmpty();
        WriteRoom other = node.engine().writeRoom();
        assertThat(other.grow(20_000, 0).orElseThrow().code()).isEqualTo(ErrorCode.BUSY);
        assertThat(large.grow(20_000, 90_000)).isEmpty(); // it would wait for ever
        assertThat(other.grow(1, 0).orElseThrow()).hasMessageContaining("max-pending-size");
        byte[] batch = batch(1).toByteArray();
        assertThatThrownBy(() -> node.await(apply(1, batch, other)))
                .extracting(failure -> ((SteleException) failure).code())
                .isEqualTo(ErrorCode.BUSY);
        CompletableFuture<?> write = apply(1, batch, large);
        large.close();
        node.await(write);
        assertThat(other.grow(20_000, 0)).isEmpty();
        other.close();
        assertThat(node.engine().pendingWriteBytes()).isZero();
    }

    /** In their order, and none holds what it waits for. */
    @Test
    void clientsGoOnWhenThereIsRoom() {
        List<String> resumed = new ArrayList<>();
        WriteRoom full = node.engine().writeRoom();
        WriteRoom first = node.engine().writeRoom();
        WriteRoom second = node.engine().writeRoom();
        WriteRoom gone = node.engine().writeRoom();
        WriteRoom third = node.engine().writeRoom();
        assertThat(first.mayReceive(1_000, () -> resumed.add("first"))).isTrue();
        assertThat(full.grow(LIMIT, 0)).isEmpty();
        assertThat(full.hasRoomFor(1)).isFalse();
        assertThat(first.mayReceive(5_000, () -> resumed.add("first"))).isFalse();
        assertThat(second.mayReceive(20_000, () -> resumed.add("second"))).isFalse();
        assertThat(gone.mayReceive(1, () -> resumed.add("gone"))).isFalse();
        assertThat(third.mayReceive(1_000, () -> resumed.add("third"))).isFalse();
        gone.close();
        assertThat(node.engine().pendingWriteBytes()).isEqualTo(LIMIT);
        full.shrink(4_999);
        assertThat(resumed).isEmpty();
        full.shrink(1);
        assertThat(resumed).containsExactly("first");
        full.shrink(14_999);
        assertThat(resumed).containsExactly("first");
        full.shrink(1_001);
        assertThat(resumed).containsExactly("first", "second", "third");
        full.close();
        assertThat(resumed).hasSize(3);
        assertThat(node.engine().pendingWriteBytes()).isZero();
    }

    /** Else a client could wait for the end of a transaction that it has to send more for. */
    @Test
    void clientsDoNotWaitForStagedRows() {
        List<String> resumed = new ArrayList<>();
        String transaction = begin();
        fill(transaction, 55);
        WriteRoom room = node.engine().writeRoom();
        assertThat(room.mayReceive(50_000, () -> resumed.add("room"))).isTrue();
        WriteRoom other = node.engine().writeRoom();
        assertThat(other.grow(20_000, 0)).isEmpty();
        assertThat(room.mayReceive(50_000, () -> resumed.add("room"))).isFalse();
        other.close();
        assertThat(resumed).containsExactly("room");
        assertThat(room.grow(50_000, 0).orElseThrow().code()).isEqualTo(ErrorCode.BUSY);
        node.await(node.engine().abort(transaction));
        assertThat(node.engine().pendingWriteBytes()).isZero();
    }

    /** Nothing is left of it after any end that a write can have. */
    @Test
    void everythingIsGivenBack() {
        Random random = new Random(Long.getLong("simulation.seed", 7));
        for (int round = 0; round < 200; round++) {
            Optional<Lsn> readLsn =
                    random.nextBoolean()
                            ? Optional.of(node.openSnapshot().lsn())
                            : Optional.empty();
            String transaction = node.engine().beginTransaction(table.id(), readLsn);
            List<CompletableFuture<?>> ends = new ArrayList<>();
            try {
                fill(transaction, random.nextInt(80)); // too many at times
            } catch (SteleException tooLarge) {
                assertThat(tooLarge.code()).isEqualTo(ErrorCode.TRANSACTION_TOO_LARGE);
            }
            ends.add(apply(random.nextInt(50))); // a conflict at times
            WriteRoom room = node.engine().writeRoom();
            room.grow(random.nextInt(5_000), 0);
            ends.add(apply(1, batch(1).toByteArray(), room));
            if (random.nextBoolean()) {
                room.close(); // else at the end
            }
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
            room.close();
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

    private CompletableFuture<?> apply(int id, byte[] batch, WriteRoom room) {
        return node.engine()
                .apply(table.shard(id), UUID.randomUUID(), 0, batch, 0, batch.length, room);
    }

    private void stage(String transaction, byte[] batch, WriteRoom room) {
        node.engine()
                .stage(transaction, Optional.empty(), table.shard(1), batch, 0, batch.length, room);
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
