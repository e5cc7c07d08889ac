package io.stele.engine;

import static io.stele.engine.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.engine.WorkerFiles.Row;
import io.stele.engine.node.CacheOptions;
import io.stele.engine.node.StorageOptions;
import io.stele.engine.shard.StoreWait;
import io.stele.engine.shard.maintenance.MaintenanceFailure;
import io.stele.engine.shard.maintenance.MaintenanceListener;
import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.engine.transaction.Decision;
import io.stele.objectstore.StoreFaults;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.maintenance.TableFile;
import io.stele.protocol.api.write.WrittenFile;
import io.stele.protocol.schema.IndexSchema;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.wire.WriteBatchBuilder;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The store does not answer while records are applied that depend on files. */
class TestStoreOutage {
    // No key index stays in memory, so that every change of a key in a file asks the store
    private static final StorageOptions OPTIONS =
            StorageOptions.DEFAULT
                    .withOnePhase(0) // transactions are decided by objects
                    .withCaches(new CacheOptions(1, 1, 1 << 20, 1, 0, 0))
                    .withMemTables(1 << 20, 1 << 30, Duration.ofHours(1))
                    .withMaxWriteWait(Duration.ofSeconds(30));

    // An ingest asks the store some sixty times, and begins anew when one call fails
    private static final StoreFaults FLAKY = new StoreFaults(0.03, 0, 0, 0);

    private final SimulatedNode node = start(OPTIONS);
    private final TestTable table =
            TestTable.create(node.engine(), "t", Orientation.COLUMN, true, 1);

    @Test
    void aCommitThatTheStoreDoesNotDecideIsDecidedWhenItAnswers() throws IOException {
        TestTable rows = TestTable.create(node.engine(), "rows", Orientation.ROW, true, 2);
        node.await(rows.upsert(node.engine(), 1, "before", 1));
        LeasedSnapshot before = node.openSnapshot();
        String transaction = node.engine().beginTransaction(rows.id(), Optional.empty());
        for (long id = 1; id < 10; id++) {
            WriteBatchBuilder batch = rows.batch();
            batch.upsert(rows.key(id), rows.row(id, "after", id));
            node.engine()
                    .stage(transaction, rows.shard(id), batch.toByteArray(), 0, batch.sizeBytes());
        }
        node.store().setFaults(StoreFaults.OUTAGE);
        CompletableFuture<Lsn> commit = node.commit(transaction, List.of());
        CompletableFuture<Lsn> repeated = node.commit(transaction, List.of());
        for (int i = 0; i < 120; i++) {
            node.tick(500);
        }
        assertThat(commit).isNotDone();
        assertThat(repeated).isNotDone();
        assertThat(node.engine().status().failedShards()).isEmpty();
        assertThat(rows.snapshot(node.engine(), before)).containsExactly(Map.entry(1L, "before:1"));
        assertThat(node.uncaught()).as("told once").hasSize(1);

        node.store().setFaults(StoreFaults.NONE);
        Lsn lsn = node.await(commit);
        assertThat(node.await(repeated)).isEqualTo(lsn);
        node.await(rows.upsert(node.engine(), 20, "later", 1));
        assertThat(rows.snapshot(node.engine(), node.openSnapshot()))
                .hasSize(10)
                .containsEntry(1L, "after:1");
        node.restart();
        assertThat(rows.snapshot(node.engine(), node.openSnapshot())).hasSize(10);
    }

    @Test
    void aWriteWaitsForTheStoreAndComesThrough() throws IOException {
        fill(100);
        LeasedSnapshot before = node.openSnapshot();
        node.store().setFaults(StoreFaults.OUTAGE);
        CompletableFuture<Lsn> changed = table.upsert(node.engine(), 7, "changed", 1);
        CompletableFuture<Lsn> behind = table.upsert(node.engine(), 500, "new", 1);
        for (int i = 0; i < 20; i++) {
            node.tick(500);
        }
        assertThat(changed).isNotDone();
        assertThat(behind).as("records are applied in order").isNotDone();
        assertThat(node.engine().status().failedShards()).isEmpty();
        StoreWait wait = node.engine().status().storeWaits().getFirst();
        assertThat(wait.attempts()).as("with growing pauses").isBetween(4, 6);
        assertThat(wait.describe()).contains("Injected failure", ".idx");
        assertThat(node.engine().status().gates().state()).as("stopped").isEqualTo(2);

        CompletableFuture<?> flush = node.engine().flush(table.id());
        node.tick(500);
        assertThat(flush).as("what is applied in part is not sealed").isNotDone();

        node.store().setFaults(StoreFaults.NONE);
        node.await(changed);
        node.await(behind);
        node.await(flush);
        assertThat(node.engine().status().storeWaits()).isEmpty();
        assertThat(node.engine().status().gates().state()).isZero();
        assertThat(table.planned(node, before)).hasSize(100).containsEntry(7L, "name:7");
        assertThat(table.planned(node, node.openSnapshot()))
                .hasSize(101)
                .containsEntry(7L, "changed:1")
                .containsEntry(500L, "new:1");
        node.restart();
        assertThat(table.planned(node, node.openSnapshot())).hasSize(101);
        assertThat(node.uncaught()).isEmpty();
    }

    @Test
    void aFlushThatFailsIsToldUntilOneGoesWell() throws IOException {
        List<String> reported = new ArrayList<>();
        node.engine().notifyMaintenanceFailures(listener(reported));
        CompletableFuture<Lsn> written = table.upsert(node.engine(), 1, "x", 1);
        node.await(written);
        assertThat(node.engine().status().maintenanceFailures()).isEmpty();
        node.store().setFaults(StoreFaults.OUTAGE);
        CompletableFuture<?> flush = node.engine().flush(table.id());
        for (int i = 0; i < 10; i++) {
            node.tick(500);
        }
        assertThat(flush).as("a store may be away for a moment").isNotDone();
        for (int i = 0; i < 30; i++) {
            node.tick(500);
        }
        assertRefused(ErrorCode.STORE_FAILED, () -> node.await(flush))
                .hasMessageContainingAll(
                        "flush of test.t", "failed 5 times", "Injected failure: start data/");
        assertThat(node.engine().status().maintenanceFailures())
                .singleElement()
                .satisfies(
                        failure -> {
                            assertThat(failure.attempts())
                                    .as("with growing pauses")
                                    .isBetween(6, 7);
                            assertThat(failure.describe())
                                    .contains("flush of test.t", "Injected failure");
                        });
        assertThat(reported.getFirst()).isEqualTo("failed 1: flush of test.t");

        CompletableFuture<?> again = node.engine().flush(table.id());
        node.store().setFaults(StoreFaults.NONE);
        node.await(again);
        assertThat(node.engine().status().maintenanceFailures()).isEmpty();
        assertThat(reported.getLast()).startsWith("recovered ");
        assertThat(table.planned(node, node.openSnapshot())).containsEntry(1L, "x:1");
    }

    /** What reads files fails, or what writes them, or only the manifest that is to name them. */
    @ParameterizedTest
    @ValueSource(strings = {"read data/", "start data/", "create manifest/"})
    void whoeverWaitsForAMergeIsToldThatItFails(String failing) throws IOException {
        fill(100);
        fill(100, 200);
        node.store().failWhere(what -> what.startsWith(failing));
        CompletableFuture<?> compacted = node.engine().compact(table.id());
        CompletableFuture<?> analyzed = node.engine().analyze(table.id());
        for (int i = 0; i < 40; i++) {
            node.tick(500);
        }
        assertThat(analyzed).isDone();
        assertRefused(ErrorCode.STORE_FAILED, () -> node.await(compacted))
                .hasMessageContainingAll(
                        failing.startsWith("create")
                                ? "the manifest in shard"
                                : "merge of test.t in shard",
                        "failed 5 times",
                        "Injected failure: " + failing);

        node.store().failWhere(what -> false);
        assertThat(table.planned(node, node.openSnapshot())).hasSize(200);
        node.await(node.engine().compact(table.id()));
        assertThat(node.engine().files(table.id()).getFirst().files())
                .as("merged when asked again")
                .hasSize(1);
        assertThat(node.engine().status().maintenanceFailures()).isEmpty();
        assertThat(table.planned(node, node.openSnapshot())).hasSize(200);
        node.restart();
        assertThat(table.planned(node, node.openSnapshot())).hasSize(200);
    }

    @Test
    void whoeverWaitsForAMergeOfADamagedFileIsToldAtOnce() throws IOException {
        fill(100);
        fill(100, 200);
        for (var object : node.store().contents().list("data/")) {
            if (object.path().endsWith(".orc")) {
                byte[] bytes = node.store().readFully(object.path());
                bytes[bytes.length / 2] ^= 1;
                node.store().put(object.path(), bytes);
            }
        }
        CompletableFuture<?> compacted = node.engine().compact(table.id());
        assertRefused(ErrorCode.CORRUPT_DATA, () -> node.await(compacted))
                .hasMessageContainingAll("merge of test.t", "failed once", ".orc");
    }

    /** Files of ten rows each, of which four make a compaction; the first one is damaged. */
    @Test
    void whatIsWholeIsMergedBesideADamagedFile() throws IOException {
        List<String> reported = new ArrayList<>();
        node.engine().notifyMaintenanceFailures(listener(reported));
        fill(10);
        String damaged = columnFiles().getFirst();
        byte[] whole = node.store().readFully(damaged);
        byte[] bytes = whole.clone();
        bytes[bytes.length / 2] ^= 1;
        node.store().put(damaged, bytes);

        long id = 10;
        for (int file = 1; file < 4; file++, id += 10) {
            fill(id, id + 10);
        }
        node.tick(500);
        assertThat(reported).containsExactly("failed 1: merge of test.t");
        fill(id, id + 10);
        id += 10;
        node.tick(500);
        assertThat(columnFiles()).as("the others became one").hasSize(2).contains(damaged);
        assertThat(node.engine().status().maintenanceFailures())
                .as("told until it is merged")
                .singleElement()
                .satisfies(failure -> assertThat(failure.cause()).contains(damaged));

        node.tick(10_000);
        for (int file = 0; file < 4 && reported.size() < 2; file++, id += 10) {
            fill(id, id + 10);
            node.tick(500);
        }
        assertThat(reported).as("tried again").endsWith("failed 2: merge of test.t").hasSize(2);
        node.tick(10_000);
        for (int file = 0; file < 4; file++, id += 10) {
            fill(id, id + 10);
            node.tick(500);
        }
        assertThat(reported).as("left alone twice as long").hasSize(2);
        assertThat(columnFiles()).as("others are merged").hasSizeLessThan(5).contains(damaged);

        node.store().put(damaged, whole);
        node.await(node.engine().compact(table.id()));
        assertThat(columnFiles()).as("who asks need not wait").hasSize(1).doesNotContain(damaged);
        node.tick(500);
        assertThat(node.engine().status().maintenanceFailures()).isEmpty();
        assertThat(reported).endsWith("recovered 2: merge of test.t");
        assertThat(table.planned(node, node.openSnapshot())).hasSize((int) id);
    }

    private List<String> columnFiles() {
        return node.engine().files(table.id()).getFirst().files().stream()
                .map(TableFile::path)
                .toList();
    }

    @Test
    void whoeverAsksForAFlushWhileRecordsWaitForTheStoreIsTold() throws IOException {
        fill(100);
        node.store().setFaults(StoreFaults.OUTAGE);
        CompletableFuture<Lsn> changed = table.upsert(node.engine(), 7, "changed", 1);
        node.tick(500);
        CompletableFuture<?> flush = node.engine().flush(table.id());
        for (int i = 0; i < 60; i++) {
            node.tick(500);
        }
        assertRefused(ErrorCode.STORE_FAILED, () -> node.await(flush))
                .hasMessageContainingAll(
                        "Expected all records before the flush to be applied", "Injected failure");
        node.store().setFaults(StoreFaults.NONE);
        node.await(changed);
        node.await(node.engine().flush(table.id()));
        assertThat(table.planned(node, node.openSnapshot())).containsEntry(7L, "changed:1");
    }

    private static MaintenanceListener listener(List<String> reported) {
        return new MaintenanceListener() {
            @Override
            public void failed(MaintenanceFailure failure) {
                reported.add("failed " + failure.attempts() + ": " + failure.work());
            }

            @Override
            public void recovered(MaintenanceFailure last) {
                reported.add("recovered " + last.attempts() + ": " + last.work());
            }
        };
    }

    @Test
    void aWriteHeldTooLongIsBusyAndWasNotDone() throws IOException {
        fill(100);
        node.store().setFaults(StoreFaults.OUTAGE);
        CompletableFuture<Lsn> logged = table.upsert(node.engine(), 7, "logged", 1);
        node.tick(500);
        CompletableFuture<Lsn> held = table.upsert(node.engine(), 8, "held", 1);
        for (int i = 0; i < 62; i++) {
            node.tick(500);
        }
        assertThat(logged).isNotDone();
        assertRefused(ErrorCode.BUSY, () -> node.await(held));
        node.store().setFaults(StoreFaults.NONE);
        node.await(logged);
        assertThat(table.planned(node, node.openSnapshot()))
                .containsEntry(7L, "logged:1")
                .containsEntry(8L, "name:8");
    }

    @Test
    void corruptionSetsTheTableAsideAndNotTheShard() throws IOException {
        fill(100);
        for (var object : node.store().contents().list("data/")) {
            if (object.path().endsWith(".idx")) {
                byte[] bytes = node.store().readFully(object.path());
                bytes[30] ^= 1;
                node.store().put(object.path(), bytes);
            }
        }
        CompletableFuture<Lsn> changed = table.upsert(node.engine(), 7, "changed", 1);
        assertThatThrownBy(() -> node.await(changed)).isInstanceOf(SteleException.class);
        assertThat(node.engine().status().failedShards()).isEmpty();
        assertThat(node.engine().status().damages()).hasSize(1);
        assertThat(node.engine().status().storeWaits()).isEmpty();
    }

    /**
     * Files and rows of a transaction, with indexes, applied over an outage that comes and goes.
     */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
    void everyRecordIsAppliedOnceHoweverOftenTheStoreFails(long seed) throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        TestTable indexed =
                TestTable.createIndexed(
                        node.engine(),
                        "indexed",
                        Orientation.COLUMN,
                        1,
                        List.of(new IndexSchema(1, "by_name", List.of(2), false, true)));
        TestTable appends =
                TestTable.create(node.engine(), "appends", Orientation.COLUMN, false, 1);
        Map<Long, String> expected = new TreeMap<>();
        Map<Long, String> appended = new TreeMap<>();
        for (int round = 0; round < 12; round++) {
            node.store().setFaults(StoreFaults.NONE);
            List<CompletableFuture<?>> writes = new ArrayList<>();
            WrittenFile file = null;
            WrittenFile rows = null;
            if (round % 3 == 2) {
                List<Row> content = new ArrayList<>();
                for (long id = 0; id < 30; id += 1 + random.nextInt(3)) {
                    content.add(new Row(id, "file " + round, id));
                    expected.put(id, "file " + round + ":" + id);
                }
                file =
                        WorkerFiles.write(
                                node.objects(),
                                indexed,
                                indexed.schema().shard(0),
                                "f" + round,
                                content);
                List<Row> more = List.of(new Row(1_000L + round, "appended", round));
                appended.put(1_000L + round, "appended:" + round);
                rows =
                        WorkerFiles.write(
                                node.objects(),
                                appends,
                                appends.schema().shard(0),
                                "a" + round,
                                more);
            }
            node.store().setFaults(FLAKY);
            if (file != null) {
                String transaction = node.engine().beginTransaction(indexed.id(), Optional.empty());
                node.store().setFaults(StoreFaults.NONE);
                CompletableFuture<Lsn> commit = node.commit(transaction, List.of(file, rows));
                writes.add(commit);
                while (!commit.isDone()
                        && node.store().list(Decision.path(transaction)).isEmpty()) {
                    if (!node.pool().runOne()) {
                        node.tick(20);
                    }
                }
                node.store().setFaults(FLAKY);
            }
            for (int i = 0; i < 5; i++) {
                long id = random.nextInt(30);
                if (random.nextInt(4) == 0) {
                    writes.add(indexed.delete(node.engine(), id));
                    expected.remove(id);
                } else {
                    writes.add(indexed.upsert(node.engine(), id, "round " + round, i));
                    expected.put(id, "round " + round + ":" + i);
                }
            }
            if (random.nextBoolean()) {
                Simulation.ignore(node.engine().flush(indexed.id()));
            }
            for (CompletableFuture<?> write : writes) {
                node.await(write);
            }
            if (random.nextInt(3) == 0) {
                node.store().setFaults(StoreFaults.NONE);
                node.await(node.engine().compact(indexed.id()));
            }
        }
        node.store().setFaults(StoreFaults.NONE);
        for (int time = 0; time < 2; time++) {
            LeasedSnapshot snapshot = node.openSnapshot();
            assertThat(indexed.snapshot(node.engine(), snapshot)).isEqualTo(expected);
            assertThat(indexed.planned(node, snapshot)).isEqualTo(expected);
            assertThat(appends.planned(node, snapshot)).isEqualTo(appended);
            Map<Long, String> ofRound = new TreeMap<>(expected);
            ofRound.values().removeIf(row -> !row.startsWith("round 11:"));
            assertThat(
                            new TreeMap<>(
                                    indexed.lookup(
                                            node.engine(), snapshot, 1, List.of("round 11"))))
                    .isEqualTo(ofRound);
            // Deletions of old files are only reported
            assertThat(node.uncaught()).allMatch(IOException.class::isInstance);
            node.restart();
        }
    }

    private void fill(int rows) {
        fill(0, rows);
    }

    private void fill(long from, long to) {
        for (long id = from; id < to; id++) {
            node.await(table.upsert(node.engine(), id, "name", id));
        }
        node.await(node.engine().flush(table.id()));
    }

    private static SimulatedNode start(StorageOptions options) {
        try {
            return SimulatedNode.start(options, 3);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
