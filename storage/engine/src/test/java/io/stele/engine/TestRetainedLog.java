package io.stele.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.manifest.FileEntry;
import io.stele.engine.node.StorageOptions;
import io.stele.engine.recovery.RetainedLog;
import io.stele.engine.shard.Damage;
import io.stele.engine.transaction.Decision;
import io.stele.engine.wal.LogOptions;
import io.stele.objectstore.ObjectEntry;
import io.stele.objectstore.StoreFaults;
import io.stele.objectstore.fault.CrashPoint;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import io.stele.protocol.predicate.ScanPredicate;
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

/**
 * Tables that are set aside and shards that stopped, whose log goes meanwhile: when what was
 * damaged is put back, everything acknowledged is there again.
 */
final class TestRetainedLog {
    private static final int TASK_LIMIT = 1_000_000;

    private static final StorageOptions OPTIONS =
            StorageOptions.DEFAULT
                    .withOnePhase(0) // transactions are decided by objects
                    .withRetention(Duration.ofSeconds(1))
                    .withMemTables(1 << 20, 1 << 30, Duration.ofHours(10))
                    .withLog(new LogOptions(4096, 1 << 20, 1 << 16, 1 << 16, Duration.ZERO));

    private final SimulatedNode node = start();

    // Of one shard, and of others
    private final TestTable damaged = table("damaged", true, 1);
    private final TestTable other = table("other", true, 1);
    private final TestTable elsewhere = table("elsewhere", true, 2);

    private static SimulatedNode start() {
        try {
            return SimulatedNode.start(OPTIONS, 7);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private TestTable table(String name, boolean keyed, int shards) {
        return TestTable.create(node.engine(), name, Orientation.COLUMN, keyed, shards);
    }

    /** Of a table that is in files up to an LSN, and of another whose rows came before it. */
    @Test
    void aShardThatStopsBeforeItsLogIsReplayedKeepsAllOfIt() throws IOException {
        put(other, 1, "only in the log");
        for (long id = 0; id < 2_100; id++) {
            put(damaged, id % 10, "in a file");
        }
        node.await(node.engine().flush(damaged.id()));
        String writers = newest("manifest/" + shard() + "/writers/");
        byte[] good = node.store().readFully(writers);
        node.store().delete(writers);
        node.restart();
        assertThat(node.engine().status().failedShards()).hasSize(1);
        assertThat(node.engine().status().damages())
                .extracting(Damage::object)
                .containsExactly(writers);
        trim();

        node.store().put(writers, good);
        node.restart();
        assertThat(node.engine().status().damages()).isEmpty();
        assertThat(rows(other)).containsExactly(Map.entry(1L, "only in the log:1"));
        assertThat(rows(damaged)).hasSize(10);
    }

    @Test
    void aShardThatStopsKeepsWhatItsTablesThatAreSetAsideNeed() throws IOException {
        put(damaged, 1, "in a file");
        node.await(node.engine().flush(damaged.id()));
        for (long id = 2; id < 50; id++) {
            put(damaged, id, "only in the log");
        }
        Lost lost = lose(damaged);
        node.restart();
        put(other, 1, "row");
        node.await(node.engine().flush(other.id()));
        node.engine()
                .shard(shard())
                .fail(new SteleException(ErrorCode.UNAVAILABLE, "stopped by the test"));
        trim();

        lost.putBack();
        node.restart();
        assertThat(node.engine().status().damages()).isEmpty();
        assertThat(rows(damaged)).hasSize(49).containsEntry(49L, "only in the log:49");
        assertThat(rows(other)).containsEntry(1L, "row:1");
    }

    /** Damage is met at a write between PREPARE and OUTCOME. */
    @Test
    void aTransactionThatIsOpenWhenItsTableIsSetAsideIsKeptWhole() throws IOException {
        for (long id = 0; id < 100; id++) {
            put(damaged, id, "in a file");
        }
        node.await(node.engine().flush(damaged.id()));
        String transaction = node.engine().beginTransaction(damaged.id(), Optional.empty());
        stage(transaction, damaged, 200, "transaction");
        CompletableFuture<Lsn> commit = node.commit(transaction, List.of());
        CompletableFuture<Lsn> between = damaged.upsert(node.engine(), 7, "between", 7);
        Lsn committed = node.await(commit);
        assertThat(node.await(between)).isLessThan(committed);
        FileEntry file = fileOf(damaged);
        String index = file.keyIndex().orElseThrow().path();
        byte[] good = node.store().readFully(index);
        byte[] bad = good.clone();
        bad[30] ^= 1;
        node.store().put(index, bad);
        node.restart();
        assertThat(node.engine().status().damages()).hasSize(1);
        trim();

        node.store().put(index, good);
        node.restart();
        assertThat(node.engine().status().damages()).isEmpty();
        assertThat(rows(damaged))
                .containsEntry(200L, "transaction:200")
                .containsEntry(7L, "between:7");
    }

    /** How a transaction ended is found out while one of its tables is set aside. */
    @Test
    void rowsOfATableWithoutKeyGetTheirIdsWhenItComesBack() throws IOException {
        TestTable appends = table("appends", false, 1);
        append(appends, 1, 2, 3);
        node.await(node.engine().flush(appends.id()));
        node.await(node.engine().deletePartitions(appends.id(), ScanPredicate.ALL));
        node.await(node.engine().flush(appends.id()));
        String transaction = node.engine().beginTransaction(appends.id(), Optional.empty());
        WriteBatchBuilder batch = appends.batch();
        batch.append(appends.row(4, "transaction", 4));
        batch.append(appends.row(5, "transaction", 5));
        stage(transaction, appends, batch);
        leaveInDoubt(transaction);
        // What is deleted is read before transactions are resolved
        Lost lost = lose(fileOf(appends).deletionVector().orElseThrow().path());
        node.restart();
        assertThat(node.engine().status().damages()).hasSize(1);
        trim();

        lost.putBack();
        node.restart();
        assertThat(node.engine().status().damages()).isEmpty();
        append(appends, 6);
        assertThat(rows(appends)).containsOnlyKeys(4L, 5L, 6L);
        assertThat(node.engine().shard(shard()).table(appends.id()).nextRowId()).isEqualTo(6);
        node.await(node.engine().flush(appends.id()));
        node.restart();
        assertThat(rows(appends)).containsOnlyKeys(4L, 5L, 6L);
    }

    /** As if a start before this one had filled up its LSN with a VOID. */
    @Test
    void aCommitThatTheLogOfItsShardHasPassedStopsThatShardAndNoOther() throws IOException {
        Lsn before = node.await(damaged.upsert(node.engine(), 1, "before", 1));
        put(elsewhere, 1, "serves");
        String transaction = node.engine().beginTransaction(damaged.id(), Optional.empty());
        stage(transaction, damaged, 2, "transaction");
        CompletableFuture<Lsn> commit = node.commit(transaction, List.of());
        node.store().setFaults(StoreFaults.OUTAGE);
        node.tick(100);
        assertThat(commit).isNotDone();
        node.store().setFaults(StoreFaults.NONE);
        Decision passed = new Decision(transaction, true, before, Optional.empty(), 1);
        node.store().put(Decision.path(transaction), passed.encode());
        node.restart();
        assertThat(node.engine().status().damages())
                .extracting(Damage::object)
                .containsExactly(Decision.path(transaction));
        assertThat(node.engine().status().failedShards()).hasSize(1);
        put(elsewhere, 2, "serves");
        assertThat(rows(elsewhere)).hasSize(2);
        trim();
    }

    /**
     * A shard that stopped is back and its rows are in files: at whichever step of the work that
     * follows the process dies, no PREPARE is left without its OUTCOME.
     */
    @Test
    void whatIsKeptOfATransactionGoesBeforeItsOutcome() throws IOException {
        put(other, 2, "in a file");
        node.await(node.engine().flush(other.id()));
        String transaction = node.engine().beginTransaction(damaged.id(), Optional.empty());
        stage(transaction, damaged, 1, "x".repeat(5_000)); // ends its segment
        CompletableFuture<Lsn> commit = node.commit(transaction, List.of());
        put(other, 1, "between");
        node.await(commit);
        put(elsewhere, 1, "holds the segment of the outcome");
        String manifest = newest("manifest/" + shard() + "/0");
        byte[] good = node.store().readFully(manifest);
        node.store().put(manifest, new byte[] {1});
        node.restart();
        for (int tick = 0; tick < 4; tick++) {
            node.tick(1_000);
        }
        assertThat(node.store().list(RetainedLog.FOLDER)).isNotEmpty();
        node.store().put(manifest, good);
        boolean dies = true;
        int deaths = 0;
        for (long operation = 1; dies; operation++) {
            SimulatedNode fork = node.fork((store, log) -> {});
            dies = dieWhileFilesGo(fork, operation);
            deaths += dies ? 1 : 0;
            fork.restart();
            assertThat(fork.engine().status().damages()).as("died at %s", operation).isEmpty();
            assertThat(damaged.snapshot(fork.engine(), fork.openSnapshot())).hasSize(1);
            assertThat(other.snapshot(fork.engine(), fork.openSnapshot())).containsKeys(1L, 2L);
        }
        assertThat(deaths).isGreaterThan(3);
    }

    /** From the start that finds the manifest again to the end of the work that this makes. */
    private boolean dieWhileFilesGo(SimulatedNode fork, long operation) {
        CrashPoint death = CrashPoint.after(operation);
        try {
            fork.restart(death, StoreFaults.NONE);
            for (TestTable table : List.of(damaged, other, elsewhere)) {
                fork.engine().flush(table.id());
            }
            fork.pool().runUntilIdle(TASK_LIMIT);
            // Behind the outcome, and in no file
            other.upsert(fork.engine(), 3, "x".repeat(5_000), 3);
            for (int tick = 0; tick < 6; tick++) {
                fork.tick(1_000);
            }
        } catch (IOException | SteleException dying) {
            // the next start finds what this one left
        }
        return death.crashed();
    }

    private void leaveInDoubt(String transaction) throws IOException {
        CompletableFuture<Lsn> commit = node.commit(transaction, List.of());
        node.runUntilDecided(transaction, commit);
    }

    /** Everything but what is kept goes: all that serves is in files, and the log has moved on. */
    private void trim() throws IOException {
        long first = node.engine().status().log().firstSegment();
        for (long id = 0; id < 100; id++) {
            put(elsewhere, id, "x".repeat(200));
        }
        node.await(node.engine().flush(elsewhere.id()));
        if (node.engine().status().failedShards().isEmpty()) {
            put(other, 99, "lets the shard's manifest know its writers");
            node.await(node.engine().flush(other.id()));
        }
        for (int tick = 0; tick < 4; tick++) {
            node.tick(1_000);
        }
        assertThat(node.engine().status().log().firstSegment()).isGreaterThan(first + 2);
        assertThat(node.store().list(RetainedLog.FOLDER)).isNotEmpty();
    }

    private Lost lose(TestTable table) throws IOException {
        FileEntry file = fileOf(table);
        return lose(file.keyIndex().map(index -> index.path()).orElse(file.path()));
    }

    private Lost lose(String path) throws IOException {
        Lost lost = new Lost(path, node.objects().readFully(path));
        node.objects().delete(path);
        return lost;
    }

    /** An object that is gone. */
    private final class Lost {
        private final String path;
        private final byte[] content;

        private Lost(String path, byte[] content) {
            this.path = path;
            this.content = content;
        }

        private void putBack() throws IOException {
            node.objects().put(path, content);
        }
    }

    private FileEntry fileOf(TestTable table) {
        return node.engine().shard(shard()).table(table.id()).view().columnFiles().stream()
                .map(file -> file.entry())
                .findFirst()
                .orElseThrow();
    }

    private ShardId shard() {
        return damaged.schema().shard(0);
    }

    private void stage(String transaction, TestTable table, long id, String name) {
        WriteBatchBuilder batch = table.batch();
        batch.upsert(table.key(id), table.row(id, name, id));
        stage(transaction, table, batch);
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

    private void append(TestTable table, long... ids) {
        WriteBatchBuilder batch = table.batch();
        for (long id : ids) {
            batch.append(table.row(id, "row", id));
        }
        node.await(table.write(node.engine(), shard(), batch));
    }

    private String newest(String prefix) throws IOException {
        return node.store().list(prefix).stream()
                .map(ObjectEntry::path)
                .max(String::compareTo)
                .orElseThrow();
    }

    private void put(TestTable table, long id, String name) {
        node.await(table.upsert(node.engine(), id, name, id));
    }

    private Map<Long, String> rows(TestTable table) throws IOException {
        return new TreeMap<>(table.snapshot(node.engine(), node.openSnapshot()));
    }
}
