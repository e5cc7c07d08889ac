package io.stele.engine;

import static io.stele.engine.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.node.StorageOptions;
import io.stele.engine.scan.RowCursor;
import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.engine.transaction.Decision;
import io.stele.objectstore.ObjectEntry;
import io.stele.objectstore.StoreFaults;
import io.stele.objectstore.fault.CrashPoint;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import io.stele.protocol.row.KeyEncoder;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.wire.OperationKind;
import io.stele.protocol.wire.WriteBatchBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Transactions of rows, which commit by one append to the log. */
class TestOnePhaseCommits {
    private static final int KEYS = 12; // in all shards of a table
    private static final int SHARDS = 3;
    private static final int SEEDS = 40;
    private static final StorageOptions OPTIONS =
            StorageOptions.DEFAULT
                    .withMemTables(1 << 20, 1 << 30, Duration.ofHours(1))
                    .withRetention(Duration.ofMinutes(5));

    @ParameterizedTest
    @EnumSource(Orientation.class)
    void nothingButTheLogIsWritten(Orientation orientation) throws IOException {
        SimulatedNode node = start(1);
        TestTable table = create(node, orientation);
        List<ObjectEntry> before = node.store().list("");
        String transaction = begin(node, table, Optional.empty());
        Map<Long, String> expected = new TreeMap<>();
        for (long id = 0; id < KEYS; id++) {
            stage(node, table, transaction, OperationKind.UPSERT, id, "new", id);
            expected.put(id, "new:" + id);
        }
        Lsn lsn = node.await(node.commit(transaction, List.of()));
        assertThat(node.store().list("")).isEqualTo(before);
        assertThat(table.snapshot(node.engine(), node.openSnapshot(lsn))).isEqualTo(expected);
        assertThat(table.snapshot(node.engine(), node.openSnapshot(new Lsn(lsn.value() - 1))))
                .isEmpty();
        node.restart();
        assertThat(table.snapshot(node.engine(), node.openSnapshot())).isEqualTo(expected);
        node.await(node.engine().flush(table.id()));
        node.tick(1_000); // trims the log
        node.restart();
        assertThat(table.snapshot(node.engine(), node.openSnapshot())).isEqualTo(expected);
    }

    /** Commits do not wait for each other's sync, also where there is no key to compare. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void commitsOfAShardShareASync(boolean hasKey) throws IOException {
        int groups = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            SimulatedNode node = start(seed);
            TestTable table = TestTable.create(node.engine(), "t", Orientation.COLUMN, hasKey, 1);
            List<CompletableFuture<Lsn>> commits = new ArrayList<>();
            long before = node.engine().status().log().groups();
            for (long id = 0; id < 20; id++) {
                String transaction = begin(node, table, Optional.empty());
                OperationKind kind = hasKey ? OperationKind.UPSERT : OperationKind.APPEND;
                stage(node, table, transaction, kind, id, "row", id);
                commits.add(node.commit(transaction, List.of()));
            }
            commits.forEach(node::await);
            groups += (int) (node.engine().status().log().groups() - before);
        }
        // Tasks run in any order, also those that write the log
        assertThat(groups).as("groups of 20 commits each").isLessThan(SEEDS * 15);
    }

    @Test
    void rowsWithoutAKeyKeepTheOrderOfTheLog() throws IOException {
        SimulatedNode node = start(1);
        TestTable table = TestTable.create(node.engine(), "t", Orientation.COLUMN, false, 1);
        List<CompletableFuture<Lsn>> commits = new ArrayList<>();
        for (long id = 0; id < KEYS; id++) {
            String transaction = begin(node, table, Optional.empty());
            stage(node, table, transaction, OperationKind.APPEND, id, "row", id);
            commits.add(node.commit(transaction, List.of()));
        }
        commits.forEach(node::await);
        Map<Long, String> rows = table.snapshot(node.engine(), node.openSnapshot());
        assertThat(rows).hasSize(KEYS);
        node.restart();
        assertThat(table.snapshot(node.engine(), node.openSnapshot())).isEqualTo(rows);
        node.await(node.engine().flush(table.id()));
        assertThat(table.snapshot(node.engine(), node.openSnapshot())).isEqualTo(rows);
    }

    /** A commit can be repeated while it is in the log, after the log is trimmed, and later. */
    @Test
    void aRepeatedCommitIsAnsweredWhereverItsOutcomeIs() throws IOException {
        SimulatedNode node = start(1);
        TestTable table = create(node, Orientation.ROW);
        String transaction = begin(node, table, Optional.empty());
        stage(node, table, transaction, OperationKind.UPSERT, 1, "once", 0);
        String session =
                node.engine()
                        .beginSessionTransaction(table.id(), Optional.empty(), Optional.empty());
        stage(node, table, session, OperationKind.UPSERT, 2, "session", 0);
        String open = begin(node, table, Optional.empty());
        stage(node, table, open, OperationKind.UPSERT, 3, "never", 0);
        Lsn lsn = node.await(node.commit(transaction, List.of()));
        node.await(node.commit(session, List.of()));

        assertThat(node.await(node.engine().transactionOutcome(transaction))).isEqualTo(lsn);
        node.restart();
        assertThat(node.await(node.commit(transaction, List.of()))).isEqualTo(lsn);
        assertThat(node.store().list(Decision.FOLDER)).isEmpty();
        node.await(node.engine().flush(table.id()));
        node.tick(1_000);
        assertThat(node.store().list(Decision.FOLDER)).as("outcomes").hasSize(1);
        assertThat(node.await(node.commit(transaction, List.of()))).isEqualTo(lsn);
        node.restart();
        assertThat(node.await(node.commit(transaction, List.of()))).isEqualTo(lsn);
        assertRefused(
                ErrorCode.TRANSACTION_NOT_FOUND, () -> node.await(node.commit(open, List.of())));
        assertThat(table.snapshot(node.engine(), node.openSnapshot()))
                .isEqualTo(Map.of(1L, "once:0", 2L, "session:0"));
    }

    /** The log is not trimmed while nobody else knows the outcome. */
    @Test
    void outcomesAreSavedBeforeTheLogIsTrimmed() throws IOException {
        SimulatedNode node = start(1);
        TestTable table = create(node, Orientation.ROW);
        String transaction = begin(node, table, Optional.empty());
        stage(node, table, transaction, OperationKind.UPSERT, 1, "once", 0);
        Lsn lsn = node.await(node.commit(transaction, List.of()));
        node.await(node.engine().flush(table.id()));
        node.store().setFaults(StoreFaults.OUTAGE);
        node.tick(1_000);
        node.tick(1_000);
        node.store().setFaults(StoreFaults.NONE);
        node.restart();
        assertThat(node.await(node.commit(transaction, List.of()))).isEqualTo(lsn);
    }

    /** One of two that change what both have read fails, however little time is between them. */
    @ParameterizedTest
    @EnumSource(Orientation.class)
    void ofTransactionsInFlightOneCommits(Orientation orientation) throws IOException {
        for (long seed = 0; seed < SEEDS; seed++) {
            SimulatedNode node = start(seed);
            TestTable table = create(node, orientation);
            node.await(table.upsert(node.engine(), 1, "first", 0));
            LeasedSnapshot read = node.openSnapshot();
            List<CompletableFuture<Lsn>> commits = new ArrayList<>();
            for (long writer = 0; writer < 4; writer++) {
                String transaction = begin(node, table, Optional.of(read.lsn()));
                stage(node, table, transaction, OperationKind.UPSERT, 1, "writer", writer);
                stage(node, table, transaction, OperationKind.UPSERT, 2 + writer, "own", writer);
                commits.add(node.commit(transaction, List.of()));
            }
            Map<Long, String> expected = new TreeMap<>();
            for (int writer = 0; writer < commits.size(); writer++) {
                try {
                    node.await(commits.get(writer));
                    assertThat(expected).as("another that committed").isEmpty();
                    expected.put(1L, "writer:" + writer);
                    expected.put(2L + writer, "own:" + writer);
                } catch (SteleException refused) {
                    assertThat(refused.code()).isEqualTo(ErrorCode.TRANSACTION_CONFLICT);
                }
            }
            assertThat(expected).as("seed %s", seed).isNotEmpty();
            assertThat(table.snapshot(node.engine(), node.openSnapshot())).isEqualTo(expected);
        }
    }

    /** The same of a table without a key, whose rows are deleted by their ids. */
    @Test
    void ofTransactionsInFlightThatDeleteARowOneCommits() throws IOException {
        for (long seed = 0; seed < SEEDS; seed++) {
            SimulatedNode node = start(seed);
            TestTable table = TestTable.create(node.engine(), "t", Orientation.COLUMN, false, 1);
            WriteBatchBuilder first = table.batch();
            first.append(table.row(1, "first", 0));
            node.await(table.write(node.engine(), table.schema().shard(0), first));
            LeasedSnapshot read = node.openSnapshot();
            byte[] rowId;
            try (RowCursor rows = node.scan(read, table.id(), table.schema().shard(0))) {
                assertThat(rows.next()).isTrue();
                rowId = KeyEncoder.rowIdKey(rows.rowId());
            }
            List<CompletableFuture<Lsn>> commits = new ArrayList<>();
            for (long writer = 0; writer < 4; writer++) {
                String transaction = begin(node, table, Optional.of(read.lsn()));
                WriteBatchBuilder changed = table.batch();
                changed.delete(rowId);
                changed.append(table.row(1, "writer", writer));
                node.engine()
                        .stage(
                                transaction,
                                table.schema().shard(0),
                                changed.toByteArray(),
                                0,
                                changed.sizeBytes());
                commits.add(node.commit(transaction, List.of()));
            }
            List<String> expected = new ArrayList<>();
            for (int writer = 0; writer < commits.size(); writer++) {
                try {
                    node.await(commits.get(writer));
                    expected.add("writer:" + writer);
                } catch (SteleException refused) {
                    assertThat(refused.code()).isEqualTo(ErrorCode.TRANSACTION_CONFLICT);
                }
            }
            assertThat(expected).as("seed %s", seed).hasSize(1);
            assertThat(table.snapshot(node.engine(), node.openSnapshot()))
                    .isEqualTo(Map.of(1L, expected.getFirst()));
        }
    }

    /**
     * Conditional operations of transactions and of single batches see each other's rows, though
     * none is applied yet; what one shard refuses has no effect in others.
     */
    @Test
    void conditionalOperationsInFlightSeeWhatIsBeforeThem() throws IOException {
        int refused = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            SimulatedNode node = start(seed);
            TestTable table = create(node, Orientation.ROW);
            for (long id = 0; id < 4; id++) {
                node.await(table.upsert(node.engine(), id, "first", 0));
            }
            List<CompletableFuture<Lsn>> inserts = new ArrayList<>();
            List<CompletableFuture<?>> others = new ArrayList<>();
            // Each inserts a key that some have, and two of its own
            for (long writer = 0; writer < 8; writer++) {
                String transaction = begin(node, table, Optional.empty());
                stage(node, table, transaction, OperationKind.INSERT, writer / 2 + 2, "w", writer);
                stage(node, table, transaction, OperationKind.INSERT, 100 + writer, "w", writer);
                stage(node, table, transaction, OperationKind.UPSERT, 200 + writer, "w", writer);
                inserts.add(node.commit(transaction, List.of()));
                WriteBatchBuilder batch = table.batch();
                table.insert(batch, OperationKind.INSERT_IF_ABSENT, 300 + writer, "b", writer);
                others.add(table.write(node.engine(), table.shard(300 + writer), batch));
                String next = begin(node, table, Optional.empty());
                stage(node, table, next, OperationKind.INSERT_IF_ABSENT, 300 + writer, "t", 0);
                others.add(node.commit(next, List.of()));
            }
            Map<Long, String> expected = new TreeMap<>();
            for (long id = 0; id < 4; id++) {
                expected.put(id, "first:0");
            }
            for (int writer = 0; writer < inserts.size(); writer++) {
                long key = writer / 2 + 2L;
                try {
                    node.await(inserts.get(writer));
                    assertThat(expected).doesNotContainKey(key);
                    expected.put(key, "w:" + writer);
                    expected.put(100L + writer, "w:" + writer);
                    expected.put(200L + writer, "w:" + writer);
                } catch (SteleException duplicate) {
                    assertThat(duplicate.code()).isEqualTo(ErrorCode.DUPLICATE_KEY);
                    refused++;
                }
            }
            others.forEach(node::await);
            Map<Long, String> found = table.snapshot(node.engine(), node.openSnapshot());
            for (long writer = 0; writer < 8; writer++) {
                String row = found.remove(300 + writer);
                assertThat(row).isIn("b:" + writer, "t:0");
            }
            assertThat(found).as("seed %s", seed).isEqualTo(expected);
            assertThat(found).containsKeys(4L, 5L);
            node.restart();
            assertThat(table.snapshot(node.engine(), node.openSnapshot()))
                    .containsAllEntriesOf(found);
        }
        assertThat(refused).isEqualTo(SEEDS * (4 + 2));
    }

    /** What comes to more than fits one record commits by a decision. */
    @Test
    void largeResultsCommitInTwoPhases() throws IOException {
        SimulatedNode node = SimulatedNode.start(OPTIONS.withOnePhase(20_000), 1);
        TestTable table = create(node, Orientation.ROW);
        Map<Long, String> expected = new TreeMap<>();
        for (long id = 0; id < 60; id++) {
            node.await(table.upsert(node.engine(), id, "y".repeat(4_000), id));
            expected.put(id, "y".repeat(4_000) + ":" + (1_000 + id));
        }
        String transaction = begin(node, table, Optional.empty());
        for (long id = 0; id < 60; id++) {
            WriteBatchBuilder batch = table.batch();
            table.update(batch, OperationKind.UPDATE, id, Optional.empty(), 1_000 + id);
            node.engine()
                    .stage(transaction, table.shard(id), batch.toByteArray(), 0, batch.sizeBytes());
        }
        Lsn lsn = node.await(node.commit(transaction, List.of()));
        assertThat(table.snapshot(node.engine(), node.openSnapshot())).isEqualTo(expected);
        assertThat(node.store().list(Decision.path(transaction))).hasSize(1);
        assertThat(node.await(node.commit(transaction, List.of()))).isEqualTo(lsn);
        node.await(table.upsert(node.engine(), 0, "after", 0)); // the shards go on
    }

    /** Transactions of one and of two phases on the same rows, in any order. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void bothWaysToCommitFollowEachOther(boolean flushed) throws IOException {
        for (long seed = 0; seed < SEEDS; seed++) {
            SimulatedNode node = SimulatedNode.start(OPTIONS.withOnePhase(150), seed);
            TestTable table = create(node, Orientation.ROW);
            for (long id = 0; id < KEYS; id++) {
                node.await(table.upsert(node.engine(), id, "first", 0));
            }
            if (flushed) {
                node.await(node.engine().flush(table.id()));
            }
            List<CompletableFuture<Lsn>> commits = new ArrayList<>();
            for (long writer = 1; writer <= 10; writer++) {
                String transaction = begin(node, table, Optional.empty());
                for (long id = 0; id < (writer % 2 == 0 ? KEYS : 2); id++) {
                    stage(node, table, transaction, OperationKind.UPSERT, id, "w", writer);
                }
                commits.add(node.commit(transaction, List.of()));
            }
            Lsn last = Lsn.MIN;
            for (CompletableFuture<Lsn> commit : commits) {
                last = max(last, node.await(commit));
            }
            Map<Long, String> rows = table.snapshot(node.engine(), node.openSnapshot());
            assertThat(List.copyOf(rows.values()).subList(2, KEYS))
                    .as("rows of one writer")
                    .containsOnly(rows.get(2L));
            assertThat(rows.get(0L)).isEqualTo(rows.get(1L));
            assertThat(table.snapshot(node.engine(), node.openSnapshot(last))).isEqualTo(rows);
            node.restart();
            assertThat(table.snapshot(node.engine(), node.openSnapshot())).isEqualTo(rows);
        }
    }

    private static Lsn max(Lsn a, Lsn b) {
        return a.compareTo(b) > 0 ? a : b;
    }

    /**
     * A process dies at each operation on the store or the log from a commit to the flush and the
     * trim after it: the transaction is there in all shards or in none, and a client that asks
     * again is told which.
     */
    @Test
    void aTransactionIsThereWhollyOrNotAtAllWhereverItsProcessDies() throws IOException {
        int there = 0;
        int runs = 0;
        boolean died = true;
        for (long operation = 1; died; operation++) {
            assertThat(operation).as("operations of a commit").isLessThan(500);
            SimulatedNode node = start(operation);
            TestTable table = create(node, Orientation.ROW);
            StringBuilder transaction = new StringBuilder();
            died = diesWhileCommitting(node, table, operation, transaction);
            try {
                node.restart();
                Map<Long, String> found = table.snapshot(node.engine(), node.openSnapshot());
                assertThat(found).as("dies at %s", operation).size().isIn(0, KEYS);
                there += found.isEmpty() ? 0 : 1;
                runs++;
                if (!transaction.isEmpty()) {
                    boolean isCommitted = isCommitted(node, transaction.toString());
                    assertThat(isCommitted).as("dies at %s", operation).isEqualTo(!found.isEmpty());
                }
                node.await(table.upsert(node.engine(), 200, "after", 1));
                node.await(node.engine().flush(table.id()));
            } catch (IOException failed) {
                throw new UncheckedIOException(failed);
            }
        }
        assertThat(there).isBetween(5, runs - 2);
    }

    private static boolean isCommitted(SimulatedNode node, String transaction) {
        try {
            node.await(node.commit(transaction, List.of()));
            return true;
        } catch (SteleException refused) {
            assertThat(refused.code()).isEqualTo(ErrorCode.TRANSACTION_NOT_FOUND);
            return false;
        }
    }

    private static boolean diesWhileCommitting(
            SimulatedNode node, TestTable table, long operation, StringBuilder id) {
        CrashPoint crash = CrashPoint.after(operation);
        try {
            node.restart(crash, StoreFaults.NONE);
            String transaction = begin(node, table, Optional.empty());
            id.append(transaction);
            for (long key = 0; key < KEYS; key++) {
                stage(node, table, transaction, OperationKind.UPSERT, key, "new", key);
            }
            run(node, crash, node.commit(transaction, List.of()));
            run(node, crash, node.engine().flush(table.id()));
            for (int ticks = 0; ticks < 10 && !crash.crashed(); ticks++) {
                node.tick(500);
            }
            return crash.crashed();
        } catch (IOException | SteleException dead) {
            return true;
        }
    }

    private static void run(SimulatedNode node, CrashPoint crash, CompletableFuture<?> done) {
        for (int i = 0; i < 100_000 && !done.isDone() && !crash.crashed(); i++) {
            if (!node.pool().runOne()) {
                node.tick(500);
            }
        }
    }

    private static SimulatedNode start(long seed) {
        try {
            return SimulatedNode.start(OPTIONS, seed);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static TestTable create(SimulatedNode node, Orientation orientation) {
        return TestTable.create(node.engine(), "t", orientation, true, SHARDS);
    }

    private static String begin(SimulatedNode node, TestTable table, Optional<Lsn> readLsn) {
        return node.engine().beginTransaction(table.id(), readLsn);
    }

    private static void stage(
            SimulatedNode node,
            TestTable table,
            String transaction,
            OperationKind kind,
            long id,
            String name,
            long amount) {
        WriteBatchBuilder batch = table.batch();
        if (kind == OperationKind.APPEND) {
            batch.append(table.row(id, name, amount));
        } else {
            table.insert(batch, kind, id, name, amount);
        }
        ShardId shard = kind == OperationKind.APPEND ? table.schema().shard(0) : table.shard(id);
        node.engine().stage(transaction, shard, batch.toByteArray(), 0, batch.sizeBytes());
    }
}
