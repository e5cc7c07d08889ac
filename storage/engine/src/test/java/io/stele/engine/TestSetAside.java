package io.stele.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.engine.WorkerFiles.Row;
import io.stele.engine.manifest.FileEntry;
import io.stele.engine.node.StorageOptions;
import io.stele.engine.recovery.RetainedLog;
import io.stele.engine.shard.Damage;
import io.stele.engine.tablet.TableShard;
import io.stele.engine.transaction.Decision;
import io.stele.engine.wal.LogOptions;
import io.stele.objectstore.ObjectEntry;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import io.stele.protocol.api.write.WrittenFile;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.wire.OperationKind;
import io.stele.protocol.wire.WriteBatchBuilder;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** What cannot be used is set aside, the rest serves, and nothing acknowledged is lost by that. */
final class TestSetAside {
    private static final StorageOptions OPTIONS =
            StorageOptions.DEFAULT
                    .withOnePhase(0) // transactions are decided by objects
                    .withRetention(Duration.ofSeconds(1))
                    .withMemTables(1 << 20, 1 << 30, Duration.ofHours(10))
                    .withLog(new LogOptions(4096, 1 << 20, 1 << 16, 1 << 16, Duration.ZERO));

    private SimulatedNode node = start();
    private final TestTable damaged = table("damaged");
    private final TestTable other = table("other");

    private static SimulatedNode start() {
        try {
            return SimulatedNode.start(OPTIONS, 7);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private TestTable table(String name) {
        return TestTable.create(node.engine(), name, Orientation.COLUMN, true, 1);
    }

    @Test
    void aCommitOfAMissingOrShortFileIsRefusedAndChangesNothing() throws IOException {
        put(damaged, 1, "kept");
        for (String suffix : List.of(".orc", ".idx", ".orc.sums")) {
            for (int keptBytes : new int[] {-1, 10}) {
                WrittenFile file =
                        workerFile(
                                "w" + suffix.substring(1) + keptBytes,
                                suffix.equals(".orc.sums")
                                        ? WorkerFiles.Checksums.BESIDE
                                        : WorkerFiles.Checksums.IN_KEY_INDEX);
                String transaction = node.engine().beginTransaction(damaged.id(), Optional.empty());
                String path = file.path().replace(".orc", suffix);
                assertThat(file.paths()).contains(path);
                if (!(suffix.equals(".orc.sums") && keptBytes > 0)) {
                    cut(path, keptBytes);
                    Refusals.assertRefused(
                                    ErrorCode.TRANSACTION_ABORTED,
                                    () -> node.await(node.commit(transaction, List.of(file))))
                            .hasMessageContaining("nothing is changed");
                }
            }
        }
        assertThat(node.engine().status().damages()).isEmpty();
        assertThat(rows(damaged)).containsExactly(Map.entry(1L, "kept:1"));
        node.restart();
        put(damaged, 2, "after");
        assertThat(rows(damaged)).hasSize(2);
    }

    @Test
    void aFileThatIsLostAfterTheDecisionSetsItsTableAsideAndNothingElse() throws IOException {
        put(other, 1, "kept");
        WrittenFile file = workerFile("worker");
        byte[] index = node.objects().readFully(file.keyIndexPath().orElseThrow());
        commitAndLose(file);
        assertSetAside(file.keyIndexPath().orElseThrow());
        put(other, 2, "more");
        node.await(node.engine().flush(other.id()));
        assertThat(rows(other)).hasSize(2);
        node.restart();
        assertSetAside(file.keyIndexPath().orElseThrow());
        assertThat(rows(other)).hasSize(2);

        node.objects().put(file.keyIndexPath().orElseThrow(), index);
        node.restart();
        assertThat(node.engine().status().damages()).isEmpty();
        assertThat(rows(damaged)).containsKeys(1_000L, 1_001L);
    }

    /** The process dies between the decision and the outcome, and the file goes meanwhile. */
    private void commitAndLose(WrittenFile file) throws IOException {
        String transaction = node.engine().beginTransaction(damaged.id(), Optional.empty());
        CompletableFuture<Lsn> commit = node.commit(transaction, List.of(file));
        node.runUntilDecided(transaction, commit);
        node.objects().delete(file.keyIndexPath().orElseThrow());
        node.restart();
    }

    @Test
    void theLogOfATableThatIsSetAsideIsKeptElsewhereWhenItIsTrimmed() throws IOException {
        put(damaged, 1, "in a file");
        node.await(node.engine().flush(damaged.id()));
        for (long id = 2; id < 50; id++) {
            put(damaged, id, "only in the log");
        }
        FileEntry file = fileOf(damaged);
        String index = file.keyIndex().orElseThrow().path();
        byte[] good = node.objects().readFully(index);
        node.objects().delete(index);
        node.restart();
        assertSetAside(index);
        trimByOther();
        assertThat(node.store().list(RetainedLog.FOLDER)).isNotEmpty();
        node.restart();
        assertSetAside(index);
        trimByOther();

        node.objects().put(index, good);
        node.restart();
        assertThat(node.engine().status().damages()).isEmpty();
        assertThat(rows(damaged)).hasSize(49).containsEntry(49L, "only in the log:49");
        node.await(node.engine().flush(damaged.id()));
        node.tick(1_000);
        node.tick(1_000);
        assertThat(node.store().list(RetainedLog.FOLDER)).isEmpty();
        node.restart();
        assertThat(rows(damaged)).hasSize(49);
    }

    /** Everything but the damaged table is in files, and the log has many segments. */
    private void trimByOther() throws IOException {
        long first = node.engine().status().log().firstSegment();
        for (long id = 0; id < 100; id++) {
            put(other, id, "x".repeat(200));
        }
        node.await(node.engine().flush(other.id()));
        for (int tick = 0; tick < 4; tick++) {
            node.tick(1_000);
        }
        assertThat(node.engine().status().log().firstSegment()).isGreaterThan(first + 2);
    }

    @Test
    void aDamagedManifestSetsItsShardAsideAndKeepsItsLog() throws IOException {
        TestTable elsewhere =
                TestTable.create(node.engine(), "elsewhere", Orientation.ROW, true, 2);
        node.await(elsewhere.upsert(node.engine(), 1, "here", 1));
        put(damaged, 1, "in a file");
        node.await(node.engine().flush(damaged.id()));
        put(damaged, 2, "in the log");
        ShardId shard = damaged.schema().shard(0);
        String manifest = newest("manifest/" + shard + "/0");
        byte[] good = node.store().readFully(manifest);
        byte[] bad = good.clone();
        bad[bad.length / 2] ^= 1;
        node.store().put(manifest, bad);
        node.restart();

        assertThat(node.engine().status().damages())
                .singleElement()
                .satisfies(
                        damage -> {
                            assertThat(damage.shard()).contains(shard);
                            assertThat(damage.table()).isEmpty();
                            assertThat(damage.reason()).contains(manifest);
                        });
        assertRefused(() -> rows(damaged), manifest);
        assertRefused(() -> put(damaged, 3, "refused"), manifest);
        for (long id = 0; id < 200; id++) {
            node.await(elsewhere.upsert(node.engine(), id, "x".repeat(200), id));
        }
        node.await(node.engine().flush(elsewhere.id()));
        node.tick(1_000);
        node.tick(1_000);
        assertThat(elsewhere.snapshot(node.engine(), node.openSnapshot())).hasSize(200);
        assertThat(node.engine().status().log().firstSegment()).isGreaterThan(3);
        node.tick(3_600_000); // no file of its tables is an orphan

        node.store().put(manifest, good);
        node.restart();
        assertThat(node.engine().status().damages()).isEmpty();
        assertThat(rows(damaged))
                .containsOnly(Map.entry(1L, "in a file:1"), Map.entry(2L, "in the log:2"));
        assertThat(elsewhere.snapshot(node.engine(), node.openSnapshot())).hasSize(200);
    }

    @Test
    void aDroppedObjectTakesItsFileWithItAndTheTableServesAgain() throws IOException {
        put(damaged, 1, "lost");
        node.await(node.engine().flush(damaged.id()));
        FileEntry file = fileOf(damaged);
        String index = file.keyIndex().orElseThrow().path();
        node.objects().delete(index);
        put(damaged, 2, "in the log");
        node.restart();
        assertSetAside(index);

        node.await(node.engine().dropDamaged(index));
        node.restart();
        assertThat(node.engine().status().damages()).isEmpty();
        assertThat(rows(damaged)).containsExactly(Map.entry(2L, "in the log:2"));
        assertThatThrownBy(() -> node.await(node.engine().dropDamaged(index)))
                .isInstanceOfSatisfying(
                        SteleException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT));
    }

    @Test
    void aTableThatIsSetAsideCanBeDropped() throws IOException {
        put(damaged, 1, "lost");
        node.await(node.engine().flush(damaged.id()));
        FileEntry file = fileOf(damaged);
        node.objects().delete(file.keyIndex().orElseThrow().path());
        node.restart();
        node.engine().catalog().dropTable(damaged.id());
        node.tick(1_000);
        assertThat(node.engine().status().damages()).isEmpty();
        put(other, 1, "serves");
        node.restart();
        assertThat(node.engine().status().damages()).isEmpty();
        assertThat(rows(other)).hasSize(1);
    }

    @Test
    void memoryOfATableThatIsSetAsideIsFree() throws IOException {
        for (long id = 0; id < 100; id++) {
            put(damaged, id, "in a file");
        }
        node.await(node.engine().flush(damaged.id()));
        for (long id = 1_000; id < 1_100; id++) {
            put(damaged, id, "x".repeat(1_000));
        }
        TableShard table = node.engine().shard(damaged.schema().shard(0)).table(damaged.id());
        String index = fileOf(damaged).keyIndex().orElseThrow().path();
        byte[] bytes = node.store().readFully(index);
        bytes[30] ^= 1;
        node.store().put(index, bytes);
        assertThat(table.view().memoryBytes()).isGreaterThan(100_000);
        assertThatThrownBy(() -> put(damaged, 7, "meets the damage"))
                .isInstanceOf(SteleException.class);
        assertSetAside(index);
        assertThat(table.view().memoryBytes()).isLessThan(10_000);
        assertThat(node.engine().status().memTableBytes()).isLessThan(10_000);

        bytes[30] ^= 1;
        node.store().put(index, bytes);
        node.restart();
        assertThat(rows(damaged)).hasSize(200);
    }

    @Test
    void memoryOfAShardThatStoppedIsFreeAndItsLogIsKept() throws IOException {
        for (long id = 0; id < 100; id++) {
            put(damaged, id, "x".repeat(1_000));
        }
        ShardId shard = damaged.schema().shard(0);
        TableShard table = node.engine().shard(shard).table(damaged.id());
        node.tick(500);
        assertThat(node.engine().status().memTableBytes()).isGreaterThan(100_000);
        node.engine()
                .shard(shard)
                .fail(new SteleException(ErrorCode.UNAVAILABLE, "stopped by the test"));
        node.tick(500);
        assertThat(node.engine().status().memTableBytes()).isZero();
        assertThat(table.view().memoryBytes()).isLessThan(10_000);
        TestTable elsewhere =
                TestTable.create(node.engine(), "elsewhere", Orientation.ROW, true, 2);
        for (long id = 0; id < 100; id++) {
            put(elsewhere, id, "x".repeat(200));
        }
        node.await(node.engine().flush(elsewhere.id()));
        node.tick(1_000);
        node.tick(1_000);
        assertThat(node.store().list(RetainedLog.FOLDER)).isNotEmpty();
        node.restart();
        assertThat(rows(damaged)).hasSize(100);
    }

    /** Whose condition would not hold any more on the files that it has by then. */
    @Test
    void aTableThatComesBackDoesNotSetAsideAnotherOneOfItsTransaction() throws IOException {
        put(damaged, 1, "in a file");
        node.await(node.engine().flush(damaged.id()));
        String transaction = node.engine().beginTransaction(damaged.id(), Optional.empty());
        WriteBatchBuilder update = damaged.batch();
        damaged.update(update, OperationKind.UPDATE, 1, Optional.of("updated"), 2);
        stage(transaction, damaged, update);
        WriteBatchBuilder insert = other.batch();
        other.insert(insert, OperationKind.INSERT, 5, "inserted", 5);
        stage(transaction, other, insert);
        CompletableFuture<Lsn> commit = node.commit(transaction, List.of());
        node.runUntilDecided(transaction, commit);
        String index = fileOf(damaged).keyIndex().orElseThrow().path();
        byte[] good = node.store().readFully(index);
        node.store().delete(index);
        node.restart();
        assertSetAside(index);
        assertThat(rows(other)).containsExactly(Map.entry(5L, "inserted:5"));
        node.await(node.engine().flush(other.id()));

        node.store().put(index, good);
        node.restart();
        assertThat(node.engine().status().damages()).isEmpty();
        assertThat(rows(damaged)).containsExactly(Map.entry(1L, "updated:2"));
        assertThat(rows(other)).containsExactly(Map.entry(5L, "inserted:5"));
    }

    private void stage(String transaction, TestTable table, WriteBatchBuilder batch) {
        node.engine()
                .stage(
                        transaction,
                        table.schema().shard(0),
                        batch.toByteArray(),
                        0,
                        batch.sizeBytes());
    }

    @Test
    void aCommitWhoseConflictCheckCannotReadAFileIsAbortedForCertain() throws IOException {
        for (long id = 0; id < 100; id++) {
            put(damaged, id, "in a file");
        }
        node.await(node.engine().flush(damaged.id()));
        Lsn read = node.openSnapshot().lsn();
        String transaction = node.engine().beginTransaction(damaged.id(), Optional.of(read));
        WriteBatchBuilder batch = damaged.batch();
        batch.upsert(damaged.key(7), damaged.row(7, "transaction", 7));
        stage(transaction, damaged, batch);
        String index = fileOf(damaged).keyIndex().orElseThrow().path();
        byte[] bytes = node.store().readFully(index);
        bytes[30] ^= 1;
        node.store().put(index, bytes);
        Refusals.assertRefused(
                        ErrorCode.TRANSACTION_ABORTED,
                        () -> node.await(node.commit(transaction, List.of())))
                .hasMessageContaining("nothing is changed")
                .hasMessageContaining(index);
        bytes[30] ^= 1;
        node.store().put(index, bytes);
        node.restart();
        assertThat(rows(damaged)).containsEntry(7L, "in a file:7");
    }

    @Test
    void commitsBehindOneWhoseDecisionIsDamagedAreAnswered() throws IOException {
        TestTable elsewhere =
                TestTable.create(node.engine(), "elsewhere", Orientation.ROW, true, 2);
        put(damaged, 1, "row");
        String broken = node.engine().beginTransaction(damaged.id(), Optional.empty());
        stageRow(broken, damaged, 2);
        String decision = Decision.path(broken);
        node.store().put(decision, new byte[] {1, 2, 3});
        String both = node.engine().beginTransaction(damaged.id(), Optional.empty());
        stageRow(both, damaged, 3);
        stageRow(both, elsewhere, 3);
        String healthy = node.engine().beginTransaction(elsewhere.id(), Optional.empty());
        stageRow(healthy, elsewhere, 4);
        List<CompletableFuture<?>> answers =
                List.of(
                        node.commit(broken, List.of()),
                        node.commit(both, List.of()),
                        damaged.upsert(node.engine(), 5, "behind", 5),
                        node.commit(healthy, List.of()));
        for (int tick = 0; tick < 20; tick++) {
            node.tick(500);
        }
        assertThat(answers).allSatisfy(answer -> assertThat(answer).isDone());
        assertThat(answers.get(1)).isCompletedExceptionally();
        assertThat(answers.get(3)).isCompleted();
        assertThat(node.engine().status().damages())
                .extracting(Damage::object)
                .containsExactly(decision);
        assertThat(node.engine().status().log().heldBytes()).isZero();
        put(elsewhere, 6, "serves");

        node.store().delete(decision);
        node.restart();
        assertThat(node.engine().status().damages()).isEmpty();
        assertThat(rows(damaged)).containsEntry(1L, "row:1").doesNotContainKeys(2L, 3L);
        assertThat(rows(elsewhere)).containsOnlyKeys(4L, 6L);
    }

    private void stageRow(String transaction, TestTable table, long id) {
        WriteBatchBuilder batch = table.batch();
        batch.upsert(table.key(id), table.row(id, "transaction", id));
        node.engine()
                .stage(transaction, table.shard(id), batch.toByteArray(), 0, batch.sizeBytes());
    }

    private void assertSetAside(String object) throws IOException {
        node.tick(0); // opens the files
        assertThat(node.engine().status().damages())
                .extracting(Damage::object)
                .containsExactly(object);
        assertRefused(() -> rows(damaged), "is set aside");
        assertRefused(() -> put(damaged, 77, "refused"), "is set aside");
        assertRefused(() -> node.await(node.engine().flush(damaged.id())), "is set aside");
        assertThat(node.engine().status().failedShards()).isEmpty();
    }

    private static void assertRefused(ThrowingCallable call, String message) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        SteleException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT_DATA))
                .hasMessageContaining(message);
    }

    private WrittenFile workerFile(String id) throws IOException {
        return workerFile(id, WorkerFiles.Checksums.IN_KEY_INDEX);
    }

    private WrittenFile workerFile(String id, WorkerFiles.Checksums checksums) throws IOException {
        return WorkerFiles.write(
                node.objects(),
                damaged,
                damaged.schema().shard(0),
                id,
                List.of(new Row(1_000, "worker", 1), new Row(1_001, "worker", 2)),
                checksums);
    }

    private void cut(String path, int keptBytes) throws IOException {
        byte[] whole = node.objects().readFully(path);
        node.objects().delete(path);
        if (keptBytes >= 0) {
            node.objects().put(path, Arrays.copyOf(whole, keptBytes));
        }
    }

    private String newest(String prefix) throws IOException {
        return node.store().list(prefix).stream()
                .map(ObjectEntry::path)
                .max(String::compareTo)
                .orElseThrow();
    }

    private FileEntry fileOf(TestTable table) {
        TableId id = table.id();
        return node.engine().shard(table.schema().shard(0)).table(id).view().columnFiles().stream()
                .map(file -> file.entry())
                .findFirst()
                .orElseThrow();
    }

    private void put(TestTable table, long id, String name) {
        node.await(table.upsert(node.engine(), id, name, id));
    }

    private Map<Long, String> rows(TestTable table) throws IOException {
        return table.snapshot(node.engine(), node.openSnapshot());
    }
}
