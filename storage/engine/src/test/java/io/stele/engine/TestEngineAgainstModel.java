package io.stele.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.stele.engine.node.StorageOptions;
import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.api.scan.ChangeKind;
import io.stele.protocol.predicate.ColumnDomain;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.row.KeyEncoder;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.wire.WriteBatchBuilder;
import io.stele.testing.LongRun;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random changes, flushes, compactions, reopenings and reads at old snapshots, beside a TreeMap of
 * every version of the table.
 */
class TestEngineAgainstModel {
    private static final List<Integer> BY_AMOUNT_AND_NAME = List.of(3, 2);
    private static final StorageOptions OPTIONS =
            StorageOptions.DEFAULT
                    .withMemTables(20_000, 10_000_000, Duration.ofMinutes(5))
                    .withRetention(Duration.ofMillis(1))
                    .withCollectionGrace(Duration.ofMillis(1));

    /** With memory for all changes, for some commits, or for less than one. */
    private static StorageOptions options(long seed) {
        long[] bytes = {64 << 20, 3_000, 500};
        return OPTIONS.withMaxChanges(bytes[(int) (seed % bytes.length)]);
    }

    static List<Arguments> keyedTables() {
        return LongRun.combinations(
                List.of(
                        arguments(Orientation.ROW, 1L),
                        arguments(Orientation.COLUMN, 4L),
                        arguments(Orientation.ROW_COLUMN, 5L)),
                List.of(
                        arguments(Orientation.ROW, 2L),
                        arguments(Orientation.COLUMN, 3L),
                        arguments(Orientation.ROW_COLUMN, 6L)));
    }

    @ParameterizedTest
    @MethodSource("keyedTables")
    void keyedTable(Orientation orientation, long seed) throws IOException {
        new KeyedRun(orientation, seed, List.of()).run(600);
    }

    static List<Arguments> clusteredTables() {
        return LongRun.combinations(
                List.of(arguments(Orientation.COLUMN, 11L), arguments(Orientation.ROW_COLUMN, 12L)),
                List.of(arguments(Orientation.COLUMN, 10L), arguments(Orientation.COLUMN, 13L)));
    }

    @ParameterizedTest
    @MethodSource("clusteredTables")
    void clusteredTable(Orientation orientation, long seed) throws IOException {
        new KeyedRun(orientation, seed, BY_AMOUNT_AND_NAME).run(600);
    }

    static List<Long> appendSeeds() {
        return LongRun.combinations(List.of(7L), List.of(8L, 9L));
    }

    @ParameterizedTest
    @MethodSource("appendSeeds")
    void appendOnlyTable(long seed) throws IOException {
        new AppendRun(seed, List.of()).run(400);
    }

    static List<Long> clusteredAppendSeeds() {
        return LongRun.combinations(List.of(14L), List.of(15L));
    }

    @ParameterizedTest
    @MethodSource("clusteredAppendSeeds")
    void clusteredAppendOnlyTable(long seed) throws IOException {
        new AppendRun(seed, BY_AMOUNT_AND_NAME).run(400);
    }

    /** The table after each LSN. */
    private static final class Model {
        private final TreeMap<Lsn, Map<Long, String>> states =
                new TreeMap<>(Map.of(Lsn.MIN, Map.of()));
        private final TreeMap<Long, String> present = new TreeMap<>();

        void changed(Lsn lsn) {
            states.put(lsn, new TreeMap<>(present));
        }

        Map<Long, String> at(Lsn lsn) {
            return states.floorEntry(lsn).getValue();
        }

        /** Every change after one LSN and up to another: LSN, kind, id and the row of it. */
        List<String> changes(Lsn after, Lsn to) {
            List<String> changes = new ArrayList<>();
            Map<Long, String> before = at(after);
            for (Map.Entry<Lsn, Map<Long, String>> state :
                    states.subMap(after, false, to, true).entrySet()) {
                Map<Long, String> now = state.getValue();
                for (Map.Entry<Long, String> row : now.entrySet()) {
                    String earlier = before.get(row.getKey());
                    if (earlier != null && !row.getValue().equals(earlier)) {
                        changes.add(
                                "%s %s %s %s"
                                        .formatted(
                                                state.getKey().value(),
                                                ChangeKind.UPDATE_BEFORE,
                                                row.getKey(),
                                                earlier));
                    }
                    if (!row.getValue().equals(earlier)) {
                        changes.add(
                                "%s %s %s %s"
                                        .formatted(
                                                state.getKey().value(),
                                                earlier == null
                                                        ? ChangeKind.INSERT
                                                        : ChangeKind.UPDATE,
                                                row.getKey(),
                                                row.getValue()));
                    }
                }
                for (Map.Entry<Long, String> row : before.entrySet()) {
                    if (!now.containsKey(row.getKey())) {
                        changes.add(
                                "%s %s %s %s"
                                        .formatted(
                                                state.getKey().value(),
                                                ChangeKind.DELETE,
                                                row.getKey(),
                                                row.getValue()));
                    }
                }
                before = now;
            }
            changes.sort(null);
            return changes;
        }

        /** The changes between a point and those before it, from its snapshot. */
        void checkChanges(
                SimulatedNode node,
                TestTable table,
                List<LeasedSnapshot> earlier,
                LeasedSnapshot snapshot)
                throws IOException {
            for (LeasedSnapshot from : earlier) {
                if (from.lsn().compareTo(snapshot.lsn()) <= 0) {
                    assertThat(table.changes(node.engine(), from.lsn(), snapshot))
                            .as("changes after %s up to %s", from.lsn(), snapshot.lsn())
                            .isEqualTo(changes(from.lsn(), snapshot.lsn()));
                    checkSomeChanges(node, table, from.lsn(), snapshot);
                }
            }
        }

        /** Those of some rows, and up to some moment. */
        private void checkSomeChanges(
                SimulatedNode node, TestTable table, Lsn from, LeasedSnapshot snapshot)
                throws IOException {
            SplittableRandom random = new SplittableRandom(snapshot.lsn().value() + from.value());
            List<Lsn> moments =
                    List.copyOf(states.subMap(from, true, snapshot.lsn(), true).navigableKeySet());
            Lsn upTo =
                    moments.isEmpty()
                            ? snapshot.lsn()
                            : moments.get(random.nextInt(moments.size()));
            long minId = random.nextInt(50);
            long maxId = minId + random.nextInt(100);
            long minAmount = random.nextInt(1_000);
            boolean isOfId = random.nextInt(3) > 0;
            boolean isOfAmount = !isOfId || random.nextBoolean();
            boolean withBeforeImages = random.nextBoolean();
            Map<Integer, ColumnDomain> domains = new HashMap<>();
            if (isOfId) {
                domains.put(1, TestTable.between(minId, maxId));
            }
            if (isOfAmount) {
                domains.put(3, TestTable.between(minAmount, Long.MAX_VALUE));
            }
            assertThat(
                            table.changes(
                                    node.engine(),
                                    from,
                                    snapshot,
                                    upTo,
                                    new ScanPredicate(domains),
                                    withBeforeImages))
                    .as("changes after %s up to %s of %s", from, upTo, domains)
                    .isEqualTo(
                            changes(from, upTo).stream()
                                    .filter(
                                            change ->
                                                    withBeforeImages
                                                            || !change.contains(" UPDATE_BEFORE "))
                                    .filter(
                                            change -> {
                                                long id = Long.parseLong(change.split(" ")[2]);
                                                long amount =
                                                        Long.parseLong(
                                                                change.substring(
                                                                        change.lastIndexOf(':')
                                                                                + 1));
                                                return !(isOfId && (id < minId || id > maxId))
                                                        && !(isOfAmount && amount < minAmount);
                                            })
                                    .toList());
        }
    }

    private static final class KeyedRun {
        private final SplittableRandom random;
        private final SimulatedNode node;
        private final TestTable table;
        private final Model model = new Model();
        private final List<LeasedSnapshot> snapshots = new ArrayList<>();

        KeyedRun(Orientation orientation, long seed, List<Integer> clusteringKey)
                throws IOException {
            random = new SplittableRandom(seed);
            node = SimulatedNode.start(options(seed), seed);
            table =
                    TestTable.create(
                            node.engine(),
                            "t",
                            orientation,
                            true,
                            2,
                            clusteringKey,
                            seed % 2 == 0 ? List.of(1) : List.of(),
                            io.stele.engine.catalog.TableState.PUBLIC);
        }

        void run(int steps) throws IOException {
            for (int step = 0; step < steps; step++) {
                step(random.nextInt(100));
            }
            node.await(node.engine().compact(table.id()));
            checkAll();
            assertThat(node.uncaught()).isEmpty();
        }

        private void step(int dice) throws IOException {
            if (dice < 70) {
                change();
            } else if (dice < 76) {
                snapshots.add(node.openSnapshot());
            } else if (dice < 82) {
                checkAll();
            } else if (dice < 86) {
                node.await(node.engine().flush(table.id()));
            } else if (dice < 88) {
                node.await(node.engine().compact(table.id()));
            } else if (dice < 94) {
                node.tick(random.nextInt(2000));
            } else if (dice < 97 && !snapshots.isEmpty()) {
                node.engine()
                        .closeSnapshot(snapshots.remove(random.nextInt(snapshots.size())).id());
            } else if (dice == 99) {
                node.restart();
                snapshots.clear();
            }
        }

        private void change() {
            ShardId shard = table.schema().shard(random.nextInt(2));
            WriteBatchBuilder batch = table.batch();
            for (int i = random.nextInt(8); i >= 0; i--) {
                long id = random.nextInt(random.nextInt(4) == 0 ? 400 : 40);
                if (!table.shard(id).equals(shard)) {
                    continue;
                }
                if (random.nextInt(4) == 0) {
                    batch.delete(table.key(id));
                    model.present.remove(id);
                } else {
                    String name = "n" + random.nextInt(1000) + "x".repeat(random.nextInt(200));
                    long amount = random.nextLong(1000);
                    batch.upsert(table.key(id), table.row(id, name, amount));
                    model.present.put(id, name + ":" + amount);
                }
            }
            if (!batch.isEmpty()) {
                model.changed(node.await(table.write(node.engine(), shard, batch)));
            }
        }

        private void checkAll() throws IOException {
            LeasedSnapshot now = node.openSnapshot();
            check(now);
            node.engine().closeSnapshot(now.id());
            for (LeasedSnapshot snapshot : snapshots) {
                check(snapshot);
            }
        }

        private void check(LeasedSnapshot snapshot) throws IOException {
            Map<Long, String> expected = model.at(snapshot.lsn());
            assertThat(table.snapshot(node.engine(), snapshot)).isEqualTo(expected);
            assertThat(table.planned(node, snapshot)).isEqualTo(expected);
            model.checkChanges(node, table, snapshots, snapshot);
            for (int i = 0; i < 20; i++) {
                long id = random.nextInt(400);
                assertThat(table.get(node.engine(), Optional.of(snapshot.lsn()), id))
                        .as("key %s at %s", id, snapshot.lsn())
                        .isEqualTo(Optional.ofNullable(expected.get(id)));
            }
        }
    }

    private static final class AppendRun {
        private final SplittableRandom random;
        private final SimulatedNode node;
        private final TestTable table;
        private final Model model = new Model();
        private final Map<Long, Long> rowIds =
                new TreeMap<>(); // id of a row to its row id, found by scanning
        private final List<LeasedSnapshot> snapshots = new ArrayList<>();
        private long nextId;

        AppendRun(long seed, List<Integer> clusteringKey) throws IOException {
            random = new SplittableRandom(seed);
            node = SimulatedNode.start(options(seed), seed);
            table =
                    TestTable.create(
                            node.engine(),
                            "t",
                            Orientation.COLUMN,
                            false,
                            2,
                            clusteringKey,
                            List.of(),
                            io.stele.engine.catalog.TableState.PUBLIC);
        }

        void run(int steps) throws IOException {
            for (int step = 0; step < steps; step++) {
                step(random.nextInt(100));
            }
            node.await(node.engine().compact(table.id()));
            checkAll();
            assertThat(node.uncaught()).isEmpty();
        }

        private void step(int dice) throws IOException {
            if (dice < 50) {
                append();
            } else if (dice < 70) {
                delete();
            } else if (dice < 76) {
                snapshots.add(node.openSnapshot());
            } else if (dice < 84) {
                checkAll();
            } else if (dice < 90) {
                node.await(node.engine().flush(table.id()));
            } else if (dice < 92) {
                node.await(node.engine().compact(table.id()));
            } else if (dice < 98) {
                node.tick(random.nextInt(2000));
            } else {
                node.restart();
                snapshots.clear();
            }
        }

        private void append() {
            ShardId shard = table.schema().shard(random.nextInt(2));
            WriteBatchBuilder batch = table.batch();
            for (int i = random.nextInt(8); i >= 0; i--) {
                long id = nextId++ * 2 + shard.index();
                long amount = Long.reverse(id);
                batch.append(table.row(id, "name", amount));
                model.present.put(id, "name:" + amount);
            }
            model.changed(node.await(table.write(node.engine(), shard, batch)));
        }

        private void delete() throws IOException {
            if (model.present.isEmpty()) {
                return;
            }
            findRowIds();
            List<Long> ids = List.copyOf(model.present.keySet());
            long id = ids.get(random.nextInt(ids.size()));
            WriteBatchBuilder batch = table.batch();
            batch.delete(KeyEncoder.rowIdKey(rowIds.get(id)));
            model.present.remove(id);
            model.changed(
                    node.await(
                            table.write(
                                    node.engine(), table.schema().shard((int) (id % 2)), batch)));
        }

        private void findRowIds() throws IOException {
            LeasedSnapshot now = node.openSnapshot();
            for (ShardId shard : table.schema().shards()) {
                try (var cursor = node.scan(now, table.id(), shard)) {
                    while (cursor.next()) {
                        Long earlier = rowIds.put(cursor.row().longAt(0), cursor.rowId());
                        assertThat(earlier == null || earlier == cursor.rowId())
                                .as("row ids never change")
                                .isTrue();
                    }
                }
            }
            node.engine().closeSnapshot(now.id());
        }

        private void checkAll() throws IOException {
            LeasedSnapshot now = node.openSnapshot();
            check(now);
            node.engine().closeSnapshot(now.id());
            for (LeasedSnapshot snapshot : snapshots) {
                check(snapshot);
            }
        }

        private void check(LeasedSnapshot snapshot) throws IOException {
            Map<Long, String> expected = model.at(snapshot.lsn());
            assertThat(table.snapshot(node.engine(), snapshot)).isEqualTo(expected);
            assertThat(table.planned(node, snapshot)).isEqualTo(expected);
            model.checkChanges(node, table, snapshots, snapshot);
        }
    }
}
