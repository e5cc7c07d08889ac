package io.stele.engine;

import static io.stele.engine.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.manifest.FileEntry;
import io.stele.engine.node.StorageOptions;
import io.stele.engine.recovery.DroppedObjects;
import io.stele.engine.recovery.RetainedLog;
import io.stele.engine.shard.Damage;
import io.stele.engine.transaction.Decision;
import io.stele.engine.wal.LogOptions;
import io.stele.objectstore.ObjectEntry;
import io.stele.objectstore.StoreFaults;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.wire.WriteBatchBuilder;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What is damaged is told by the name of its object, and nothing but that is lost with it. */
final class TestDamageDrops {
    private static final StorageOptions OPTIONS =
            StorageOptions.DEFAULT
                    .withOnePhase(0) // transactions are decided by objects
                    .withRetention(Duration.ofSeconds(1))
                    .withManifestChanges(2)
                    .withMemTables(1 << 20, 1 << 30, Duration.ofHours(10))
                    .withLog(new LogOptions(4096, 1 << 20, 1 << 16, 1 << 16, Duration.ZERO));

    private final SimulatedNode node = SimulatedNode.start(OPTIONS, 9);
    private final TestTable table =
            TestTable.create(node.engine(), "t", Orientation.COLUMN, true, 1);
    private final TestTable other =
            TestTable.create(node.engine(), "other", Orientation.COLUMN, true, 1);

    TestDamageDrops() throws IOException {}

    @Test
    void writersAreGivenUpWithoutTheManifest() throws IOException {
        for (long i = 0; i < 2_100; i++) {
            put(table, i % 10, "in a file");
        }
        flush(table);
        String writers = newest(manifests() + "writers/");
        damage(writers);
        assertDamaged(writers);
        drop(writers);
        assertThat(rows(table)).hasSize(10);
        put(table, 10, "after");
        flush(table);
        node.restart();
        assertThat(rows(table)).hasSize(11);
    }

    @Test
    void aLostObjectCanBeGivenUpAsADamagedOne() throws IOException {
        for (long i = 0; i < 2_100; i++) {
            put(table, i % 10, "in a file");
        }
        flush(table);
        String writers = newest(manifests() + "writers/");
        node.store().delete(writers);
        assertDamaged(writers);
        drop(writers);
        assertThat(rows(table)).hasSize(10);
    }

    @Test
    void ofTheLogWhatIsKeptElsewhereIsGivenUpAlone() throws IOException {
        put(table, 1, "in a file");
        flush(table);
        for (long id = 2; id < 40; id++) {
            put(table, id, "in what is kept");
        }
        FileEntry file = fileOf(table);
        String index = file.keyIndex().orElseThrow().path();
        byte[] good = node.store().readFully(index);
        node.store().delete(index);
        assertDamaged(index);
        for (long id = 0; id < 100; id++) {
            put(other, id, "x".repeat(200));
        }
        flush(other);
        for (int tick = 0; tick < 4; tick++) {
            node.tick(1_000);
        }
        String kept = newest(RetainedLog.FOLDER);
        node.store().put(index, good);
        damage(kept);
        assertDamaged(kept);
        drop(kept);
        assertThat(rows(table)).containsEntry(1L, "in a file:1");
        assertThat(rows(other)).hasSize(100);
    }

    /** It opens, and is read when a record is applied that changes a row of its file. */
    @Test
    void aKeyIndexThatIsMetByARecordIsToldByItsName() throws IOException {
        for (long id = 0; id < 100; id++) {
            put(table, id, "in a file");
        }
        flush(table);
        put(table, 7, "in the log");
        String index = fileOf(table).keyIndex().orElseThrow().path();
        damage(index, 30);
        assertDamaged(index);
        drop(index);
        assertThat(rows(table)).containsExactly(Map.entry(7L, "in the log:7"));
    }

    /** Otherwise older results would be taken for those of other rows. */
    @Test
    void whatIsGivenUpIsInTheHistory() throws IOException {
        for (long id = 0; id < 100; id++) {
            put(table, id, "in a file");
        }
        flush(table);
        Optional<String> first = node.engine().history();
        assertThat(first).isPresent();
        node.restart();
        assertThat(node.engine().history()).isEqualTo(first);
        String index = fileOf(table).keyIndex().orElseThrow().path();
        put(table, 7, "in the log");
        damage(index, 30);
        assertDamaged(index);
        assertThat(node.engine().history()).isEqualTo(first);
        drop(index);
        assertThat(node.engine().history()).isPresent().isNotEqualTo(first);
    }

    @Test
    void aDecisionThatIsGivenUpAbortsItsTransaction() throws IOException {
        put(table, 1, "row");
        String transaction = node.engine().beginTransaction(table.id(), Optional.empty());
        WriteBatchBuilder batch = table.batch();
        batch.upsert(table.key(2), table.row(2, "transaction", 2));
        node.engine().stage(transaction, table.shard(2), batch.toByteArray(), 0, batch.sizeBytes());
        node.store().setFaults(StoreFaults.OUTAGE);
        CompletableFuture<Lsn> commit = node.commit(transaction, List.of());
        node.tick(100);
        assertThat(commit).isNotDone();
        node.store().setFaults(StoreFaults.NONE);
        String decision = Decision.path(transaction);
        node.store().put(decision, new byte[] {1, 2, 3});
        assertDamaged(decision);
        drop(decision);
        assertThat(rows(table)).hasSize(1);
        put(table, 3, "serves");
    }

    @Test
    void aBaseIsGivenUpWithTheVersionsThatNeedIt() throws IOException {
        for (long id = 0; id < 6; id++) {
            put(table, id, "row");
            flush(table);
        }
        String base = newest(manifests() + "base/");
        String before = newest(manifests() + "0");
        damage(base);
        assertDamaged(base);
        int versions = node.store().list(manifests() + "0").size();
        drop(base);
        assertThat(node.store().list(DroppedObjects.FOLDER + manifests() + "0"))
                .extracting(ObjectEntry::path)
                .contains(DroppedObjects.FOLDER + before)
                .hasSizeLessThan(versions);
        assertThat(rows(table)).as("also what the log still has").isNotEmpty();
    }

    @Test
    void theOnlyBaseIsNotGivenUp() throws IOException {
        for (long id = 0; id < 6; id++) {
            put(table, id, "row");
            flush(table);
        }
        String base = newest(manifests() + "base/");
        for (ObjectEntry version : node.store().list(manifests() + "0")) {
            if (!version.path().equals(newest(manifests() + "0"))) {
                node.store().delete(version.path());
            }
        }
        byte[] good = node.store().readFully(base);
        damage(base);
        assertDamaged(base);
        assertRefused(
                ErrorCode.INVALID_ARGUMENT, () -> node.await(node.engine().dropDamaged(base)));
        node.store().put(base, good);
        node.restart();
        assertThat(rows(table)).hasSize(6);
    }

    private void assertDamaged(String object) throws IOException {
        node.restart();
        node.tick(0); // opens the files
        assertThat(node.engine().status().damages())
                .extracting(Damage::object)
                .containsExactly(object);
    }

    private void drop(String object) throws IOException {
        node.await(node.engine().dropDamaged(object));
        node.restart();
        assertThat(node.engine().status().damages()).isEmpty();
        assertThat(node.engine().status().failedShards()).isEmpty();
    }

    private void damage(String object) throws IOException {
        damage(object, node.store().readFully(object).length / 2);
    }

    private void damage(String object, int position) throws IOException {
        byte[] bytes = node.store().readFully(object);
        bytes[position] ^= 1;
        node.store().put(object, bytes);
    }

    private FileEntry fileOf(TestTable of) {
        return node.engine().shard(shard()).table(of.id()).view().columnFiles().stream()
                .map(file -> file.entry())
                .findFirst()
                .orElseThrow();
    }

    private ShardId shard() {
        return table.schema().shard(0);
    }

    private String manifests() {
        return "manifest/" + shard() + "/";
    }

    private String newest(String prefix) throws IOException {
        return node.store().list(prefix).stream()
                .map(ObjectEntry::path)
                .filter(path -> !path.endsWith(".sums") && !path.endsWith(".sketches"))
                .max(String::compareTo)
                .orElseThrow();
    }

    private void put(TestTable to, long id, String name) {
        node.await(to.upsert(node.engine(), id, name, id));
    }

    private void flush(TestTable of) {
        node.await(node.engine().flush(of.id()));
    }

    private Map<Long, String> rows(TestTable of) throws IOException {
        return new TreeMap<>(of.snapshot(node.engine(), node.openSnapshot()));
    }
}
