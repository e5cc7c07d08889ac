package io.stele.engine;

import static io.stele.engine.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.node.StorageOptions;
import io.stele.engine.wal.LogOptions;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.wire.OperationKind;
import io.stele.protocol.wire.WriteBatchBuilder;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A log whose disk is smaller than what is written: writes wait while flushes make room, and a
 * start on a full disk goes the same way. A log that runs into the limit would fail.
 */
class TestFullLogDisk {
    private static final int RESERVED_BYTES = 20 << 10;
    private static final int DISK_BYTES = 300_000;
    private static final int ROW_BYTES = 4_000;
    private static final int ROWS = 200; // of 800 kB

    private static SimulatedNode start(int segmentBytes) throws IOException {
        return start(segmentBytes, StorageOptions.DEFAULT.onePhaseBytes());
    }

    private static SimulatedNode start(int segmentBytes, long onePhaseBytes) throws IOException {
        return SimulatedNode.start(
                StorageOptions.DEFAULT
                        .withLog(
                                new LogOptions(
                                        segmentBytes,
                                        8 << 10,
                                        1 << 20,
                                        20_000,
                                        RESERVED_BYTES,
                                        Duration.ZERO))
                        // memtables that neither age nor size would flush
                        .withMemTables(1 << 20, 1 << 30, Duration.ofHours(1))
                        .withTransactions(500_000, Duration.ofHours(1))
                        .withOnePhase(onePhaseBytes),
                7);
    }

    private static List<CompletableFuture<?>> write(
            SimulatedNode node, TestTable table, int from, int to) {
        List<CompletableFuture<?>> written = new ArrayList<>();
        for (int id = from; id < to; id++) {
            written.add(table.upsert(node.engine(), id, "x".repeat(ROW_BYTES), id));
        }
        return written;
    }

    private static void checkRows(SimulatedNode node, TestTable table, int count)
            throws IOException {
        assertThat(table.snapshot(node.engine(), node.openSnapshot())).hasSize(count);
        assertThat(node.log().overflows()).isZero();
        assertThat(node.uncaught()).isEmpty();
        assertThat(node.engine().status().failedShards()).isEmpty();
    }

    /** Small segments, and one that would hold more than the disk. */
    @ParameterizedTest
    @ValueSource(ints = {16 << 10, 10 << 20})
    void writesWaitForFlushesThatMakeRoom(int segmentBytes) throws IOException {
        SimulatedNode node = start(segmentBytes);
        TestTable table = TestTable.create(node.engine(), "t", Orientation.ROW, true, 2);
        node.log().setMaxBytes(DISK_BYTES);
        List<CompletableFuture<?>> written = write(node, table, 0, ROWS);
        for (CompletableFuture<?> write : written) {
            node.await(write);
        }
        checkRows(node, table, ROWS);
        node.restart();
        checkRows(node, table, ROWS);
    }

    /** What a start replays fills the disk: the first write would have ended it again. */
    @ParameterizedTest
    @ValueSource(ints = {16 << 10, 10 << 20})
    void aStartOnAFullDiskServesAndGoesOn(int segmentBytes) throws IOException {
        SimulatedNode node = start(segmentBytes);
        TestTable table = TestTable.create(node.engine(), "t", Orientation.COLUMN, true, 2);
        for (CompletableFuture<?> write : write(node, table, 0, 50)) {
            node.await(write);
        }
        for (int start = 0; start < 3; start++) {
            node.restart();
            node.log().setMaxBytes(node.log().sizeBytes() + RESERVED_BYTES + 500);
            CompletableFuture<?> write =
                    table.upsert(node.engine(), 50 + start, "x".repeat(ROW_BYTES), 1);
            while (node.pool().runOne()) {
                // without time, there is no flush
            }
            assertThat(write).as("start %s", start).isNotDone();
            assertThat(node.engine().status().log().space().isFull()).isTrue();
            assertThat(table.snapshot(node.engine(), node.openSnapshot())).hasSize(50);
        }
        CompletableFuture<?> write = table.upsert(node.engine(), 60, "x".repeat(ROW_BYTES), 1);
        node.await(write);
        assertThat(node.engine().status().log().space().isFull()).isFalse();
        assertThat(node.log().overflows()).isZero();
    }

    /** It passes no gate, and would keep the log from all others. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aCommitWithoutRoomIsBusyAndMayBeRepeated(boolean isRoomMade) throws IOException {
        SimulatedNode node = start(16 << 10);
        TestTable table = TestTable.create(node.engine(), "t", Orientation.ROW, true, 1);
        for (CompletableFuture<?> write : write(node, table, 0, 20)) {
            node.await(write);
        }
        node.log().setMaxBytes(DISK_BYTES);
        String transaction = node.engine().beginTransaction(table.id(), Optional.empty());
        for (int id = 100; id < 140; id++) {
            WriteBatchBuilder batch = table.batch();
            batch.upsert(table.key(id), table.row(id, "x".repeat(ROW_BYTES), id));
            node.engine()
                    .stage(transaction, table.shard(id), batch.toByteArray(), 0, batch.sizeBytes());
        }
        assertRefused(ErrorCode.BUSY, () -> node.await(node.commit(transaction, List.of())));
        assertThat(node.engine().status().openTransactions()).isOne();
        if (isRoomMade) {
            node.await(node.engine().flush(table.id()));
            node.tick(1_000); // trims the log
            node.await(node.commit(transaction, List.of()));
            checkRows(node, table, 60);
        } else {
            node.await(node.engine().abort(transaction));
            CompletableFuture<Lsn> empty =
                    node.commit(
                            node.engine().beginTransaction(table.id(), Optional.empty()),
                            List.of());
            node.await(empty);
            checkRows(node, table, 20);
        }
    }

    /**
     * The rows of a transaction that was decided before a crash are in memory at the start, and may
     * be flushed before the log has space for its end. The start after that finds it open again.
     */
    @Test
    void aTransactionThatIsEndedByTwoStartsIsThereOnce() throws IOException {
        SimulatedNode node = start(16 << 10, 0);
        TestTable table = TestTable.create(node.engine(), "t", Orientation.ROW, true, 1);
        node.await(table.upsert(node.engine(), 1, "before", 1));
        String transaction = node.engine().beginTransaction(table.id(), Optional.empty());
        WriteBatchBuilder batch = table.batch();
        table.insert(batch, OperationKind.INSERT, 2, "new", 2);
        node.engine().stage(transaction, table.shard(2), batch.toByteArray(), 0, batch.sizeBytes());
        node.runUntilDecided(transaction, node.commit(transaction, List.of()));
        SimulatedNode next =
                node.fork((store, log) -> log.setMaxBytes(log.sizeBytes() + RESERVED_BYTES / 4));
        next.await(next.engine().flush(table.id()));
        assertThat(next.engine().status().log().queuedBytes()).as("its end waits").isPositive();
        for (int start = 0; start < 2; start++) {
            next.restart();
            assertThat(next.engine().status().damages()).isEmpty();
            assertThat(table.snapshot(next.engine(), next.openSnapshot()))
                    .containsExactlyEntriesOf(new TreeMap<>(Map.of(1L, "before:1", 2L, "new:2")));
        }
        next.await(next.engine().compact(table.id()));
        assertThat(table.snapshot(next.engine(), next.openSnapshot())).hasSize(2);
    }
}
