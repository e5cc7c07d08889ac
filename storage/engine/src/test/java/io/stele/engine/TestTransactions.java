package io.stele.engine;

import static io.stele.engine.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.engine.WorkerFiles.Row;
import io.stele.engine.catalog.TableState;
import io.stele.engine.datafile.FileIds;
import io.stele.engine.node.StorageOptions;
import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.objectstore.ObjectEntry;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import io.stele.protocol.api.write.WrittenFile;
import io.stele.protocol.schema.ColumnChange;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.wire.WriteBatchBuilder;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TestTransactions {
    private static final StorageOptions OPTIONS =
            StorageOptions.DEFAULT
                    .withRetention(Duration.ofMinutes(5))
                    .withTransactions(100_000, Duration.ofHours(1));

    private final SimulatedNode node = start();

    @ParameterizedTest
    @EnumSource(Orientation.class)
    void allRowsBecomeVisibleAtOneLsn(Orientation orientation) throws IOException {
        TestTable table = TestTable.create(node.engine(), "t", orientation, true, 3);
        node.await(table.upsert(node.engine(), 1, "old", 1));
        String transaction = node.engine().beginTransaction(table.id(), Optional.empty());
        for (long id = 0; id < 20; id++) {
            stageUpsert(transaction, table, id, "new");
        }
        LeasedSnapshot before = node.openSnapshot();
        Lsn lsn = node.await(node.commit(transaction, List.of()));

        assertThat(table.snapshot(node.engine(), before)).containsExactly(Map.entry(1L, "old:1"));
        assertThat(table.planned(node, before)).containsExactly(Map.entry(1L, "old:1"));
        assertThat(table.snapshot(node.engine(), node.openSnapshot(lsn)))
                .hasSize(20)
                .containsValue("new:0");
        assertThat(table.planned(node, node.openSnapshot(new Lsn(lsn.value() - 1))))
                .containsExactly(Map.entry(1L, "old:1"));
    }

    @Test
    void aRepeatedCommitAnswersTheSameLsnAlsoAfterARestart() throws IOException {
        TestTable table = TestTable.create(node.engine(), "t", Orientation.ROW, true, 2);
        String transaction = node.engine().beginTransaction(table.id(), Optional.empty());
        stageUpsert(transaction, table, 1, "once");
        Lsn lsn = node.await(node.commit(transaction, List.of()));

        assertThat(node.await(node.commit(transaction, List.of()))).isEqualTo(lsn);
        node.restart();
        assertThat(node.await(node.commit(transaction, List.of()))).isEqualTo(lsn);
        assertThat(table.snapshot(node.engine(), node.openSnapshot()))
                .containsExactly(Map.entry(1L, "once:0"));
    }

    /** What is asked again while it goes on is answered by what it comes to. */
    @Test
    void aRepeatedCommitIsNotRefusedForWhatHappensMeanwhile() throws IOException {
        TestTable table = TestTable.create(node.engine(), "t", Orientation.COLUMN, true, 1);
        String transaction = node.engine().beginTransaction(table.id(), Optional.empty());
        List<WrittenFile> files =
                List.of(
                        WorkerFiles.write(
                                node.objects(),
                                table,
                                table.shard(1),
                                "worker",
                                List.of(new Row(1, "a", 0))));
        CompletableFuture<Lsn> first = node.engine().commit(transaction, files, Optional.empty());
        // Its files would be refused for their schema version, had it not begun to commit before
        CompletableFuture<?> altered =
                node.engine()
                        .alterTable(
                                table.id(),
                                1,
                                ColumnChange.addColumn(
                                        "more", DataType.parse("bigint"), Optional.empty()));
        CompletableFuture<Lsn> second = node.engine().commit(transaction, files, Optional.empty());
        CompletableFuture<Lsn> asked = node.engine().transactionOutcome(transaction);
        Lsn lsn = node.await(first);
        assertThat(node.await(second)).isEqualTo(lsn);
        assertThat(node.await(asked)).isEqualTo(lsn);
        node.await(altered);
    }

    @Test
    void theOutcomeOfATransactionIsWhatItCameTo() throws IOException {
        TestTable table = TestTable.create(node.engine(), "t", Orientation.ROW, true, 1);
        String committed = node.engine().beginTransaction(table.id(), Optional.empty());
        String aborted = node.engine().beginTransaction(table.id(), Optional.empty());
        String open = node.engine().beginTransaction(table.id(), Optional.empty());
        Lsn lsn = node.await(node.commit(committed, List.of()));
        node.await(node.engine().abort(aborted));
        assertThat(node.await(node.engine().transactionOutcome(committed))).isEqualTo(lsn);
        assertRefused(
                ErrorCode.TRANSACTION_NOT_FOUND,
                () -> node.await(node.engine().transactionOutcome(aborted)));
        assertRefused(
                ErrorCode.INVALID_ARGUMENT,
                () -> node.await(node.engine().transactionOutcome(open)));
        node.restart();
        assertThat(node.await(node.engine().transactionOutcome(committed))).isEqualTo(lsn);
        assertRefused(
                ErrorCode.TRANSACTION_NOT_FOUND,
                () -> node.await(node.engine().transactionOutcome(open)));
    }

    @ParameterizedTest
    @EnumSource(Orientation.class)
    void aChangeAfterTheSnapshotIsAConflict(Orientation orientation) throws IOException {
        TestTable table = TestTable.create(node.engine(), "t", orientation, true, 2);
        node.await(table.upsert(node.engine(), 1, "first", 1));
        node.await(table.upsert(node.engine(), 2, "first", 1));
        for (boolean flushed : List.of(false, true)) {
            LeasedSnapshot read = node.openSnapshot();
            String loser = node.engine().beginTransaction(table.id(), Optional.of(read.lsn()));
            stageUpsert(loser, table, 1, "loser");
            stageUpsert(loser, table, 2, "loser");
            node.await(table.upsert(node.engine(), 2, "winner", 1));
            if (flushed) {
                node.await(node.engine().flush(table.id()));
            }
            Map<Long, String> before = table.snapshot(node.engine(), node.openSnapshot());

            assertThatThrownBy(() -> node.await(node.commit(loser, List.of())))
                    .isInstanceOfSatisfying(
                            SteleException.class,
                            failed -> {
                                assertThat(failed.code()).isEqualTo(ErrorCode.TRANSACTION_CONFLICT);
                                assertThat(failed).hasMessageContaining("test.t");
                            });
            assertThat(table.snapshot(node.engine(), node.openSnapshot())).isEqualTo(before);
            assertThat(table.planned(node, node.openSnapshot())).isEqualTo(before);
        }
    }

    @ParameterizedTest
    @EnumSource(Orientation.class)
    void aDeletionAfterTheSnapshotIsAConflict(Orientation orientation) throws IOException {
        TestTable table = TestTable.create(node.engine(), "t", orientation, true, 1);
        node.await(table.upsert(node.engine(), 1, "first", 1));
        node.await(node.engine().flush(table.id()));
        LeasedSnapshot read = node.openSnapshot();
        String loser = node.engine().beginTransaction(table.id(), Optional.of(read.lsn()));
        stageUpsert(loser, table, 1, "loser");
        node.await(table.delete(node.engine(), 1));
        node.await(node.engine().flush(table.id()));

        assertThatThrownBy(() -> node.await(node.commit(loser, List.of())))
                .hasMessageContaining(
                        "key (id = 1) of table test.t was changed after LSN "
                                + read.lsn().withTime());
        assertThat(table.snapshot(node.engine(), node.openSnapshot())).isEmpty();
    }

    @Test
    void anAbortedTransactionLeavesNothing() throws IOException {
        TestTable table = TestTable.create(node.engine(), "t", Orientation.ROW, true, 2);
        String transaction = node.engine().beginTransaction(table.id(), Optional.empty());
        stageUpsert(transaction, table, 1, "never");
        node.await(node.engine().abort(transaction));

        assertRefused(
                ErrorCode.TRANSACTION_NOT_FOUND,
                () -> node.await(node.commit(transaction, List.of())));
        assertThat(table.snapshot(node.engine(), node.openSnapshot())).isEmpty();
    }

    @Test
    void stagedRowsHaveALimit() {
        TestTable table = TestTable.create(node.engine(), "t", Orientation.ROW, true, 1);
        String transaction = node.engine().beginTransaction(table.id(), Optional.empty());
        assertThatThrownBy(() -> stageUpsert(transaction, table, 1, "x".repeat(100_000)))
                .isInstanceOfSatisfying(
                        SteleException.class,
                        failed -> {
                            assertThat(failed.code()).isEqualTo(ErrorCode.TRANSACTION_TOO_LARGE);
                            assertThat(failed).hasMessageContaining("at most 100000 bytes");
                        });
    }

    @Test
    void aStagedTableBecomesPublicWithTheCommitAndIsDroppedWithoutOne() throws IOException {
        TestTable created =
                TestTable.create(
                        node.engine(),
                        "created",
                        Orientation.COLUMN,
                        true,
                        2,
                        List.of(),
                        TableState.STAGED);
        TestTable forgotten =
                TestTable.create(
                        node.engine(),
                        "forgotten",
                        Orientation.COLUMN,
                        true,
                        2,
                        List.of(),
                        TableState.STAGED);
        String transaction = node.engine().beginTransaction(created.id(), Optional.empty());
        stageUpsert(transaction, created, 1, "row");
        assertThat(node.engine().catalog().current().findTable("test", "created")).isEmpty();
        node.await(node.engine().commit(transaction, List.of(), Optional.of(created.id())));

        assertThat(node.engine().catalog().current().findTable("test", "created")).isPresent();
        node.restart();
        assertThat(node.engine().catalog().current().findTable("test", "created")).isPresent();
        assertThat(node.engine().catalog().current().findTable(forgotten.id())).isEmpty();
        assertThat(created.snapshot(node.engine(), node.openSnapshot()))
                .containsExactly(Map.entry(1L, "row:0"));
    }

    @Test
    void workerFilesReplaceRowsInMemoryAndInFiles() throws IOException {
        TestTable table = TestTable.create(node.engine(), "t", Orientation.COLUMN, true, 2);
        Map<Long, String> expected = new HashMap<>();
        for (long id = 0; id < 30; id++) {
            node.await(table.upsert(node.engine(), id, "old", id));
            expected.put(id, "old:" + id);
            if (id == 15) {
                node.await(node.engine().flush(table.id()));
            }
        }
        check(table, expected); // and so the row cache has them
        LeasedSnapshot before = node.openSnapshot();
        Map<Long, String> old = Map.copyOf(expected);
        List<WrittenFile> files = new ArrayList<>();
        for (int generation = 0; generation < 2; generation++) {
            for (ShardId shard : table.schema().shards()) {
                List<Row> rows = new ArrayList<>();
                for (long id = generation; id < 40; id += 3) {
                    if (table.shard(id).equals(shard)) {
                        rows.add(new Row(id, "file" + generation, id));
                        expected.put(id, "file" + generation + ":" + id);
                    }
                }
                files.add(
                        WorkerFiles.write(
                                node.objects(),
                                table,
                                shard,
                                "worker-" + generation + "-" + shard.index(),
                                rows));
            }
        }
        String transaction = node.engine().beginTransaction(table.id(), Optional.empty());
        stageUpsert(transaction, table, 3, "staged");
        expected.put(3L, "staged:0"); // staged rows win over files
        node.await(node.commit(transaction, files));
        check(table, expected);
        assertThat(table.planned(node, before)).isEqualTo(old);

        node.await(table.upsert(node.engine(), 4, "newest", 4));
        node.await(table.delete(node.engine(), 6));
        expected.put(4L, "newest:4");
        expected.remove(6L);
        check(table, expected);
        node.restart();
        check(table, expected);
        node.await(node.engine().flush(table.id()));
        check(table, expected);
        node.restart();
        check(table, expected);
        node.await(node.engine().compact(table.id()));
        check(table, expected);
        node.restart();
        check(table, expected);
    }

    @Test
    void rowsOfPartsThatTheCommitDoesNotNameDoNotCount() throws IOException {
        TestTable table = TestTable.create(node.engine(), "t", Orientation.ROW, true, 2);
        UUID lost = new UUID(1, 1);
        UUID taken = new UUID(1, 2);
        String transaction = node.engine().beginTransaction(table.id(), Optional.empty());
        stage(transaction, Optional.of(lost), table, 1, "lost");
        stage(transaction, Optional.of(lost), table, 2, "lost");
        stage(transaction, Optional.of(taken), table, 1, "taken");
        stage(transaction, Optional.empty(), table, 3, "of no part");
        node.await(
                node.engine()
                        .commit(
                                transaction,
                                List.of(),
                                Optional.empty(),
                                Optional.empty(),
                                Optional.of(List.of(taken))));
        assertThat(table.snapshot(node.engine(), node.openSnapshot()))
                .isEqualTo(Map.of(1L, "taken:0", 3L, "of no part:0"));
    }

    @Test
    void filesOfAttemptsThatAreNotCommittedGoAndTheOthersStay() throws IOException {
        TestTable table = TestTable.create(node.engine(), "t", Orientation.COLUMN, true, 1);
        String committed = node.engine().beginTransaction(table.id(), Optional.empty());
        WrittenFile kept = worker(table, committed + "_kept", 1);
        worker(table, committed + "_lost", 2);
        String other = node.engine().beginTransaction(table.id(), Optional.empty());
        worker(table, other + "_open", 3);
        node.await(node.commit(committed, List.of(kept)));
        node.await(table.delete(node.engine(), 1)); // which gets the file a deletion vector
        node.await(node.engine().flush(table.id()));
        node.tick(1_000);
        assertThat(workerFiles(committed)).allMatch(path -> path.contains("_kept."));
        assertThat(workerFiles(committed)).anyMatch(path -> path.contains(".dv-"));
        assertThat(workerFiles(other)).isNotEmpty();

        worker(table, committed + "_late", 4);
        node.await(node.engine().abort(other));
        worker(table, other + "_late", 5);
        node.tick(1_000);
        assertThat(workerFiles(other)).allMatch(path -> path.contains("_late."));
        node.tick(OPTIONS.collectionGrace().toMillis());
        node.tick(1_000);
        assertThat(workerFiles(other)).isEmpty();
        assertThat(workerFiles(committed)).allMatch(path -> path.contains("_kept."));
        assertThat(table.planned(node, node.openSnapshot())).isEqualTo(Map.of(11L, "f:11"));
        node.restart();
        assertThat(table.planned(node, node.openSnapshot())).isEqualTo(Map.of(11L, "f:11"));
    }

    /**
     * A worker that ended in the middle had spilled rows, which came by the log from another one.
     */
    @Test
    void whatAnAttemptSpilledGoesThoughTheCommitNamesNoFile() throws IOException {
        SimulatedNode large =
                SimulatedNode.start(OPTIONS.withTransactions(10_000_000, Duration.ofHours(1)), 11);
        TestTable table = TestTable.create(large.engine(), "t", Orientation.COLUMN, true, 1);
        String transaction = large.engine().beginTransaction(table.id(), Optional.empty());
        String spill =
                FileIds.folder(table.id(), table.schema().shard(0)) + transaction + "_lost.spill";
        large.store().put(spill, new byte[100]);
        for (long id = 0; id < 20; id++) {
            WriteBatchBuilder batch = table.batch();
            batch.upsert(table.key(id), table.row(id, "x".repeat(100_000), 0));
            large.engine()
                    .stage(transaction, table.shard(id), batch.toByteArray(), 0, batch.sizeBytes());
        }
        large.await(large.commit(transaction, List.of()));
        large.tick(1_000);
        assertThat(large.store().contents().list("data/"))
                .extracting(ObjectEntry::path)
                .doesNotContain(spill);
    }

    private WrittenFile worker(TestTable table, String fileId, long id) throws IOException {
        return WorkerFiles.write(
                node.store(),
                table,
                table.schema().shard(0),
                fileId,
                List.of(new Row(id, "f", id), new Row(id + 10, "f", id + 10)));
    }

    private List<String> workerFiles(String transaction) throws IOException {
        return node.store().contents().list("data/").stream()
                .map(ObjectEntry::path)
                .filter(path -> path.contains("/" + transaction + "_"))
                .toList();
    }

    private void stage(
            String transaction, Optional<UUID> part, TestTable table, long id, String name) {
        WriteBatchBuilder batch = table.batch();
        batch.upsert(table.key(id), table.row(id, name, 0));
        byte[] bytes = batch.toByteArray();
        node.engine()
                .stage(
                        transaction,
                        part,
                        table.shard(id),
                        bytes,
                        0,
                        bytes.length,
                        node.engine().writeRoom());
    }

    @Test
    void ofTwoFilesWithOneKeyTheLaterWins() throws IOException {
        TestTable table = TestTable.create(node.engine(), "t", Orientation.COLUMN, true, 1);
        ShardId shard = table.schema().shard(0);
        WrittenFile first =
                WorkerFiles.write(
                        node.objects(),
                        table,
                        shard,
                        "a",
                        List.of(new Row(1, "a", 1), new Row(2, "a", 2)));
        WrittenFile second =
                WorkerFiles.write(
                        node.objects(),
                        table,
                        shard,
                        "b",
                        List.of(new Row(2, "b", 2), new Row(2, "b", 3), new Row(3, "b", 3)));
        String transaction = node.engine().beginTransaction(table.id(), Optional.empty());
        node.await(node.commit(transaction, List.of(first, second)));

        check(table, Map.of(1L, "a:1", 2L, "b:2", 3L, "b:3"));
    }

    @Test
    void workerFilesOfATableWithoutKeyGetRowIds() throws IOException {
        TestTable table = TestTable.create(node.engine(), "t", Orientation.COLUMN, false, 1);
        ShardId shard = table.schema().shard(0);
        WrittenFile file =
                WorkerFiles.write(
                        node.objects(),
                        table,
                        shard,
                        "a",
                        List.of(new Row(1, "a", 1), new Row(2, "a", 2)));
        String transaction = node.engine().beginTransaction(table.id(), Optional.empty());
        WriteBatchBuilder staged = table.batch();
        staged.append(table.row(3, "staged", 3));
        node.engine().stage(transaction, shard, staged.toByteArray(), 0, staged.sizeBytes());
        node.await(node.commit(transaction, List.of(file)));
        Map<Long, String> expected = new HashMap<>(Map.of(1L, "a:1", 2L, "a:2", 3L, "staged:3"));
        check(table, expected);

        WriteBatchBuilder deletion = table.batch();
        deletion.delete(io.stele.protocol.row.KeyEncoder.rowIdKey(1)); // the file's second row
        node.await(table.write(node.engine(), shard, deletion));
        expected.remove(2L);
        check(table, expected);
        node.restart();
        check(table, expected);
        node.await(node.engine().compact(table.id()));
        check(table, expected);
    }

    @Test
    void filesThatDoNotFitAreRefusedByName() throws IOException {
        TestTable rows = TestTable.create(node.engine(), "rows", Orientation.ROW, true, 1);
        WrittenFile file =
                WorkerFiles.write(
                        node.objects(),
                        rows,
                        rows.schema().shard(0),
                        "a",
                        List.of(new Row(1, "a", 1)));
        String transaction = node.engine().beginTransaction(rows.id(), Optional.empty());
        assertThatThrownBy(() -> node.await(node.commit(transaction, List.of(file))))
                .hasMessageContaining(
                        "Expected a table of orientation 'column', found 'row' for file "
                                + file.path());
        assertRefused(
                ErrorCode.STALE_TABLE,
                () -> node.engine().beginTransaction(new TableId(999), Optional.empty()));
    }

    @Test
    void abandonedTransactionsAreForgotten() {
        TestTable table = TestTable.create(node.engine(), "t", Orientation.ROW, true, 1);
        node.engine().beginTransaction(table.id(), Optional.empty());
        assertThat(node.engine().status().openTransactions()).isEqualTo(1);
        node.tick(Duration.ofHours(2).toMillis());
        assertThat(node.engine().status().openTransactions()).isZero();
    }

    /** Workers write files for hours, of which the sidecar sees nothing. */
    /** As when it is replaced between the two looks at the catalog. */
    @Test
    void aTransactionThatFindsItsTableGoneHoldsNoHistory() throws IOException {
        TestTable gone = TestTable.create(node.engine(), "gone", Orientation.ROW, true, 1);
        TestTable other = TestTable.create(node.engine(), "other", Orientation.ROW, true, 1);
        Lsn read = node.await(other.upsert(node.engine(), 1, "row", 1));
        node.engine().catalog().dropTable(gone.id());
        assertRefused(
                ErrorCode.STALE_TABLE,
                () ->
                        node.engine()
                                .transactions()
                                .begin(Optional.of(read), gone.id(), Optional.empty(), true));
        node.tick(StorageOptions.DEFAULT.retention().multipliedBy(2).toMillis());
        node.await(other.upsert(node.engine(), 1, "later", 1));
        assertThat(node.engine().horizon(other.id())).isGreaterThan(read);
    }

    @Test
    void aTransactionLivesAsLongAsItIsRenewed() throws IOException {
        TestTable table = TestTable.create(node.engine(), "t", Orientation.ROW, true, 1);
        Duration ttl = Duration.ofMinutes(5);
        String cared =
                node.engine().beginTransaction(table.id(), Optional.empty(), Optional.of(ttl));
        String left =
                node.engine().beginTransaction(table.id(), Optional.empty(), Optional.of(ttl));
        stageUpsert(cared, table, 1, "late");
        for (int minute = 0; minute < 180; minute += 4) {
            assertThat(node.engine().renewTransaction(cared, ttl)).isTrue();
            node.tick(Duration.ofMinutes(4).toMillis());
        }
        assertThat(node.engine().renewTransaction(left, ttl)).isFalse();
        assertThat(node.engine().status().openTransactions()).isEqualTo(1);
        node.await(node.commit(cared, List.of()));
        assertThat(node.engine().renewTransaction(cared, ttl)).isFalse();
        check(table, Map.of(1L, "late:0"));
        assertRefused(
                ErrorCode.TRANSACTION_NOT_FOUND, () -> node.await(node.commit(left, List.of())));
    }

    private void check(TestTable table, Map<Long, String> expected) throws IOException {
        LeasedSnapshot snapshot = node.openSnapshot();
        assertThat(table.snapshot(node.engine(), snapshot)).isEqualTo(expected);
        assertThat(table.planned(node, snapshot)).isEqualTo(expected);
        if (table.schema().hasPrimaryKey()) {
            for (long id = 0; id < 45; id++) {
                assertThat(table.get(node.engine(), Optional.empty(), id))
                        .as("key %s", id)
                        .isEqualTo(Optional.ofNullable(expected.get(id)));
            }
        }
        node.engine().closeSnapshot(snapshot.id());
        assertThat(node.uncaught()).isEmpty();
    }

    private void stageUpsert(String transaction, TestTable table, long id, String name) {
        WriteBatchBuilder batch = table.batch();
        batch.upsert(table.key(id), table.row(id, name, 0));
        node.engine()
                .stage(transaction, table.shard(id), batch.toByteArray(), 0, batch.sizeBytes());
    }

    private static SimulatedNode start() {
        try {
            return SimulatedNode.start(OPTIONS, 11);
        } catch (IOException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
