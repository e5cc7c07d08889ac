package io.stele.engine;

import static io.stele.engine.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.catalog.Catalog;
import io.stele.engine.node.StorageOptions;
import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.objectstore.ObjectEntry;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.TableId;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableOption;
import io.stele.protocol.schema.TableOptions;
import io.stele.protocol.schema.TableSchema;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Reads of the past, without a lease kept for them: at any LSN inside a table's retention they see
 * exactly what was there then, however much was flushed, compacted or restarted since; outside they
 * are refused.
 */
class TestRetention {
    private static final long DEFAULT_MILLIS = 40_000;
    private static final long SHORT_MILLIS = 9_000;
    private static final StorageOptions OPTIONS =
            StorageOptions.DEFAULT
                    .withMemTables(8_000, 10_000_000, Duration.ofSeconds(15))
                    .withTargetFileBytes(16_000)
                    .withRetention(Duration.ofMillis(DEFAULT_MILLIS))
                    .withCollectionGrace(Duration.ofMillis(1));

    @ParameterizedTest
    @CsvSource({"ROW,1", "ROW,2", "COLUMN,3", "COLUMN,4", "ROW_COLUMN,5", "ROW_COLUMN,6"})
    void everyLsnInsideTheRetentionIsReadable(Orientation orientation, long seed)
            throws IOException {
        Run run = new Run(orientation, seed);
        run.run(450);
        // A run that only ever refuses, or never, proves nothing.
        assertThat(run.read).isGreaterThan(15);
        assertThat(run.refused).isGreaterThan(15);
    }

    @Test
    void aTableOverridesTheDefault() throws IOException {
        SimulatedNode node = SimulatedNode.start(OPTIONS, 1);
        TestTable usual = TestTable.create(node.engine(), "usual", Orientation.ROW, true, 1);
        TestTable brief = create(node, "brief", Orientation.COLUMN, OptionalLong.of(1_000));
        Lsn first = node.await(usual.upsert(node.engine(), 1, "a", 1));
        node.await(brief.upsert(node.engine(), 1, "a", 1));
        node.tick(2_000);

        LeasedSnapshot snapshot = node.openSnapshot(first);
        assertThat(usual.snapshot(node.engine(), snapshot)).hasSize(1);
        assertExpired(() -> brief.snapshot(node.engine(), snapshot));
        assertExpired(() -> brief.planned(node, snapshot));
        assertExpired(() -> brief.get(node.engine(), Optional.of(first), 1));
    }

    @Test
    void historyIsForgottenOnRequestButNotWhatIsHeld() throws IOException {
        SimulatedNode node = SimulatedNode.start(OPTIONS, 1);
        for (Orientation orientation : Orientation.values()) {
            TestTable table = keyed(node, orientation);
            Lsn first = node.await(table.upsert(node.engine(), 1, "a", 1));
            Lsn second = node.await(table.upsert(node.engine(), 1, "b", 2));
            node.await(table.upsert(node.engine(), 1, "c", 3));
            node.tick(10);
            LeasedSnapshot held = node.openSnapshot(second);
            // Up to what is held, whatever is asked for
            node.await(node.engine().expireHistory(table.id(), new Lsn(Long.MAX_VALUE)));
            assertThat(node.engine().horizon(table.id())).isEqualTo(second);
            assertThat(table.snapshot(node.engine(), held)).isEqualTo(Map.of(1L, "b:2"));
            assertExpired(() -> table.get(node.engine(), Optional.of(first), 1));
            node.engine().closeSnapshot(held.id());
            node.await(node.engine().expireHistory(table.id(), new Lsn(Long.MAX_VALUE)));
            assertExpired(() -> table.get(node.engine(), Optional.of(second), 1));
            LeasedSnapshot now = node.openSnapshot();
            assertThat(table.snapshot(node.engine(), now)).isEqualTo(Map.of(1L, "c:3"));
            node.engine().closeSnapshot(now.id());
        }
    }

    @Test
    void aLeaseKeepsWhatItSeesBeyondTheRetention() throws IOException {
        SimulatedNode node = SimulatedNode.start(OPTIONS, 1);
        for (Orientation orientation : Orientation.values()) {
            TestTable table = keyed(node, orientation);
            for (long id = 0; id < 50; id++) {
                node.await(table.upsert(node.engine(), id, "old", id));
            }
            LeasedSnapshot snapshot = node.openSnapshot();
            Map<Long, String> then = table.snapshot(node.engine(), snapshot);
            // The lease ends after an hour; the retention is over long before.
            for (int round = 0; round < 5; round++) {
                for (long id = 0; id < 50; id++) {
                    node.await(table.upsert(node.engine(), id, "new", round));
                }
                node.await(node.engine().compact(table.id()));
                node.tick(2 * DEFAULT_MILLIS);
            }
            assertThat(table.snapshot(node.engine(), snapshot)).isEqualTo(then);
            assertThat(table.planned(node, snapshot)).isEqualTo(then);
            assertThat(table.get(node.engine(), Optional.of(snapshot.lsn()), 7)).contains("old:7");
            node.engine().closeSnapshot(snapshot.id());
        }
    }

    @Test
    void aLeaseHoldsTheFilesItHasSeenAndNoLonger() throws IOException {
        SimulatedNode node = SimulatedNode.start(OPTIONS, 1);
        for (Orientation orientation : Orientation.values()) {
            TestTable table = keyed(node, orientation);
            for (long id = 0; id < 50; id++) {
                node.await(table.upsert(node.engine(), id, "old", id));
                if (id % 10 == 0) {
                    node.await(node.engine().flush(table.id()));
                }
            }
            node.await(node.engine().flush(table.id()));
            node.tick(1_000); // what was compacted on the way is gone
            List<String> before = files(node, table);
            LeasedSnapshot snapshot = node.openSnapshot();
            Map<Long, String> then = table.planned(node, snapshot);

            node.await(node.engine().compact(table.id()));
            node.tick(1_000);
            assertThat(files(node, table)).as("held by the lease").containsAll(before);
            assertThat(table.planned(node, snapshot)).isEqualTo(then);

            node.engine().closeSnapshot(snapshot.id());
            node.tick(1_000);
            List<String> gone = new ArrayList<>(before);
            gone.removeAll(files(node, table));
            assertThat(gone).as("held by nobody").hasSizeGreaterThan(1);
            LeasedSnapshot later = node.openSnapshot(snapshot.lsn());
            assertThat(table.planned(node, later)).as("from the new files").isEqualTo(then);
            node.engine().closeSnapshot(later.id());
        }
    }

    @Test
    void whatAnEarlierEngineDroppedIsRefusedThoughTheRetentionIsLongerNow() throws IOException {
        for (Orientation orientation : Orientation.values()) {
            SimulatedNode node =
                    SimulatedNode.start(OPTIONS.withRetention(Duration.ofMillis(1)), 1);
            TestTable table = TestTable.create(node.engine(), "t", orientation, true, 1);
            Lsn first = node.await(table.upsert(node.engine(), 1, "a", 1));
            node.tick(1_000);
            Lsn second = node.await(table.upsert(node.engine(), 1, "b", 2));
            node.tick(1_000);
            node.await(node.engine().compact(table.id()));

            node.restart(OPTIONS.withRetention(Duration.ofHours(1)));
            assertExpired(() -> table.get(node.engine(), Optional.of(first), 1));
            assertExpired(() -> table.snapshot(node.engine(), node.openSnapshot(first)));
            assertThat(table.get(node.engine(), Optional.of(second), 1)).contains("b:2");
        }
    }

    @Test
    void aTransactionKeepsTheHistoryThatTellsItsConflicts() throws IOException {
        StorageOptions brief = OPTIONS.withRetention(Duration.ofMillis(1));
        for (Orientation orientation : Orientation.values()) {
            SimulatedNode node = SimulatedNode.start(brief, 1);
            TestTable table = TestTable.create(node.engine(), "t", orientation, true, 1);
            node.await(table.upsert(node.engine(), 1, "a", 1));
            node.await(table.upsert(node.engine(), 2, "a", 1));
            LeasedSnapshot snapshot = node.openSnapshot();
            String calm = begin(node, table, snapshot, 2);
            String late = begin(node, table, snapshot, 1);
            node.engine().closeSnapshot(snapshot.id());

            node.await(table.delete(node.engine(), 1));
            node.tick(60_000);
            node.await(node.engine().compact(table.id()));
            node.tick(1_000);
            node.await(node.commit(calm, List.of()));
            assertRefused(
                    ErrorCode.TRANSACTION_CONFLICT, () -> node.await(node.commit(late, List.of())));
        }
    }

    @ParameterizedTest
    @EnumSource(Orientation.class)
    void truncatedAndReplacedTablesAreReadAsOfBefore(Orientation orientation) throws IOException {
        SimulatedNode node = SimulatedNode.start(OPTIONS, 1);
        TestTable table = keyed(node, orientation);
        for (long id = 0; id < 30; id++) {
            node.await(table.upsert(node.engine(), id, "a", id));
            if (id == 20) {
                node.await(node.engine().flush(table.id()));
            }
        }
        LeasedSnapshot snapshot = node.openSnapshot();
        Map<Long, String> then = table.snapshot(node.engine(), snapshot);
        String late = begin(node, table, snapshot, 1);
        node.tick(10);
        TableId emptied = node.engine().catalog().truncateTable(table.id()).id();
        assertThat(table.snapshot(node.engine(), snapshot)).as("a query under way").isEqualTo(then);
        node.engine().closeSnapshot(snapshot.id());
        assertRefused(
                ErrorCode.TRANSACTION_CONFLICT, () -> node.await(node.commit(late, List.of())));
        assertRefused(
                ErrorCode.STALE_TABLE, () -> node.await(table.upsert(node.engine(), 1, "lost", 1)));
        assertRefused(
                ErrorCode.STALE_TABLE, () -> table.snapshot(node.engine(), node.openSnapshot()));
        TableSchema other =
                node.engine()
                        .catalog()
                        .createOrReplaceTable(
                                TableSchema.builder("test", orientation.text().replace(',', '_'))
                                        .columns(
                                                List.of(
                                                        new ColumnSchema(
                                                                1,
                                                                "other",
                                                                DataType.parse("bigint"))))
                                        .shardCount(2)
                                        .build(),
                                "");
        node.tick(2_000);
        for (int time = 0; time < 2; time++) {
            LeasedSnapshot past = node.openSnapshot(snapshot.lsn());
            TableSchema found = node.engine().tableAsOf(past, other.id()).schema();
            assertThat(found.id()).isEqualTo(table.id());
            assertThat(table.snapshot(node.engine(), past)).isEqualTo(then);
            assertThat(table.planned(node, past)).isEqualTo(then);
            LeasedSnapshot now = node.openSnapshot();
            assertThat(node.engine().tableAsOf(now, other.id()).schema()).isEqualTo(other);
            assertRefused(ErrorCode.STALE_TABLE, () -> table.snapshot(node.engine(), now));
            assertThat(node.engine().catalog().current().listTables("test")).contains(other);
            node.restart();
        }
        assertThat(files(node, table)).isNotEmpty();
        node.tick(2 * DEFAULT_MILLIS);
        node.tick(10_000);
        Catalog present = node.engine().catalog().current();
        assertThat(present.findTable(table.id())).isEmpty();
        assertThat(present.findTable(emptied)).isEmpty();
        assertThat(present.listTables("test")).contains(other);
        node.restart(); // what a compaction wrote while its table went is collected after a start
        node.tick(DEFAULT_MILLIS);
        node.tick(10_000);
        assertThat(files(node, table)).isEmpty();
    }

    /** As many as there are in the retention, also of rows that an open snapshot reads. */
    @Test
    void everyContentOfATableThatIsTruncatedOftenIsReadableThroughItsRetention()
            throws IOException {
        SimulatedNode node = SimulatedNode.start(OPTIONS, 1);
        TestTable table = keyed(node, Orientation.COLUMN);
        node.await(table.upsert(node.engine(), 1, "first", 1));
        LeasedSnapshot snapshot = node.openSnapshot();
        TableId present = table.id();
        List<TableId> all = new ArrayList<>();
        for (int time = 0; time < 40; time++) {
            all.add(present);
            present = node.engine().catalog().truncateTable(present).id();
            node.tick(1);
        }
        assertThat(table.snapshot(node.engine(), snapshot)).containsEntry(1L, "first:1");
        node.engine().closeSnapshot(snapshot.id());
        node.restart();
        LeasedSnapshot past = node.openSnapshot(snapshot.lsn());
        assertThat(node.engine().tableAsOf(past, present).schema().id()).isEqualTo(table.id());
        assertThat(table.snapshot(node.engine(), past)).containsEntry(1L, "first:1");
        node.engine().closeSnapshot(past.id());
        Catalog catalog = node.engine().catalog().current();
        assertThat(all).allMatch(id -> catalog.findTable(id).isPresent());
        node.tick(2 * DEFAULT_MILLIS);
        node.tick(10_000);
        assertThat(node.engine().catalog().current().tables())
                .noneMatch(entry -> all.contains(entry.schema().id()));
    }

    /** One of a shorter retention between them is not dropped before those that it leads to. */
    @Test
    void contentsStayReadableWhenLaterOnesHadAShorterRetention() throws IOException {
        SimulatedNode node = SimulatedNode.start(OPTIONS, 1);
        TestTable first = keyed(node, Orientation.COLUMN);
        node.await(first.upsert(node.engine(), 1, "first", 1));
        LeasedSnapshot then = node.openSnapshot();
        node.engine().closeSnapshot(then.id());
        TableId present = first.id();
        List<TableId> brief = new ArrayList<>();
        for (int time = 0; time < 20; time++) {
            present = node.engine().catalog().truncateTable(present).id();
            node.engine()
                    .catalog()
                    .setOptions(
                            present,
                            List.of(TableOption.RETENTION),
                            TableOptions.NONE.withRetentionMillis(
                                    OptionalLong.of(time == 19 ? 1_000_000 : time * 10)));
            brief.add(present);
            node.tick(20);
        }
        node.tick(DEFAULT_MILLIS / 2);
        node.tick(1);
        for (int start = 0; start < 2; start++) {
            LeasedSnapshot past = node.openSnapshot(then.lsn());
            assertThat(node.engine().tableAsOf(past, present).schema().id()).isEqualTo(first.id());
            assertThat(first.snapshot(node.engine(), past)).containsEntry(1L, "first:1");
            node.engine().closeSnapshot(past.id());
            node.restart();
        }
        node.tick(DEFAULT_MILLIS);
        node.tick(10_000);
        Catalog after = node.engine().catalog().current();
        assertThat(after.findTable(first.id())).isEmpty();
        assertThat(brief.subList(0, 19)).allMatch(id -> after.findTable(id).isEmpty());
        assertThat(after.findTable(present)).isPresent();
    }

    @Test
    void aDroppedTableTakesItsEarlierContentsWithIt() throws IOException {
        SimulatedNode node = SimulatedNode.start(OPTIONS, 1);
        TableId present = keyed(node, Orientation.COLUMN).id();
        for (int time = 0; time < 5; time++) {
            present = node.engine().catalog().truncateTable(present).id();
        }
        node.engine().catalog().dropTable(present);
        assertThat(node.engine().catalog().current().tables()).isEmpty();
    }

    private static String begin(
            SimulatedNode node, TestTable table, LeasedSnapshot snapshot, long id) {
        String transaction =
                node.engine().beginTransaction(table.id(), Optional.of(snapshot.lsn()));
        var batch = table.batch();
        batch.upsert(table.key(id), table.row(id, "b", 2));
        node.engine()
                .stage(transaction, table.shard(id), batch.toByteArray(), 0, batch.sizeBytes());
        return transaction;
    }

    private static List<String> files(SimulatedNode node, TestTable table) throws IOException {
        return node.store().list("data/" + table.id() + "/").stream()
                .map(ObjectEntry::path)
                .filter(path -> !path.contains(".dv-"))
                .toList();
    }

    private static void assertExpired(Read read) {
        assertRefused(ErrorCode.SNAPSHOT_EXPIRED, read::run);
    }

    private static TestTable create(
            SimulatedNode node, String name, Orientation orientation, OptionalLong retention) {
        return TestTable.create(
                node.engine(),
                name,
                orientation,
                true,
                2,
                TableOptions.NONE.withRetentionMillis(retention));
    }

    @FunctionalInterface
    private interface Read {
        void run() throws IOException;
    }

    /** Two tables, one with a retention of its own, and what each was after every change. */
    private static final class Run {
        private final SplittableRandom random;
        private final SimulatedNode node;
        private final List<Past> pasts = new ArrayList<>();
        private int read;
        private int refused;

        Run(Orientation orientation, long seed) throws IOException {
            random = new SplittableRandom(seed);
            node = SimulatedNode.start(OPTIONS, seed);
            pasts.add(
                    new Past(
                            TestTable.create(node.engine(), "usual", orientation, true, 2),
                            DEFAULT_MILLIS));
            pasts.add(
                    new Past(
                            create(node, "brief", orientation, OptionalLong.of(SHORT_MILLIS)),
                            SHORT_MILLIS));
        }

        void run(int steps) throws IOException {
            for (int step = 0; step < steps; step++) {
                Past past = pasts.get(random.nextInt(2));
                int dice = random.nextInt(100);
                if (dice < 60) {
                    change(past);
                } else if (dice < 66) {
                    node.await(node.engine().flush(past.table.id()));
                } else if (dice < 69) {
                    node.await(node.engine().compact(past.table.id()));
                } else if (dice < 80) {
                    node.tick(random.nextInt(3_500));
                } else if (dice < 98) {
                    readBack(past);
                } else {
                    node.restart();
                }
            }
            assertThat(node.uncaught()).isEmpty();
        }

        private void change(Past past) {
            long id = random.nextInt(random.nextInt(4) == 0 ? 200 : 12);
            String name = "n" + "x".repeat(random.nextInt(100));
            long amount = random.nextLong(1000);
            if (random.nextInt(4) == 0) {
                past.present.remove(id);
                past.changed(node.await(past.table.delete(node.engine(), id)));
            } else {
                past.present.put(id, name + ":" + amount);
                past.changed(node.await(past.table.upsert(node.engine(), id, name, amount)));
            }
        }

        private void readAt(Past past, Lsn lsn) throws IOException {
            LeasedSnapshot snapshot = node.openSnapshot(lsn);
            try {
                past.table.snapshot(node.engine(), snapshot);
            } finally {
                node.engine().closeSnapshot(snapshot.id());
            }
        }

        /** At an LSN between the oldest and the present one. */
        private void readBack(Past past) throws IOException {
            LeasedSnapshot present = node.openSnapshot();
            node.engine().closeSnapshot(present.id());
            long youngest = present.lsn().millis();
            long oldest = Math.max(past.oldestMillis(), youngest - 2 * past.retentionMillis);
            Lsn lsn =
                    new Lsn(
                            Math.min(
                                    present.lsn().value(),
                                    (oldest + random.nextLong(1 + youngest - oldest) << 16)
                                            + random.nextInt(3)));
            long id = random.nextInt(40);
            boolean inside = youngest - lsn.millis() < past.retentionMillis;
            if (inside) {
                Map<Long, String> expected = past.at(lsn);
                LeasedSnapshot snapshot = node.openSnapshot(lsn);
                assertThat(past.table.snapshot(node.engine(), snapshot)).isEqualTo(expected);
                assertThat(past.table.planned(node, snapshot)).isEqualTo(expected);
                node.engine().closeSnapshot(snapshot.id());
                assertThat(past.table.get(node.engine(), Optional.of(lsn), id))
                        .as("key %s at %s", id, lsn)
                        .isEqualTo(Optional.ofNullable(expected.get(id)));
                read++;
            } else if (youngest - lsn.millis() > past.retentionMillis) {
                assertExpired(() -> past.table.get(node.engine(), Optional.of(lsn), id));
                assertExpired(() -> readAt(past, lsn));
                refused++;
            }
        }
    }

    private static TestTable keyed(SimulatedNode node, Orientation orientation) {
        return TestTable.create(
                node.engine(), orientation.text().replace(',', '_'), orientation, true, 1);
    }

    private static final class Past {
        private final TestTable table;
        private final long retentionMillis;
        private final TreeMap<Lsn, Map<Long, String>> states =
                new TreeMap<>(Map.of(Lsn.MIN, Map.of()));
        private final TreeMap<Long, String> present = new TreeMap<>();

        Past(TestTable table, long retentionMillis) {
            this.table = table;
            this.retentionMillis = retentionMillis;
        }

        void changed(Lsn lsn) {
            states.put(lsn, new TreeMap<>(present));
        }

        Map<Long, String> at(Lsn lsn) {
            return states.floorEntry(lsn).getValue();
        }

        long oldestMillis() {
            return states.size() == 1 ? 0 : states.higherKey(Lsn.MIN).millis();
        }
    }
}
