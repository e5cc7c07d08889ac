package io.stele.engine;

import static io.stele.engine.LookupScenario.values;
import static java.util.stream.Collectors.toList;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.node.StorageOptions;
import io.stele.engine.read.IndexReads;
import io.stele.engine.scan.RowCursor;
import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.objectstore.RoundsStore;
import io.stele.objectstore.RoundsStore.Recorded;
import io.stele.protocol.Lsn;
import io.stele.protocol.api.scan.ScanMode;
import io.stele.protocol.api.scan.ScanPlan;
import io.stele.protocol.api.scan.ShardScan;
import io.stele.protocol.predicate.ColumnDomain;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.row.Rows;
import io.stele.protocol.schema.IndexSchema;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableOption;
import io.stele.protocol.schema.TableOptions;
import io.stele.protocol.wire.WriteBatchBuilder;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Scans that an index answers: the rows and LSNs of scans that read everything. */
class TestIndexLookupScans {
    private static final IndexSchema BY_NAME =
            new IndexSchema(1, "by_name", List.of(2), false, true);
    private static final IndexSchema BY_BOTH =
            new IndexSchema(2, "by_both", List.of(3, 2), false, true);
    private static final StorageOptions OPTIONS =
            StorageOptions.DEFAULT.withMemTables(20_000, 10_000_000, Duration.ofMinutes(5));

    @ParameterizedTest
    @EnumSource(Orientation.class)
    void anIndexFindsWhatAScanFinds(Orientation orientation) throws IOException {
        compare(SimulatedNode.start(OPTIONS, 1), orientation);
    }

    @ParameterizedTest
    @EnumSource(Orientation.class)
    void anIndexFarAwayFindsWhatAScanFinds(Orientation orientation) throws IOException {
        compare(SimulatedNode.startFar(OPTIONS, 1), orientation);
    }

    private static void compare(SimulatedNode node, Orientation orientation) throws IOException {
        SplittableRandom random = new SplittableRandom(orientation.ordinal());
        TestTable table =
                TestTable.createIndexed(
                        node.engine(), "t", orientation, 2, List.of(BY_NAME, BY_BOTH));
        LookupScenario.run(
                node,
                table,
                random,
                300,
                200,
                _ -> name(random),
                snapshot -> check(node, table, snapshot, predicate(table, random)));
    }

    private static String name(SplittableRandom random) {
        return random.nextInt(8) == 0 ? "zero\0" : "n" + random.nextInt(6);
    }

    private static ScanPredicate predicate(TestTable table, SplittableRandom random) {
        ColumnDomain names =
                values(table, 2, Stream.generate(() -> name(random)).limit(2).toList());
        return random.nextBoolean()
                ? new ScanPredicate(Map.of(2, names))
                : new ScanPredicate(
                        Map.of(2, names, 3, values(table, 3, List.of((long) random.nextInt(4)))));
    }

    /** Returns how many shards were looked up. */
    private static int check(
            SimulatedNode node, TestTable table, LeasedSnapshot snapshot, ScanPredicate predicate)
            throws IOException {
        Map<Long, String> expected = new TreeMap<>();
        Map<Long, String> found = new TreeMap<>();
        table.schema()
                .shards()
                .forEach(
                        shard ->
                                rows(
                                        node,
                                        table,
                                        snapshot,
                                        shard,
                                        ScanMode.SNAPSHOT,
                                        predicate,
                                        expected));
        ScanPlan plan = node.engine().planLookups(snapshot, table.id(), predicate);
        for (ShardScan scan : plan.shards()) {
            assertThat(scan.mode()).isEqualTo(ScanMode.LOOKUP);
            assertThat(scan.files()).isEmpty();
            if (scan.live()) {
                rows(node, table, snapshot, scan.shard(), scan.mode(), predicate, found);
            }
        }
        assertThat(found).as("%s at %s", predicate, snapshot).isEqualTo(expected);
        return plan.shards().size();
    }

    private static void rows(
            SimulatedNode node,
            TestTable table,
            LeasedSnapshot snapshot,
            io.stele.protocol.ShardId shard,
            ScanMode mode,
            ScanPredicate predicate,
            Map<Long, String> rows) {
        try (RowCursor cursor =
                SteppedReads.read(
                        () ->
                                node.engine()
                                        .scan(
                                                snapshot,
                                                table.id(),
                                                shard,
                                                mode,
                                                predicate,
                                                List.of()))) {
            while (SteppedReads.next(cursor)) {
                if (predicate.matches(cursor.row())) {
                    List<Object> values = new ArrayList<>(Rows.toObjects(cursor.row()));
                    String row = values + "@" + new Lsn(cursor.lsn());
                    assertThat(rows.put((Long) values.getFirst(), row)).isNull();
                }
            }
        } catch (IOException failed) {
            throw new java.io.UncheckedIOException(failed);
        }
    }

    /** Whether an index is good for a scan is known without reading what all keys need. */
    @Test
    void aKeyOfManyRowsEndsTheCount() throws IOException {
        AtomicReference<RoundsStore> made = new AtomicReference<>();
        SimulatedNode node = RequestCost.start(RequestCost.CACHES, made);
        TestTable table =
                TestTable.createIndexed(
                        node.engine(), "t", Orientation.COLUMN, 1, List.of(BY_NAME));
        List<String> names = new ArrayList<>();
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 20_000; i++) {
            names.add("%08d".formatted(i) + Long.toHexString(random.nextLong()).repeat(5));
        }
        int many = IndexReads.MAX_SCANNED + 1;
        for (int first = 0; first < many + names.size(); first += 1000) {
            WriteBatchBuilder batch = table.batch();
            int end = Math.min(many + names.size(), first + 1000);
            for (int id = first; id < end; id++) {
                String name = id < many ? "" : names.get(id - many);
                batch.upsert(table.key(id), table.row(id, name, 0));
            }
            node.await(table.write(node.engine(), table.schema().shard(0), batch));
        }
        node.await(node.engine().flush(table.id()));
        List<String> some =
                IntStream.range(0, 99).mapToObj(i -> names.get(i * 200)).collect(toList());
        Recorded<ScanMode> all = plan(made, node, table, some);
        some.addFirst("");
        Recorded<ScanMode> ended = plan(made, node, table, some);
        assertThat(all.result()).isEqualTo(ScanMode.LOOKUP);
        assertThat(ended.result()).isEqualTo(ScanMode.LIVE);
        // Two thirds of the keys' entries, beside those of the first
        assertThat(ended.bytes()).isLessThan(all.bytes() * 4 / 5);
        assertThat(all.rounds()).isLessThanOrEqualTo(5); // two groups of keys
    }

    private static Recorded<ScanMode> plan(
            AtomicReference<RoundsStore> made,
            SimulatedNode node,
            TestTable table,
            List<String> names)
            throws IOException {
        node.restart();
        node.tick(0); // opens the files
        LeasedSnapshot snapshot = node.openSnapshot();
        ScanPredicate predicate = new ScanPredicate(Map.of(2, values(table, 2, names)));
        return made.get()
                .record(
                        () ->
                                node.engine()
                                        .planLookups(snapshot, table.id(), predicate)
                                        .shards()
                                        .getFirst()
                                        .mode());
    }

    @Test
    void manyRowsAreScanned() throws IOException {
        SimulatedNode node = SimulatedNode.start(StorageOptions.DEFAULT, 2);
        TestTable table =
                TestTable.createIndexed(
                        node.engine(), "t", Orientation.COLUMN, 1, List.of(BY_NAME));
        ScanPredicate predicate = new ScanPredicate(Map.of(2, values(table, 2, List.of("all"))));
        for (int first = 0; first <= IndexReads.MAX_SCANNED; first += 1000) {
            LeasedSnapshot snapshot = node.openSnapshot();
            assertThat(node.engine().planLookups(snapshot, table.id(), predicate).shards())
                    .allMatch(scan -> scan.mode() == ScanMode.LOOKUP);
            WriteBatchBuilder batch = table.batch();
            for (long id = first; id < first + 1000; id++) {
                batch.upsert(table.key(id), table.row(id, "all", 0));
            }
            node.await(table.write(node.engine(), table.schema().shard(0), batch));
        }
        LeasedSnapshot snapshot = node.openSnapshot();
        ShardScan scan =
                node.engine().planLookups(snapshot, table.id(), predicate).shards().getFirst();
        assertThat(scan.mode()).isEqualTo(ScanMode.LIVE);
        // Asked all the same, it answers.
        Map<Long, String> rows = new TreeMap<>();
        rows(node, table, snapshot, table.schema().shard(0), ScanMode.LOOKUP, predicate, rows);
        assertThat(rows).hasSize(11_000);
        node.engine()
                .catalog()
                .setOptions(table.id(), List.of(TableOption.INDEXES), TableOptions.NONE);
        rows.clear();
        rows(node, table, snapshot, table.schema().shard(0), ScanMode.LOOKUP, predicate, rows);
        assertThat(rows).hasSize(11_000);
        assertThat(
                        node.engine()
                                .planLookups(snapshot, table.id(), predicate)
                                .shards()
                                .getFirst()
                                .mode())
                .isEqualTo(ScanMode.LIVE);
    }
}
