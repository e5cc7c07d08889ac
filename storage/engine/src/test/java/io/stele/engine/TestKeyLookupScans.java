package io.stele.engine;

import static io.stele.engine.LookupScenario.values;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.engine.node.StorageOptions;
import io.stele.engine.scan.RowCursor;
import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.objectstore.NonBlocking;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.scan.LookupKeys;
import io.stele.protocol.predicate.ColumnDomain;
import io.stele.protocol.predicate.PredicateKeys;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.row.Rows;
import io.stele.protocol.schema.ColumnChange;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.IndexSchema;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableOption;
import io.stele.protocol.schema.TableOptions;
import io.stele.protocol.wire.WriteBatchBuilder;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Lookups over all shards: the rows and LSNs of scans that read everything. */
class TestKeyLookupScans {
    private static final int KEYS = 150;
    private static final IndexSchema UNIQUE_NAME =
            new IndexSchema(1, "unique_name", List.of(2), true, true);
    private static final StorageOptions OPTIONS =
            StorageOptions.DEFAULT.withMemTables(20_000, 10_000_000, Duration.ofMinutes(5));

    @ParameterizedTest
    @EnumSource(Orientation.class)
    void keysFindWhatAScanFinds(Orientation orientation) throws IOException {
        compare(SimulatedNode.start(OPTIONS, 1), orientation, 3, List.of());
    }

    @ParameterizedTest
    @EnumSource(Orientation.class)
    void uniqueIndexesFindWhatAScanFinds(Orientation orientation) throws IOException {
        compare(SimulatedNode.start(OPTIONS, 1), orientation, 1, List.of(UNIQUE_NAME));
    }

    @ParameterizedTest
    @EnumSource(Orientation.class)
    void keysFarAwayFindWhatAScanFinds(Orientation orientation) throws IOException {
        compare(SimulatedNode.startFar(OPTIONS, 1), orientation, 3, List.of());
    }

    @ParameterizedTest
    @EnumSource(Orientation.class)
    void uniqueIndexesFarAwayFindWhatAScanFinds(Orientation orientation) throws IOException {
        compare(SimulatedNode.startFar(OPTIONS, 1), orientation, 1, List.of(UNIQUE_NAME));
    }

    private static void compare(
            SimulatedNode node, Orientation orientation, int shards, List<IndexSchema> indexes)
            throws IOException {
        SplittableRandom random = new SplittableRandom(orientation.ordinal());
        TestTable table = TestTable.createIndexed(node.engine(), "t", orientation, shards, indexes);
        LookupScenario.run(
                node,
                table,
                random,
                400,
                KEYS,
                id -> name(id, random),
                snapshot -> check(node, table, snapshot, predicate(table, random, indexes)));
    }

    /** No two rows have the same one, and a row changes it. */
    private static String name(long id, SplittableRandom random) {
        return "n" + id + "\0" + random.nextInt(3);
    }

    private static ScanPredicate predicate(
            TestTable table, SplittableRandom random, List<IndexSchema> indexes) {
        int count = 1 + random.nextInt(random.nextInt(8) == 0 ? 140 : 5);
        List<Long> ids = Stream.generate(() -> (long) random.nextInt(KEYS)).limit(count).toList();
        ColumnDomain wanted =
                indexes.isEmpty()
                        ? values(table, 1, ids)
                        : values(table, 2, ids.stream().map(id -> name(id, random)).toList());
        int column = indexes.isEmpty() ? 1 : 2;
        return random.nextInt(3) > 0
                ? new ScanPredicate(Map.of(column, wanted))
                : new ScanPredicate(Map.of(column, wanted, 3, values(table, 3, List.of(0L, 2L))));
    }

    /** Returns how many rows were found. */
    private static int check(
            SimulatedNode node, TestTable table, LeasedSnapshot snapshot, ScanPredicate predicate)
            throws IOException {
        Map<Long, String> expected = new TreeMap<>();
        for (ShardId shard : table.schema().shards()) {
            collect(() -> node.scan(snapshot, table.id(), shard), predicate, expected);
        }
        if (indexes(table).isEmpty()) {
            checkTuples(node, table, snapshot, predicate, expected);
        }
        Map<Long, String> found = new TreeMap<>();
        // Whatever comes is wanted: readers do not look again
        collect(
                () -> node.engine().lookUp(snapshot, table.id(), 1, predicate, Optional.empty()),
                ScanPredicate.ALL,
                found);
        assertThat(found).as("%s at %s", predicate, snapshot).isEqualTo(expected);
        return found.size();
    }

    /** The same keys not as values of the predicate but by themselves. */
    private static void checkTuples(
            SimulatedNode node,
            TestTable table,
            LeasedSnapshot snapshot,
            ScanPredicate predicate,
            Map<Long, String> expected)
            throws IOException {
        Optional<List<byte[]>> keys = PredicateKeys.ofPrimaryKey(table.schema(), predicate);
        if (keys.isEmpty()) {
            return;
        }
        Map<Integer, ColumnDomain> others = new HashMap<>(predicate.domains());
        others.remove(1);
        Map<Long, String> found = new TreeMap<>();
        collect(
                () ->
                        node.engine()
                                .lookUp(
                                        snapshot,
                                        table.id(),
                                        1,
                                        new ScanPredicate(others),
                                        Optional.of(
                                                new LookupKeys(OptionalInt.empty(), keys.get()))),
                ScanPredicate.ALL,
                found);
        assertThat(found).as("keys of %s at %s", predicate, snapshot).isEqualTo(expected);
    }

    private static List<IndexSchema> indexes(TestTable table) {
        return table.schema().options().indexes();
    }

    private static void collect(
            NonBlocking.Read<RowCursor> opener, ScanPredicate predicate, Map<Long, String> rows)
            throws IOException {
        try (RowCursor cursor = SteppedReads.read(opener)) {
            while (SteppedReads.next(cursor)) {
                if (predicate.matches(cursor.row())) {
                    List<Object> values = new ArrayList<>(Rows.toObjects(cursor.row()));
                    String row = values + "@" + new Lsn(cursor.lsn());
                    assertThat(rows.put((Long) values.getFirst(), row)).isNull();
                }
            }
        }
    }

    /** What a reader planned as a lookup it gets, filtered, also where it has to be scanned for. */
    @Test
    void whatCannotBeLookedUpIsScanned() throws IOException {
        SimulatedNode node = SimulatedNode.start(OPTIONS, 2);
        TestTable table =
                TestTable.createIndexed(
                        node.engine(), "t", Orientation.COLUMN, 1, List.of(UNIQUE_NAME));
        for (long id = 0; id < 20; id++) {
            WriteBatchBuilder batch = table.batch();
            batch.upsert(table.key(id), table.row(id, "n" + id, id));
            node.await(table.write(node.engine(), table.shard(id), batch));
        }
        ScanPredicate byName =
                new ScanPredicate(Map.of(2, values(table, 2, List.of("n3", "n5", "x"))));
        LeasedSnapshot snapshot = node.openSnapshot();
        assertThat(check(node, table, snapshot, byName)).isEqualTo(2);
        node.engine()
                .catalog()
                .setOptions(table.id(), List.of(TableOption.INDEXES), TableOptions.NONE);
        assertThat(check(node, table, snapshot, byName)).isEqualTo(2);
        assertThat(check(node, table, node.openSnapshot(), byName)).isEqualTo(2);
        ScanPredicate some = new ScanPredicate(Map.of(3, values(table, 3, List.of(1L, 2L, 3L))));
        assertThat(check(node, table, snapshot, some)).isEqualTo(3);
    }

    @Test
    void aReaderOfOtherColumnsIsToldSo() throws IOException {
        SimulatedNode node = SimulatedNode.start(OPTIONS, 3);
        TestTable table = TestTable.create(node.engine(), "t", Orientation.ROW, true, 2);
        LeasedSnapshot snapshot = node.openSnapshot();
        node.await(
                node.engine()
                        .alterTable(
                                table.id(),
                                1,
                                ColumnChange.addColumn(
                                        "more", DataType.parse("bigint"), Optional.empty())));
        ScanPredicate predicate = new ScanPredicate(Map.of(1, values(table, 1, List.of(1L))));
        assertThatThrownBy(
                        () ->
                                node.engine()
                                        .lookUp(
                                                snapshot,
                                                table.id(),
                                                1,
                                                predicate,
                                                Optional.empty()))
                .isInstanceOfSatisfying(
                        SteleException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.STALE_TABLE));
    }
}
