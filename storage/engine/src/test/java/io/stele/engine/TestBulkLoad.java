package io.stele.engine;

import static io.stele.engine.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.catalog.TableState;
import io.stele.engine.node.StorageOptions;
import io.stele.engine.transaction.BulkLoad;
import io.stele.objectstore.ObjectEntry;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.write.WrittenFile;
import io.stele.protocol.schema.IndexSchema;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TestBulkLoad {
    private static final Duration TTL = Duration.ofMinutes(10);
    private static final int BUFFER_BYTES = 16 << 10;
    private static final int ROWS = 4_000; // several buffers

    private static final StorageOptions OPTIONS =
            StorageOptions.DEFAULT
                    .withRetention(Duration.ofMinutes(5))
                    .withTransactions(128 << 10, Duration.ofHours(1))
                    .withLoadBuffer(BUFFER_BYTES);

    private final SimulatedNode node = start(OPTIONS);

    private static SimulatedNode start(StorageOptions options) {
        try {
            return SimulatedNode.start(options, 7);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** One load with the transaction that it belongs to. */
    private record Load(SimulatedNode node, TestTable table, String transaction, BulkLoad rows) {
        static Load begin(SimulatedNode node, TestTable table) {
            String transaction =
                    node.engine()
                            .beginSessionTransaction(
                                    table.id(), Optional.empty(), Optional.of(TTL));
            return new Load(
                    node,
                    table,
                    transaction,
                    node.engine().load(transaction, table.schema(), TTL));
        }

        Load add(Iterable<Long> ids) {
            ids.forEach(this::add);
            return this;
        }

        void add(long id) {
            boolean keyed = table.schema().hasPrimaryKey();
            int shard =
                    keyed ? table.shard(id).index() : (int) (id % table.schema().shardCount());
            byte[] row = table.row(id, "row " + id, id % 5);
            if (rows.add(shard, keyed ? table.key(id) : new byte[0], row, row.length)) {
                rows.drain(shard);
            }
        }

        List<WrittenFile> finish() {
            return rows.finish();
        }

        Lsn commit() {
            try (rows) {
                return node.await(
                        node.engine().commitLoad(transaction, rows.finish(), Optional.empty()));
            }
        }

        void abort() {
            rows.close();
            node.await(node.engine().abort(transaction));
            node.tick(500);
        }
    }

    private static List<Long> shuffled(long from, long to) {
        List<Long> ids = new ArrayList<>(LongStream.range(from, to).boxed().toList());
        Collections.shuffle(ids, new Random(3));
        return ids;
    }

    private static Map<Long, String> expected(long from, long to) {
        Map<Long, String> rows = new TreeMap<>();
        LongStream.range(from, to).forEach(id -> rows.put(id, "row " + id + ":" + id % 5));
        return rows;
    }

    private void checkRows(TestTable table, Map<Long, String> rows) throws IOException {
        assertThat(table.snapshot(node.engine(), node.openSnapshot())).isEqualTo(rows);
        assertThat(table.planned(node, node.openSnapshot())).isEqualTo(rows);
    }

    private List<String> objects(TestTable table) throws IOException {
        return node.store().contents().list("data/" + table.id() + "/").stream()
                .map(ObjectEntry::path)
                .toList();
    }

    private void checkNothingIsHeld() {
        assertThat(node.engine().pendingWriteBytes()).isZero();
    }

    @Test
    void fewRowsGoToTheLog() throws IOException {
        TestTable table = TestTable.create(node.engine(), "t", Orientation.COLUMN, true, 3);
        Load load = Load.begin(node, table).add(shuffled(0, 20));
        assertThat(load.finish()).isEmpty();
        load.commit();
        checkRows(table, expected(0, 20));
        assertThat(objects(table)).isEmpty();
        checkNothingIsHeld();
    }

    @ParameterizedTest
    @ValueSource(strings = {"keyed", "clustered", "plain", "partitioned", "indexed"})
    void manyRowsBecomeFilesOfAllShardsAndOutliveARestart(String kind) throws IOException {
        TestTable table =
                switch (kind) {
                    case "clustered" ->
                            TestTable.create(
                                    node.engine(),
                                    "t",
                                    Orientation.COLUMN,
                                    true,
                                    3,
                                    List.of(3),
                                    List.of(),
                                    TableState.PUBLIC);
                    case "partitioned" ->
                            TestTable.create(
                                    node.engine(),
                                    "t",
                                    Orientation.COLUMN,
                                    false,
                                    3,
                                    List.of(3),
                                    TableState.PUBLIC);
                    case "indexed" ->
                            TestTable.createIndexed(
                                    node.engine(),
                                    "t",
                                    Orientation.COLUMN,
                                    3,
                                    List.of(
                                            new IndexSchema(
                                                    1, "by_name", List.of(2), false, true)));
                    default ->
                            TestTable.create(
                                    node.engine(),
                                    "t",
                                    Orientation.COLUMN,
                                    kind.equals("keyed"),
                                    3);
                };
        Load load = Load.begin(node, table).add(shuffled(0, ROWS));
        List<WrittenFile> files = load.finish();
        assertThat(files).hasSizeGreaterThan(6);
        assertThat(files).extracting(file -> file.shard().index()).contains(0, 1, 2);
        assertThat(files.stream().mapToLong(WrittenFile::rowCount).sum()).isEqualTo(ROWS);
        assertThat(files)
                .allMatch(file -> file.partition().isPresent() == kind.equals("partitioned"));
        checkRows(table, Map.of());
        Lsn lsn = load.commit();
        checkNothingIsHeld();
        checkRows(table, expected(0, ROWS));
        assertThat(table.snapshot(node.engine(), node.openSnapshot(new Lsn(lsn.value() - 1))))
                .isEmpty();
        if (kind.equals("indexed")) {
            assertThat(
                            table.lookup(
                                    node.engine(), Optional.empty(), 1, List.<Object>of("row 77")))
                    .containsExactly(Map.entry(77L, "row 77:2"));
        }
        node.restart();
        checkRows(table, expected(0, ROWS));
        if (table.schema().hasPrimaryKey()) {
            assertThat(table.get(node.engine(), Optional.empty(), 1234)).contains("row 1234:4");
            node.await(table.delete(node.engine(), 1234));
            Map<Long, String> rest = expected(0, ROWS);
            rest.remove(1234L);
            checkRows(table, rest);
        }
    }

    /** In one buffer, and in two. */
    @ParameterizedTest
    @ValueSource(longs = {ROWS - 2, 0})
    void aKeyThatComesTwiceIsRefusedAndLeavesNothing(long twice) throws IOException {
        for (List<Integer> clustering : List.of(List.<Integer>of(), List.of(2))) {
            TestTable table =
                    TestTable.create(
                            node.engine(),
                            "t" + clustering.size(),
                            Orientation.COLUMN,
                            true,
                            2,
                            clustering,
                            List.of(),
                            TableState.PUBLIC);
            Load load = Load.begin(node, table).add(LongStream.range(0, ROWS).boxed().toList());
            load.add(twice);
            assertRefused(ErrorCode.DUPLICATE_KEY, load::commit)
                    .hasMessageContaining("(id = " + twice + ")");
            node.tick(500);
            checkRows(table, Map.of());
            assertThat(objects(table)).isEmpty();
            checkNothingIsHeld();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"memory", "file", "load"})
    void aKeyThatHasARowIsRefused(String where) throws IOException {
        TestTable table = TestTable.create(node.engine(), "t", Orientation.COLUMN, true, 2);
        long there = 1_000;
        if (where.equals("load")) {
            Load.begin(node, table).add(shuffled(there, there + ROWS)).commit();
        } else {
            node.await(table.upsert(node.engine(), there, "old", 1));
        }
        if (where.equals("file")) {
            flush(table);
        }
        Load refused = Load.begin(node, table).add(shuffled(0, there + 1));
        assertRefused(ErrorCode.DUPLICATE_KEY, refused::commit)
                .hasMessageContaining("(id = 1000)");
        Map<Long, String> rows =
                where.equals("load")
                        ? expected(there, there + ROWS)
                        : new TreeMap<>(Map.of(there, "old:1"));
        checkRows(table, rows);
        node.await(table.delete(node.engine(), there));
        rows.remove(there);
        Load.begin(node, table).add(shuffled(0, there + 1)).commit();
        rows.putAll(expected(0, there + 1));
        checkRows(table, rows);
        node.restart();
        checkRows(table, rows);
    }

    private void flush(TestTable table) throws IOException {
        for (int i = 0; i < 10 && objects(table).isEmpty(); i++) {
            node.tick(120_000);
        }
        assertThat(objects(table)).isNotEmpty();
    }

    /** Whenever a key gets a row, before its search, after it or after the commit. */
    @Test
    void aKeyMayGetARowAtAnyMoment() throws IOException {
        int refused = 0;
        int committed = 0;
        for (int tasks = 0; tasks < 60; tasks++) {
            TestTable table =
                    TestTable.create(node.engine(), "t" + tasks, Orientation.COLUMN, true, 2);
            Load load = Load.begin(node, table).add(shuffled(0, 1_000));
            CompletableFuture<Lsn> commit =
                    node.engine().commitLoad(load.transaction(), load.finish(), Optional.empty());
            for (int ran = 0; ran < tasks; ran++) {
                node.pool().runOne();
            }
            Lsn upsert = node.await(table.upsert(node.engine(), 17, "other", 9));
            Map<Long, String> rows = new TreeMap<>(Map.of(17L, "other:9"));
            try {
                assertThat(node.await(commit)).isLessThan(upsert);
                expected(0, 1_000).forEach(rows::putIfAbsent);
                committed++;
            } catch (SteleException duplicate) {
                assertThat(duplicate.code()).isEqualTo(ErrorCode.DUPLICATE_KEY);
                refused++;
            }
            load.rows().close();
            checkRows(table, rows);
            checkNothingIsHeld();
        }
        assertThat(refused).isGreaterThan(5);
        assertThat(committed).isGreaterThan(5);
    }

    @Test
    void expiredRowsAreNotThere() throws IOException {
        TestTable table =
                TestTable.create(
                        node.engine(),
                        "t",
                        Orientation.COLUMN,
                        true,
                        2,
                        TableOptions.NONE.withTimeToLiveMillis(OptionalLong.of(3_600_000)));
        Load.begin(node, table).add(shuffled(0, ROWS)).commit();
        assertRefused(
                ErrorCode.DUPLICATE_KEY,
                () -> Load.begin(node, table).add(shuffled(0, ROWS)).commit());
        node.tick(2 * 3_600_000);
        Load.begin(node, table).add(shuffled(0, ROWS)).commit();
        checkRows(table, expected(0, ROWS));
        node.restart();
        checkRows(table, expected(0, ROWS));
    }

    @Test
    void aLoadThatIsGivenUpLeavesNothing() throws IOException {
        TestTable table = TestTable.create(node.engine(), "t", Orientation.COLUMN, true, 2);
        Load load = Load.begin(node, table).add(shuffled(0, ROWS));
        assertThat(objects(table)).isNotEmpty();
        load.abort();
        assertThat(objects(table)).isEmpty();
        checkRows(table, Map.of());
        checkNothingIsHeld();
    }

    @Test
    void aLoadThatACrashInterruptsLeavesNothing() throws IOException {
        TestTable table = TestTable.create(node.engine(), "t", Orientation.COLUMN, true, 2);
        Load load = Load.begin(node, table).add(shuffled(0, ROWS));
        assertThat(load.finish()).isNotEmpty();
        assertThat(objects(table)).isNotEmpty();
        node.restart();
        checkRows(table, Map.of());
        for (int i = 0; i < 5; i++) {
            node.tick(OPTIONS.collectionGrace().toMillis());
        }
        assertThat(objects(table)).isEmpty();
    }

    @Test
    void aLongLoadKeepsItsTransaction() throws IOException {
        TestTable table = TestTable.create(node.engine(), "t", Orientation.COLUMN, true, 2);
        Load load = Load.begin(node, table);
        for (int part = 0; part < 5; part++) {
            load.add(shuffled(part * 1_000L, part * 1_000L + 1_000));
            node.tick(TTL.toMillis() - 60_000);
        }
        load.commit();
        checkRows(table, expected(0, 5_000));
    }

    @Test
    void rowsThatCannotBecomeFilesHaveALimit() throws IOException {
        TestTable rows = TestTable.create(node.engine(), "r", Orientation.ROW, true, 2);
        Load toRows = Load.begin(node, rows);
        assertRefused(ErrorCode.TRANSACTION_TOO_LARGE, () -> toRows.add(shuffled(0, 10_000)))
                .hasMessageContaining("Expected at most 131072 bytes")
                .hasMessageContaining("table test.r has orientation 'row'")
                .hasMessageContaining("several statements");
        toRows.abort();
        TestTable unique =
                TestTable.createIndexed(
                        node.engine(),
                        "u",
                        Orientation.COLUMN,
                        1,
                        List.of(new IndexSchema(1, "by_name", List.of(2), true, true)));
        Load toUnique = Load.begin(node, unique);
        assertRefused(ErrorCode.TRANSACTION_TOO_LARGE, () -> toUnique.add(shuffled(0, 10_000)))
                .hasMessageContaining("unique indexes");
        toUnique.abort();
        checkNothingIsHeld();
    }

    /** Where a buffer has rows of many partitions, files would be tiny. */
    @Test
    void scatteredRowsGoToTheLog() throws IOException {
        TestTable table =
                TestTable.create(
                        node.engine(),
                        "t",
                        Orientation.COLUMN,
                        false,
                        2,
                        List.of(1),
                        TableState.PUBLIC);
        Load load = Load.begin(node, table).add(shuffled(0, 1_000));
        assertThat(load.finish()).isEmpty();
        assertThat(objects(table)).isEmpty();
        load.commit();
        checkRows(table, expected(0, 1_000));
        checkNothingIsHeld();
    }

    /** With room for less than a buffer, what is held makes room for what comes. */
    @Test
    void littleMemoryMakesSmallerFiles() throws IOException {
        SimulatedNode small = start(OPTIONS.withPendingWrites(128 << 10));
        TestTable table = TestTable.create(small.engine(), "t", Orientation.COLUMN, true, 2);
        String other =
                small.engine()
                        .beginSessionTransaction(
                                table.id(), Optional.empty(), Optional.of(TTL));
        BulkLoad idle = small.engine().load(other, table.schema(), TTL);
        Load load = Load.begin(small, table);
        for (long id = 100_000; id < 100_200; id++) {
            byte[] row = table.row(id, "idle", 0);
            int shard = table.shard(id).index();
            if (idle.add(shard, table.key(id), row, row.length)) {
                idle.drain(shard);
            }
        }
        load.add(shuffled(0, ROWS)).commit();
        assertThat(table.snapshot(small.engine(), small.openSnapshot()))
                .isEqualTo(expected(0, ROWS));
        idle.close();
        small.await(small.engine().abort(other));
        assertThat(small.engine().pendingWriteBytes()).isZero();
    }
}
