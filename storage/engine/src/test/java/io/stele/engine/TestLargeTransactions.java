package io.stele.engine;

import static io.stele.engine.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.node.StorageOptions;
import io.stele.engine.transaction.Decision;
import io.stele.engine.wal.LogOptions;
import io.stele.objectstore.StoreFaults;
import io.stele.objectstore.fault.CrashPoint;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.wire.OperationKind;
import io.stele.protocol.wire.WriteBatchBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Transactions whose records are larger than the log takes, with small limits. */
class TestLargeTransactions {
    private static final int RECORD_BYTES = 20_000;
    private static final int TRANSACTION_BYTES = 200_000;
    private static final StorageOptions OPTIONS =
            StorageOptions.DEFAULT
                    .withLog(new LogOptions(64 << 10, 8 << 10, 1 << 20, RECORD_BYTES))
                    .withMemTables(1 << 20, 1 << 30, Duration.ofHours(1))
                    .withTransactions(TRANSACTION_BYTES, Duration.ofHours(1))
                    .withOnePhase(0);

    private final SimulatedNode node = start(OPTIONS);
    private final TestTable table = TestTable.create(node.engine(), "t", Orientation.ROW, true, 1);

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aPartLargerThanARecordIsCommittedWhole(boolean flushed) throws IOException {
        Map<Long, String> expected = new TreeMap<>();
        String transaction = begin();
        for (long id = 0; id < 45; id++) {
            stage(transaction, id, "x".repeat(4_000));
            expected.put(id, "x".repeat(4_000) + ":" + id);
        }
        node.await(node.commit(transaction, List.of()));
        node.await(table.upsert(node.engine(), 100, "later", 100));
        expected.put(100L, "later:100");
        if (flushed) {
            node.await(node.engine().flush(table.id()));
            node.tick(1_000); // trims the log
        }
        assertThat(rows()).isEqualTo(expected);
        assertThat(node.engine().status().openTransactions()).isZero();
        node.restart();
        assertThat(rows()).isEqualTo(expected);
    }

    @Test
    void aPartOfSeveralRecordsIsThereWhollyOrNotAtAllWhereverTheProcessDies() {
        int there = 0;
        int runs = 0;
        boolean died = true;
        for (long operation = 1; died; operation++) {
            assertThat(operation).as("operations of a commit").isLessThan(500);
            SimulatedNode mortal = start(OPTIONS);
            TestTable rows = TestTable.create(mortal.engine(), "t", Orientation.ROW, true, 2);
            died = diesWhileCommitting(mortal, rows, operation);
            try {
                mortal.restart();
                Map<Long, String> found = rows.snapshot(mortal.engine(), mortal.openSnapshot());
                assertThat(found).as("dies at %s", operation).size().isIn(0, 45);
                there += found.isEmpty() ? 0 : 1;
                runs++;
                // what was prepared does not hold the log
                mortal.await(rows.upsert(mortal.engine(), 200, "after", 1));
                mortal.await(mortal.engine().flush(rows.id()));
            } catch (IOException failed) {
                throw new UncheckedIOException(failed);
            }
        }
        assertThat(there).isBetween(1, runs - 5);
    }

    private static boolean diesWhileCommitting(
            SimulatedNode mortal, TestTable rows, long operation) {
        try {
            CrashPoint crash = CrashPoint.after(operation);
            mortal.restart(crash, StoreFaults.NONE);
            String transaction = mortal.engine().beginTransaction(rows.id(), Optional.empty());
            for (long id = 0; id < 45; id++) {
                stage(mortal, rows, transaction, id, "x".repeat(4_000));
            }
            CompletableFuture<Lsn> done = mortal.commit(transaction, List.of());
            for (int i = 0; i < 100_000 && !done.isDone() && !crash.crashed(); i++) {
                if (!mortal.pool().runOne()) {
                    mortal.tick(500);
                }
            }
            return crash.crashed();
        } catch (IOException | SteleException dead) {
            return true;
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {10, 45})
    void conditionalChangesOfLargeRowsFitOrAreRefusedBeforeTheyAreDecided(int count)
            throws IOException {
        Map<Long, String> expected = new TreeMap<>();
        for (long id = 0; id < 60; id++) {
            node.await(table.upsert(node.engine(), id, "y".repeat(4_000), id));
            expected.put(id, "y".repeat(4_000) + ":" + id);
        }
        String transaction = begin();
        for (long id = 0; id < count; id++) {
            stageUpdate(transaction, id, 1_000 + id);
            expected.put(id, "y".repeat(4_000) + ":" + (1_000 + id));
        }
        node.await(node.commit(transaction, List.of()));
        assertThat(rows()).isEqualTo(expected);

        String larger = begin();
        for (long id = 0; id < 60; id++) {
            stageUpdate(larger, id, 2_000 + id);
        }
        assertRefused(
                ErrorCode.TRANSACTION_TOO_LARGE, () -> node.await(node.commit(larger, List.of())));
        assertRefused(
                ErrorCode.TRANSACTION_NOT_FOUND, () -> node.await(node.commit(larger, List.of())));
        assertThat(node.engine().status().openTransactions()).isZero();
        assertThat(rows()).isEqualTo(expected);
        node.await(table.upsert(node.engine(), 70, "goes on", 1));
        expected.put(70L, "goes on:1");
        node.restart();
        assertThat(rows()).isEqualTo(expected);
    }

    @Test
    void aDecidedTransactionIsResolvedAtAStartWhateverItComesTo() throws IOException {
        Map<Long, String> expected = new TreeMap<>();
        for (long id = 0; id < 45; id++) {
            node.await(table.upsert(node.engine(), id, "y".repeat(4_000), id));
            expected.put(id, "y".repeat(4_000) + ":" + (1_000 + id));
        }
        String transaction = begin();
        for (long id = 0; id < 45; id++) {
            stageUpdate(transaction, id, 1_000 + id);
        }
        CompletableFuture<Lsn> commit = node.commit(transaction, List.of());
        while (node.store().list(Decision.path(transaction)).isEmpty()) {
            assertThat(commit).isNotDone();
            node.pool().runOne();
        }
        // A node with a smaller limit starts on it, twice
        node.restart(OPTIONS.withTransactions(1_000, Duration.ofHours(1)));
        assertThat(rows()).isEqualTo(expected);
        node.restart();
        assertThat(rows()).isEqualTo(expected);
    }

    @Test
    void aBatchLargerThanARecordIsRefusedAndLeavesNothing() throws IOException {
        String transaction = begin();
        stage(transaction, 1, "small");
        stage(transaction, 2, "x".repeat(RECORD_BYTES));
        assertRefused(
                ErrorCode.TRANSACTION_TOO_LARGE,
                () -> node.await(node.commit(transaction, List.of())));
        assertRefused(
                ErrorCode.TRANSACTION_NOT_FOUND,
                () -> node.await(node.commit(transaction, List.of())));
        assertThat(node.engine().status().openTransactions()).isZero();
        assertThat(rows()).isEmpty();
    }

    private String begin() {
        return node.engine().beginTransaction(table.id(), Optional.empty());
    }

    private void stage(String transaction, long id, String name) {
        stage(node, table, transaction, id, name);
    }

    private void stageUpdate(String transaction, long id, long amount) {
        WriteBatchBuilder batch = table.batch();
        table.update(batch, OperationKind.UPDATE, id, Optional.empty(), amount);
        node.engine()
                .stage(transaction, table.shard(id), batch.toByteArray(), 0, batch.sizeBytes());
    }

    private static void stage(
            SimulatedNode node, TestTable table, String transaction, long id, String name) {
        WriteBatchBuilder batch = table.batch();
        batch.upsert(table.key(id), table.row(id, name, id));
        node.engine()
                .stage(transaction, table.shard(id), batch.toByteArray(), 0, batch.sizeBytes());
    }

    private Map<Long, String> rows() throws IOException {
        return table.snapshot(node.engine(), node.openSnapshot());
    }

    private static SimulatedNode start(StorageOptions options) {
        try {
            return SimulatedNode.start(options, 1);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
