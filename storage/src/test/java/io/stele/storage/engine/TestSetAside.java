package io.stele.storage.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import io.stele.protocol.api.WrittenFile;
import io.stele.protocol.schema.Orientation;
import io.stele.storage.engine.WorkerFiles.Row;
import io.stele.storage.manifest.FileEntry;
import io.stele.storage.objectstore.ObjectEntry;
import io.stele.storage.shard.Damage;
import io.stele.storage.wal.LogOptions;
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
                WrittenFile file = workerFile("w" + suffix.substring(1) + keptBytes);
                String transaction = node.engine().beginTransaction(damaged.id(), Optional.empty());
                String path = file.path().replace(".orc", suffix);
                if (file.paths().contains(path) && !(suffix.equals(".orc.sums") && keptBytes > 0)) {
                    cut(path, keptBytes);
                    assertRefused(
                            () -> node.await(node.commit(transaction, List.of(file))),
                            "nothing is changed");
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
        while (!commit.isDone() && node.store().list(Decision.path(transaction)).isEmpty()) {
            if (!node.pool().runOne()) {
                node.tick(500);
            }
        }
        assertThat(commit).isNotDone();
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
        assertThat(node.store().list(KeptLog.FOLDER)).isNotEmpty();
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
        assertThat(node.store().list(KeptLog.FOLDER)).isEmpty();
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
                            assertThat(damage.shard()).isEqualTo(shard);
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
        assertThat(elsewhere.snapshot(node.engine(), node.readPoint())).hasSize(200);
        assertThat(node.engine().status().log().firstSegment()).isGreaterThan(3);
        node.tick(3_600_000); // no file of its tables is an orphan

        node.store().put(manifest, good);
        node.restart();
        assertThat(node.engine().status().damages()).isEmpty();
        assertThat(rows(damaged))
                .containsOnly(Map.entry(1L, "in a file:1"), Map.entry(2L, "in the log:2"));
        assertThat(elsewhere.snapshot(node.engine(), node.readPoint())).hasSize(200);
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

    private void assertSetAside(String object) throws IOException {
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
        return WorkerFiles.write(
                node.objects(),
                damaged,
                damaged.schema().shard(0),
                id,
                List.of(new Row(1_000, "worker", 1), new Row(1_001, "worker", 2)));
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
        return table.snapshot(node.engine(), node.readPoint());
    }
}
