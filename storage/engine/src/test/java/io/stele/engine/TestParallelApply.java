package io.stele.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.node.CacheOptions;
import io.stele.engine.node.StorageOptions;
import io.stele.engine.row.HashBucket;
import io.stele.engine.shard.apply.ApplyOptions;
import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.objectstore.StoreFaults;
import io.stele.protocol.Lsn;
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
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A shard whose log several workers apply, looked at after every task of any of them. */
class TestParallelApply {
    private static final int IDS = 80;
    private static final int TASK_LIMIT = 1_000_000;

    /**
     * At every LSN that the shard says it has applied, readers find the batches up to it, whole.
     */
    @ParameterizedTest
    @EnumSource(Orientation.class)
    void everyPublishedLsnShowsThePrefix(Orientation orientation) throws IOException {
        int published = 0;
        for (long seed = 0; seed < 6; seed++) {
            published += run(orientation, seed);
        }
        assertThat(published).isGreaterThan(200);
    }

    private static int run(Orientation orientation, long seed) throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        int workers = 2 + random.nextInt(3);
        SimulatedNode node =
                SimulatedNode.start(
                        StorageOptions.DEFAULT
                                .withMemTables(20_000, 10_000_000, Duration.ofSeconds(20))
                                .withApply(new ApplyOptions(workers, workers, 0, 100)),
                        seed);
        TestTable table = TestTable.create(node.engine(), "t", orientation, true, 1);
        TreeMap<Lsn, Map<Long, Optional<String>>> history = new TreeMap<>();
        List<LeasedSnapshot> opened = new ArrayList<>();
        int[] inFlight = {0};
        int published = 0;
        Lsn last = Lsn.MIN;
        for (int step = 0; step < 1500; step++) {
            if (inFlight[0] < 12 && random.nextInt(4) == 0) {
                inFlight[0]++;
                CompletableFuture<Lsn> written =
                        random.nextInt(5) == 0
                                ? commit(node, table, random, history)
                                : write(node, table, random, history);
                written.whenComplete((lsn, failed) -> inFlight[0]--);
            }
            if (random.nextInt(60) == 0) {
                Simulation.ignore(
                        random.nextInt(4) == 0
                                ? node.engine().compact(table.id())
                                : node.engine().flush(table.id()));
            }
            if (random.nextInt(20) == 0) {
                node.engine()
                        .openSnapshot(Optional.empty(), Duration.ofHours(1))
                        .thenAccept(opened::add);
            }
            node.pool().runOne();
            for (LeasedSnapshot snapshot : opened) {
                scan(node, table, snapshot, history);
            }
            opened.clear();
            Lsn applied = node.engine().status().shards().getFirst().appliedLsn();
            if (applied.compareTo(last) > 0 && history.containsKey(applied)) {
                look(node, table, applied, history);
                last = applied;
                published++;
            }
        }
        node.pool().runUntilIdle(TASK_LIMIT);
        node.restart();
        assertThat(workers(node)).isEqualTo(workers);
        look(node, table, history.lastKey(), history);
        assertThat(node.uncaught()).isEmpty();
        return published;
    }

    private static CompletableFuture<Lsn> write(
            SimulatedNode node,
            TestTable table,
            SplittableRandom random,
            TreeMap<Lsn, Map<Long, Optional<String>>> history) {
        WriteBatchBuilder batch = table.batch();
        Map<Long, Optional<String>> changes = change(batch, table, random);
        return noted(table.write(node.engine(), table.schema().shard(0), batch), changes, history);
    }

    /** As a transaction, whose records are barriers: its rows are those of its commit. */
    private static CompletableFuture<Lsn> commit(
            SimulatedNode node,
            TestTable table,
            SplittableRandom random,
            TreeMap<Lsn, Map<Long, Optional<String>>> history) {
        WriteBatchBuilder batch = table.batch();
        Map<Long, Optional<String>> changes = change(batch, table, random);
        String transaction = node.engine().beginTransaction(table.id(), Optional.empty());
        node.engine()
                .stage(
                        transaction,
                        table.schema().shard(0),
                        batch.toByteArray(),
                        0,
                        batch.sizeBytes());
        return noted(node.commit(transaction, List.of()), changes, history);
    }

    private static Map<Long, Optional<String>> change(
            WriteBatchBuilder batch, TestTable table, SplittableRandom random) {
        Map<Long, Optional<String>> changes = new TreeMap<>();
        for (int i = 1 + random.nextInt(30); i > 0; i--) {
            long id = random.nextInt(IDS);
            if (random.nextInt(4) == 0) {
                batch.delete(table.key(id));
                changes.put(id, Optional.empty());
            } else {
                long amount = random.nextInt(1_000_000);
                batch.upsert(table.key(id), table.row(id, "n", amount));
                changes.put(id, Optional.of("n:" + amount));
            }
        }
        return changes;
    }

    private static CompletableFuture<Lsn> noted(
            CompletableFuture<Lsn> written,
            Map<Long, Optional<String>> changes,
            TreeMap<Lsn, Map<Long, Optional<String>>> history) {
        return written.whenComplete(
                (lsn, failed) -> {
                    if (failed == null) {
                        history.put(lsn, changes);
                    }
                });
    }

    private static Map<Long, String> rowsAt(
            Lsn lsn, TreeMap<Lsn, Map<Long, Optional<String>>> history) {
        Map<Long, String> rows = new TreeMap<>();
        history.headMap(lsn, true)
                .values()
                .forEach(
                        changes ->
                                changes.forEach(
                                        (id, row) ->
                                                row.ifPresentOrElse(
                                                        value -> rows.put(id, value),
                                                        () -> rows.remove(id))));
        return rows;
    }

    /** Every row by its key, at an LSN that is applied. */
    private static void look(
            SimulatedNode node,
            TestTable table,
            Lsn applied,
            TreeMap<Lsn, Map<Long, Optional<String>>> history)
            throws IOException {
        Map<Long, String> found = new TreeMap<>();
        for (long id = 0; id <= IDS; id++) {
            long of = id;
            table.get(node.engine(), Optional.of(applied), id).ifPresent(row -> found.put(of, row));
        }
        assertThat(found).as("at %s", applied).isEqualTo(rowsAt(applied, history));
    }

    private static void scan(
            SimulatedNode node,
            TestTable table,
            LeasedSnapshot snapshot,
            TreeMap<Lsn, Map<Long, Optional<String>>> history)
            throws IOException {
        Map<Long, String> expected = rowsAt(snapshot.lsn(), history);
        assertThat(table.snapshot(node.engine(), snapshot))
                .as("at %s", snapshot)
                .isEqualTo(expected);
        assertThat(table.planned(node, snapshot)).as("at %s", snapshot).isEqualTo(expected);
        node.engine().closeSnapshot(snapshot.id());
    }

    /**
     * Lookups while the new row is in memory, and the old one in its file is not marked as obsolete
     * yet: they give the old row, and must not keep it.
     */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aRowThatIsReplacedMeanwhileIsNotKept(int workers) throws IOException {
        SimulatedNode node =
                SimulatedNode.start(
                        StorageOptions.DEFAULT.withApply(new ApplyOptions(workers, workers, 0, 1)),
                        7);
        TestTable table = TestTable.create(node.engine(), "t", Orientation.COLUMN, true, 1);
        for (int round = 0; round < 20; round++) {
            WriteBatchBuilder batch = table.batch();
            for (long id = 0; id < 4; id++) {
                batch.upsert(table.key(id), table.row(id, "n", round));
            }
            CompletableFuture<Lsn> written =
                    table.write(node.engine(), table.schema().shard(0), batch);
            for (int step = 0; !written.isDone(); step++) {
                assertThat(step).isLessThan(TASK_LIMIT);
                Optional<String> before =
                        round == 0 ? Optional.empty() : Optional.of("n:" + (round - 1));
                for (long id = 0; id < 4; id++) {
                    assertThat(table.get(node.engine(), Optional.empty(), id)).isEqualTo(before);
                }
                node.pool().runOne();
                node.advance(1);
            }
            node.await(written);
            for (long id = 0; id < 4; id++) {
                assertThat(table.get(node.engine(), Optional.empty(), id))
                        .as("key %s in round %s", id, round)
                        .contains("n:" + round);
            }
            node.await(node.engine().flush(table.id()));
        }
    }

    /** One worker needs a file that cannot be read, the other one has done its part. */
    @Test
    void whatSomeWorkersHaveAppliedIsAppliedByAllOnceTheStoreAnswers() throws IOException {
        SimulatedNode node =
                SimulatedNode.start(
                        StorageOptions.DEFAULT
                                .withCaches(new CacheOptions(1, 1, 0, 1, 0, 0))
                                .withApply(new ApplyOptions(2, 2, 0, 100)),
                        1);
        TestTable table = TestTable.create(node.engine(), "t", Orientation.COLUMN, true, 1);
        TreeMap<Long, String> expected = new TreeMap<>();
        WriteBatchBuilder old = table.batch();
        for (long id = 0; id < 100; id++) {
            old.upsert(table.key(id), table.row(id, "old", id));
            expected.put(id, "old:" + id);
        }
        node.await(table.write(node.engine(), table.schema().shard(0), old));
        node.await(node.engine().flush(table.id()));
        node.store().setFaults(StoreFaults.OUTAGE);
        WriteBatchBuilder changes = table.batch();
        for (long id = 0; id < 200; id++) {
            byte[] key = table.key(id);
            int worker = new HashBucket(0, 2).has(key, 0, key.length) ? 0 : 1;
            if (worker == (id < 100 ? 0 : 1)) { // those of one worker are in the file
                changes.upsert(key, table.row(id, "new", id));
                expected.put(id, "new:" + id);
            }
        }
        assertThat(expected).hasSizeBetween(130, 170);
        CompletableFuture<Lsn> changed =
                table.write(node.engine(), table.schema().shard(0), changes);
        node.tick(500);
        assertThat(node.engine().status().storeWaits()).hasSize(1);
        assertThat(workers(node)).isEqualTo(2);
        for (long id : expected.tailMap(100L).keySet()) {
            assertThat(table.get(node.engine(), Optional.empty(), id)).as("too early").isEmpty();
        }

        node.store().setFaults(StoreFaults.NONE);
        node.await(changed);
        assertThat(table.snapshot(node.engine(), node.openSnapshot())).isEqualTo(expected);
        assertThat(table.planned(node, node.openSnapshot())).isEqualTo(expected);
        node.await(node.engine().flush(table.id()));
        assertThat(table.planned(node, node.openSnapshot())).isEqualTo(expected);
        assertThat(node.uncaught()).isEmpty();
    }

    @Test
    void workersFollowTheLoad() throws IOException {
        SimulatedNode node =
                SimulatedNode.start(
                        StorageOptions.DEFAULT.withApply(new ApplyOptions(1, 4, 2, 200)), 5);
        TestTable table = TestTable.create(node.engine(), "t", Orientation.ROW, true, 1);
        SplittableRandom random = new SplittableRandom(5);
        TreeMap<Lsn, Map<Long, Optional<String>>> history = new TreeMap<>();
        flood(node, table, random, history);
        for (int tick = 0; tick < 100 && workers(node) > 1; tick++) {
            node.tick(500);
        }
        assertThat(workers(node)).isEqualTo(1);
        // What two workers and four had written is in the memtable still.
        Lsn alone = node.await(table.upsert(node.engine(), IDS, "alone", 1));
        history.put(alone, Map.of((long) IDS, Optional.of("alone:1")));
        flood(node, table, random, history);
        look(node, table, history.lastKey(), history);
    }

    private static void flood(
            SimulatedNode node,
            TestTable table,
            SplittableRandom random,
            TreeMap<Lsn, Map<Long, Optional<String>>> history)
            throws IOException {
        int before = history.size();
        int most = 1;
        for (int step = 0; step < 3000; step++) {
            write(node, table, random, history);
            if (step % 2
                    == 0) { // so that the log has made more durable before what it has is applied
                node.pool().runOne();
            }
            node.advance(random.nextInt(4));
            most = Math.max(most, workers(node));
        }
        node.pool().runUntilIdle(TASK_LIMIT);
        assertThat(most).isEqualTo(4);
        assertThat(history).hasSize(before + 3000);
        look(node, table, history.lastKey(), history);
    }

    private static int workers(SimulatedNode node) {
        return node.engine().status().applies().values().iterator().next().workers();
    }
}
