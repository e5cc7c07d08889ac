package io.stele.engine;

import static io.stele.engine.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.catalog.TableState;
import io.stele.engine.node.StorageOptions;
import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.engine.transaction.BulkLoad;
import io.stele.objectstore.ObjectEntry;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.write.WrittenFile;
import io.stele.protocol.schema.IndexSchema;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableOption;
import io.stele.protocol.schema.TableOptions;
import io.stele.protocol.wire.OperationKind;
import io.stele.protocol.wire.WriteBatchBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
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
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
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
                    node.engine().load(transaction, table.schema(), TTL, node::await));
        }

        Load add(Iterable<Long> ids) {
            ids.forEach(this::add);
            return this;
        }

        void add(long id) {
            boolean keyed = table.schema().hasPrimaryKey();
            int shard = keyed ? table.shard(id).index() : (int) (id % table.schema().shardCount());
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

    @ParameterizedTest
    @EnumSource(names = {"ROW", "COLUMN"})
    void fewRowsGoToTheLog(Orientation orientation) throws IOException {
        TestTable table = TestTable.create(node.engine(), "t", orientation, true, 3);
        Load load = Load.begin(node, table).add(shuffled(0, 20));
        assertThat(load.finish()).isEmpty();
        load.commit();
        checkRows(table, expected(0, 20));
        assertThat(objects(table)).isEmpty();
        checkNothingIsHeld();
    }

    @ParameterizedTest
    @ValueSource(strings = {"rows", "keyed", "clustered", "plain", "partitioned"})
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
                    default ->
                            TestTable.create(
                                    node.engine(),
                                    "t",
                                    kind.equals("rows") ? Orientation.ROW : Orientation.COLUMN,
                                    !kind.equals("plain"),
                                    3);
                };
        Load load = Load.begin(node, table).add(shuffled(0, ROWS));
        List<WrittenFile> files = load.finish();
        assertThat(files).hasSizeGreaterThan(kind.equals("rows") ? 2 : 6); // those are merged
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
        for (int kind = 0; kind < 3; kind++) {
            TestTable table =
                    kind == 0
                            ? TestTable.create(node.engine(), "r", Orientation.ROW, true, 2)
                            : TestTable.create(
                                    node.engine(),
                                    "t" + kind,
                                    Orientation.COLUMN,
                                    true,
                                    2,
                                    kind == 1 ? List.of() : List.of(2),
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
    @CsvSource({
        "memory, ROW",
        "file, ROW",
        "load, ROW",
        "memory, COLUMN",
        "file, COLUMN",
        "load, COLUMN"
    })
    void aKeyThatHasARowIsRefused(String where, Orientation orientation) throws IOException {
        TestTable table = TestTable.create(node.engine(), "t", orientation, true, 2);
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
        assertRefused(ErrorCode.DUPLICATE_KEY, refused::commit).hasMessageContaining("(id = 1000)");
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
    @ParameterizedTest
    @EnumSource(names = {"ROW", "COLUMN"})
    void aKeyMayGetARowAtAnyMoment(Orientation orientation) throws IOException {
        int refused = 0;
        int committed = 0;
        for (int tasks = 0; tasks < 60; tasks++) {
            TestTable table = TestTable.create(node.engine(), "t" + tasks, orientation, true, 2);
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

    /** A commit that is prepared searches on in its turn, and can still be given up. */
    @ParameterizedTest
    @EnumSource(names = {"ROW", "COLUMN"})
    void aCommitCanBeGivenUpUntilItIsDecided(Orientation orientation) throws IOException {
        int aborted = 0;
        int abortedAfterPrepare = 0;
        int committed = 0;
        for (int tasks = 0; tasks < 80; tasks++) {
            TestTable table = TestTable.create(node.engine(), "t" + tasks, orientation, true, 2);
            Load load = Load.begin(node, table).add(shuffled(0, 500)).add(shuffled(501, 1_000));
            CompletableFuture<Lsn> commit =
                    node.engine().commitLoad(load.transaction(), load.finish(), Optional.empty());
            boolean isPrepared = false;
            for (int ran = 0; ran < tasks; ran++) {
                if (!isPrepared && isPrepared(table)) { // there is something to search for
                    var unused = table.upsert(node.engine(), 500, "other", 0);
                    isPrepared = true;
                }
                node.pool().runOne();
            }
            node.engine().giveUpCommit(load.transaction());
            Map<Long, String> rows = new TreeMap<>();
            try {
                node.await(commit);
                rows.putAll(expected(0, 1_000));
                rows.remove(500L);
                committed++;
            } catch (SteleException givenUp) {
                assertThat(givenUp.code()).isEqualTo(ErrorCode.TRANSACTION_ABORTED);
                aborted++;
                abortedAfterPrepare += isPrepared ? 1 : 0;
            }
            load.rows().close();
            node.tick(500);
            if (isPrepared) {
                rows.put(500L, "other:0");
            }
            checkRows(table, rows);
            checkNothingIsHeld();
        }
        assertThat(aborted).isGreaterThan(abortedAfterPrepare);
        assertThat(abortedAfterPrepare).isPositive();
        assertThat(committed).isPositive();
    }

    @ParameterizedTest
    @EnumSource(names = {"ROW", "COLUMN"})
    void aSearchEndsWithItsEngine(Orientation orientation) throws IOException {
        TestTable table = TestTable.create(node.engine(), "t", orientation, true, 2);
        Load load = Load.begin(node, table).add(shuffled(0, 1_000));
        CompletableFuture<Lsn> commit =
                node.engine().commitLoad(load.transaction(), load.finish(), Optional.empty());
        node.engine().close();
        assertRefused(ErrorCode.TRANSACTION_ABORTED, () -> node.await(commit))
                .hasMessageContaining("shutting down");
        node.restart();
        checkRows(table, Map.of());
    }

    private boolean isPrepared(TestTable table) {
        return table.schema().shards().stream()
                .anyMatch(shard -> !node.engine().shard(shard).inDoubt().isEmpty());
    }

    /** Of two loads that commit at once, with files whose keys overlap. */
    @ParameterizedTest
    @CsvSource({"true, ROW", "false, ROW", "true, COLUMN", "false, COLUMN"})
    void loadsThatCommitAtOnceFindEachOther(boolean share, Orientation orientation)
            throws IOException {
        TestTable table = TestTable.create(node.engine(), "t", orientation, true, 2);
        List<Load> loads = new ArrayList<>();
        List<CompletableFuture<Lsn>> commits = new ArrayList<>();
        for (int odd = 0; odd < 2; odd++) {
            Load load = Load.begin(node, table);
            for (long id : shuffled(0, ROWS)) {
                load.add(2 * id + odd);
            }
            if (odd == 1 && share) {
                load.add(1_234);
            }
            loads.add(load);
        }
        for (Load load : loads) {
            commits.add(
                    node.engine().commitLoad(load.transaction(), load.finish(), Optional.empty()));
        }
        int committed = 0;
        for (CompletableFuture<Lsn> commit : commits) {
            try {
                node.await(commit);
                committed++;
            } catch (SteleException refused) {
                assertThat(refused).hasMessageContaining("(id = 1234)");
                assertThat(refused.code()).isEqualTo(ErrorCode.DUPLICATE_KEY);
            }
        }
        loads.forEach(load -> load.rows().close());
        assertThat(committed).isEqualTo(share ? 1 : 2);
        int rows = table.snapshot(node.engine(), node.openSnapshot()).size();
        assertThat(rows).isBetween(committed * ROWS, committed * ROWS + committed % 2);
        checkNothingIsHeld();
    }

    @ParameterizedTest
    @EnumSource(names = {"ROW", "COLUMN"})
    void expiredRowsAreNotThere(Orientation orientation) throws IOException {
        TestTable table =
                TestTable.create(
                        node.engine(),
                        "t",
                        orientation,
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

    @ParameterizedTest
    @EnumSource(names = {"ROW", "COLUMN"})
    void aLoadThatIsGivenUpLeavesNothing(Orientation orientation) throws IOException {
        TestTable table = TestTable.create(node.engine(), "t", orientation, true, 2);
        Load load = Load.begin(node, table).add(shuffled(0, ROWS));
        assertThat(objects(table)).isNotEmpty();
        load.abort();
        assertThat(objects(table)).isEmpty();
        checkRows(table, Map.of());
        checkNothingIsHeld();
    }

    @ParameterizedTest
    @EnumSource(names = {"ROW", "COLUMN"})
    void aLoadThatACrashInterruptsLeavesNothing(Orientation orientation) throws IOException {
        TestTable table = TestTable.create(node.engine(), "t", orientation, true, 2);
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

    @ParameterizedTest
    @EnumSource(names = {"ROW", "COLUMN"})
    void aLongLoadKeepsItsTransaction(Orientation orientation) throws IOException {
        TestTable table = TestTable.create(node.engine(), "t", orientation, true, 2);
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
        TestTable rows = TestTable.create(node.engine(), "r", Orientation.ROW_COLUMN, true, 2);
        Load toRows = Load.begin(node, rows);
        assertRefused(ErrorCode.TRANSACTION_TOO_LARGE, () -> toRows.add(shuffled(0, 10_000)))
                .hasMessageContaining("Expected at most 131072 bytes")
                .hasMessageContaining("table test.r has orientation 'row,column'")
                .hasMessageContaining("several statements");
        toRows.abort();
        for (boolean isUnique : List.of(false, true)) {
            TestTable indexed =
                    TestTable.createIndexed(
                            node.engine(),
                            "u" + isUnique,
                            Orientation.COLUMN,
                            1,
                            List.of(new IndexSchema(1, "by_name", List.of(2), isUnique, true)));
            Load few = Load.begin(node, indexed).add(shuffled(0, 1_000));
            assertThat(few.finish()).isEmpty();
            few.commit();
            assertThat(
                            indexed.lookup(
                                    node.engine(), Optional.empty(), 1, List.<Object>of("row 77")))
                    .containsExactly(Map.entry(77L, "row 77:2"));
            Load many = Load.begin(node, indexed);
            assertRefused(ErrorCode.TRANSACTION_TOO_LARGE, () -> many.add(shuffled(1_000, 10_000)))
                    .hasMessageContaining("has indexes")
                    .hasMessageContaining("add the indexes afterwards");
            many.abort();
        }
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

    private static TestTable partitionedById(SimulatedNode of, String name, int shards) {
        return TestTable.create(
                of.engine(),
                name,
                Orientation.COLUMN,
                false,
                shards,
                List.of(1),
                TableState.PUBLIC);
    }

    /** What the log takes goes there, also if the first rows are of one partition. */
    @Test
    void rowsThatScatterLaterGoToTheLog() throws IOException {
        TestTable table = partitionedById(node, "t", 2);
        Load load = Load.begin(node, table);
        load.add(Collections.nCopies(600, 2L)).add(shuffled(3, 500));
        assertThat(load.finish()).isEmpty();
        load.commit();
        assertThat(objects(table)).isEmpty();
        checkNothingIsHeld();
    }

    @Test
    void moreScatteredRowsThanTheLogTakesAreRefused() throws IOException {
        TestTable table = partitionedById(node, "t", 2);
        Load load = Load.begin(node, table);
        assertRefused(ErrorCode.TRANSACTION_TOO_LARGE, () -> load.add(shuffled(0, 10_000)))
                .hasMessageContaining("partitions and shards or more")
                .hasMessageContaining("in the order of their partitions");
        assertRefused(ErrorCode.TRANSACTION_TOO_LARGE, load::commit);
        load.abort();
        checkRows(table, Map.of());
        checkNothingIsHeld();
    }

    /** Rows that are held are staged without a second count of their memory. */
    @Test
    void fullMemoryDoesNotKeepHeldRowsFromTheLog() throws IOException {
        SimulatedNode small = start(OPTIONS.withPendingWrites(128 << 10));
        TestTable table = partitionedById(small, "t", 1);
        Load first = Load.begin(small, table);
        for (long id = 0; small.engine().pendingWriteBytes() < 40 << 10; id++) {
            first.add(id); // the last one moves the batch on
        }
        Load second = Load.begin(small, table);
        assertRefused(ErrorCode.BUSY, () -> second.add(shuffled(10_000, 20_000)));
        assertThat(first.finish()).isEmpty();
        first.commit();
        second.rows().close();
        small.await(small.engine().abort(second.transaction()));
        assertThat(small.engine().pendingWriteBytes()).isZero();
    }

    /** Two loads that fill the memory make files of what they hold, though these are not large. */
    @Test
    void loadsIntoPartitionsShareLittleMemory() throws IOException {
        SimulatedNode small = start(OPTIONS.withPendingWrites(128 << 10).withLoadBuffer(64 << 10));
        TestTable table =
                TestTable.create(
                        small.engine(),
                        "t",
                        Orientation.COLUMN,
                        false,
                        4,
                        List.of(3), // five values
                        TableState.PUBLIC);
        Load first = Load.begin(small, table);
        Load second = Load.begin(small, table);
        for (long id = 0; id < ROWS; id++) {
            first.add(id);
            second.add(ROWS + id);
        }
        first.commit();
        second.commit();
        assertThat(table.snapshot(small.engine(), small.openSnapshot())).hasSize(2 * ROWS);
        assertThat(small.engine().pendingWriteBytes()).isZero();
    }

    /** However long its files take, a load does not expire while its client can only wait. */
    @ParameterizedTest
    @EnumSource(names = {"ROW", "COLUMN"})
    void aLoadThatWaitsForItsFilesDoesNotExpire(Orientation orientation) throws IOException {
        TestTable table = TestTable.create(node.engine(), "t", orientation, true, 2);
        String transaction =
                node.engine()
                        .beginSessionTransaction(table.id(), Optional.empty(), Optional.of(TTL));
        BulkLoad rows =
                node.engine()
                        .load(
                                transaction,
                                table.schema(),
                                TTL,
                                step -> {
                                    node.tick(TTL.toMillis() + 60_000);
                                    node.await(step);
                                });
        Load load = new Load(node, table, transaction, rows);
        load.add(shuffled(0, ROWS)).commit();
        checkRows(table, expected(0, ROWS));
    }

    @ParameterizedTest
    @EnumSource(names = {"ROW", "COLUMN"})
    void aLoadWhoseTransactionExpiresIsFreedWithoutItsClient(Orientation orientation)
            throws IOException {
        TestTable table = TestTable.create(node.engine(), "t", orientation, true, 2);
        Load load = Load.begin(node, table).add(shuffled(0, ROWS));
        assertThat(node.engine().pendingWriteBytes()).isPositive();
        assertThat(objects(table)).isNotEmpty();
        node.tick(TTL.toMillis() + 60_000);
        node.tick(500);
        checkNothingIsHeld();
        assertThat(objects(table)).isEmpty();
        assertRefused(ErrorCode.TRANSACTION_NOT_FOUND, () -> load.add(shuffled(ROWS, 2 * ROWS)))
                .hasMessageContaining("at least every 600 s");
        assertRefused(ErrorCode.TRANSACTION_NOT_FOUND, load::finish);
        load.abort();
        checkNothingIsHeld();
        checkRows(table, Map.of());
        assertThat(objects(table)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(names = {"ROW", "COLUMN"})
    void aCommitThatHasNotComeToTheLogCanBeGivenUp(Orientation orientation) throws IOException {
        TestTable table = TestTable.create(node.engine(), "t", orientation, true, 2);
        Load load = Load.begin(node, table).add(shuffled(0, ROWS));
        CompletableFuture<Lsn> commit =
                node.engine().commitLoad(load.transaction(), load.finish(), Optional.empty());
        node.engine().giveUpCommit(load.transaction());
        assertRefused(ErrorCode.TRANSACTION_ABORTED, () -> node.await(commit))
                .hasMessageContaining("given up by its client");
        load.abort();
        checkRows(table, Map.of());
        assertThat(objects(table)).isEmpty();
        checkNothingIsHeld();
        Load next = Load.begin(node, table).add(shuffled(0, ROWS));
        next.commit();
        node.engine().giveUpCommit(next.transaction());
        checkRows(table, expected(0, ROWS));
    }

    @ParameterizedTest
    @EnumSource(names = {"ROW", "COLUMN"})
    void anIndexThatIsAddedMeanwhileRefusesTheFiles(Orientation orientation) throws IOException {
        TestTable table = TestTable.create(node.engine(), "t", orientation, true, 2);
        Load load = Load.begin(node, table).add(shuffled(0, ROWS));
        node.engine()
                .catalog()
                .setOptions(
                        table.id(),
                        List.of(TableOption.INDEXES),
                        TableOptions.NONE.withIndexes(
                                List.of(new IndexSchema(1, "by_name", List.of(2), false, true))));
        assertRefused(ErrorCode.STALE_TABLE, load::commit).hasMessageContaining("'by_name'");
        load.abort();
        checkRows(table, Map.of());
    }

    /** Of many files whose keys overlap, the keys are searched one range after the other. */
    @ParameterizedTest
    @CsvSource({"false, ROW", "true, ROW", "false, COLUMN", "true, COLUMN"})
    void keysOfManyFilesAreSearchedInRanges(boolean isFar, Orientation orientation)
            throws IOException {
        // 64 keys a range; each range is a request to each file
        StorageOptions options = OPTIONS.withLoadBuffer(isFar ? 4 << 10 : 1 << 10);
        SimulatedNode small =
                isFar ? SimulatedNode.startFar(options, 7) : SimulatedNode.start(options, 7);
        TestTable table = TestTable.create(small.engine(), "t", orientation, true, 2);
        for (long twice : List.of(0L, 1_234L, ROWS - 1L)) {
            Load load = Load.begin(small, table).add(shuffled(0, ROWS));
            load.add(twice);
            assertRefused(ErrorCode.DUPLICATE_KEY, load::commit)
                    .hasMessageContaining("(id = " + twice + ")");
        }
        Load often = Load.begin(small, table); // sorted files are refused when they are written
        assertRefused(
                        ErrorCode.DUPLICATE_KEY,
                        () -> often.add(Collections.nCopies(ROWS, 17L)).commit())
                .hasMessageContaining("(id = 17)");
        often.rows().close();
        small.await(small.engine().abort(often.transaction()));
        Load.begin(small, table).add(shuffled(0, ROWS)).commit();
        for (long there : List.of(0L, 1_234L, ROWS - 1L)) {
            Load load = Load.begin(small, table).add(shuffled(ROWS, 2 * ROWS));
            load.add(there);
            assertRefused(ErrorCode.DUPLICATE_KEY, load::commit)
                    .hasMessageContaining("(id = " + there + ")");
        }
        for (long id = 10_000; id < 10_300; id++) {
            small.await(table.upsert(small.engine(), id, "row " + id, (int) (id % 5)));
        }
        Load inMemory = Load.begin(small, table).add(shuffled(ROWS, 2 * ROWS));
        inMemory.add(10_299);
        assertRefused(ErrorCode.DUPLICATE_KEY, inMemory::commit)
                .hasMessageContaining("(id = 10299)");
        Load.begin(small, table).add(shuffled(ROWS, 2 * ROWS)).commit();
        Map<Long, String> rows = expected(0, 2 * ROWS);
        rows.putAll(expected(10_000, 10_300));
        assertThat(table.snapshot(small.engine(), small.openSnapshot())).isEqualTo(rows);
    }

    /** Files of a load follow each other in each shard, whatever the order of its rows. */
    @Test
    void sortedFilesDoNotOverlap() throws IOException {
        SimulatedNode small = start(OPTIONS.withLoadBuffer(1 << 10));
        TestTable table = TestTable.create(small.engine(), "t", Orientation.ROW, true, 2);
        Load load =
                Load.begin(small, table).add(shuffled(0, ROWS)); // more files than one merge has
        load.add(LongStream.range(ROWS, 2 * ROWS).boxed().toList());
        Map<Integer, byte[]> greatest = new TreeMap<>();
        List<WrittenFile> files = new ArrayList<>(load.finish());
        files.sort(
                Comparator.comparing(file -> file.minKey().orElseThrow(), Arrays::compareUnsigned));
        for (WrittenFile file : files) {
            byte[] before = greatest.put(file.shard().index(), file.maxKey().orElseThrow());
            assertThat(
                            before == null
                                    || Arrays.compareUnsigned(before, file.minKey().orElseThrow())
                                            < 0)
                    .isTrue();
        }
        assertThat(files).hasSizeGreaterThan(4).allMatch(WrittenFile::isSorted);
        load.commit();
        assertThat(table.snapshot(small.engine(), small.openSnapshot()))
                .isEqualTo(expected(0, 2 * ROWS));
        small.tick(500);
        assertThat(small.store().contents().list("data/" + table.id() + "/"))
                .as("those that were merged are gone")
                .hasSize(files.size());
    }

    /** What a table of rows was at some moments, and how its rows are read. */
    private final class RowHistory {
        private final TestTable table =
                TestTable.create(node.engine(), "t", Orientation.ROW, true, 2);
        private final Map<Long, String> rows = new TreeMap<>();
        private final Map<Lsn, Map<Long, String>> before = new TreeMap<>();

        void upsert(long from, long to, String name) {
            for (long id = from; id < to; id++) {
                node.await(table.upsert(node.engine(), id, name, 1));
                rows.put(id, name + ":1");
            }
        }

        void delete(long from, long to) {
            for (long id = from; id < to; id++) {
                node.await(table.delete(node.engine(), id));
                rows.remove(id);
            }
        }

        Lsn load(long from, long to) {
            Lsn lsn = Load.begin(node, table).add(shuffled(from, to)).commit();
            rows.putAll(expected(from, to));
            return lsn;
        }

        void flush() {
            node.await(node.engine().flush(table.id()));
        }

        /** Notes what is there now. */
        Lsn mark() {
            Lsn now = node.openSnapshot().lsn();
            before.put(now, new TreeMap<>(rows));
            node.tick(1);
            return now;
        }

        void check() throws IOException {
            var unused = mark();
            for (Map.Entry<Lsn, Map<Long, String>> moment : before.entrySet()) {
                LeasedSnapshot snapshot = node.openSnapshot(moment.getKey());
                assertThat(table.snapshot(node.engine(), snapshot)).isEqualTo(moment.getValue());
                assertThat(table.planned(node, snapshot)).isEqualTo(moment.getValue());
                for (long id : List.of(0L, 40L, 140L, 777L, ROWS - 1L, ROWS + 5L)) {
                    table.checkLookups(node.engine(), snapshot, id, moment.getValue());
                }
                node.engine().closeSnapshot(snapshot.id());
            }
            for (long id : List.of(0L, 40L, 140L, 777L, ROWS - 1L, ROWS + 5L)) {
                assertThat(table.get(node.engine(), Optional.empty(), id))
                        .isEqualTo(Optional.ofNullable(rows.get(id)));
            }
        }

        /** The changes since a moment, without the order of their LSNs. */
        List<String> changesSince(Lsn lsn) throws IOException {
            return table.changes(node.engine(), lsn, node.openSnapshot());
        }
    }

    /**
     * A load is newer than what is in memory and in files, also than deletions of its keys, and
     * older than what comes later, through flushes, compactions and restarts.
     */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theNewestVersionCountsWhereverItIs(boolean flushed) throws IOException {
        RowHistory history = new RowHistory();
        history.upsert(0, 100, "old");
        if (flushed) {
            history.flush();
        }
        history.upsert(ROWS, ROWS + 10, "else");
        history.mark();
        history.delete(0, 100); // in memory, above files or not
        Lsn deleted = history.mark();
        history.load(0, ROWS);
        history.check();
        assertThat(history.changesSince(deleted)).hasSize(ROWS);
        history.delete(30, 50);
        history.upsert(120, 150, "new");
        history.check();
        assertThat(history.changesSince(deleted)).hasSize(ROWS + 20 + 2 * 30);
        List<String> changes = history.changesSince(deleted);
        history.flush();
        history.check();
        assertThat(history.changesSince(deleted)).isEqualTo(changes);
        node.restart();
        history.check();
        node.await(node.engine().compact(history.table.id()));
        history.check();
        assertThat(history.changesSince(deleted)).isEqualTo(changes);
        node.restart();
        history.check();
        assertThat(history.changesSince(deleted)).isEqualTo(changes);
    }

    /** The log has the load, and what came before and after it, when the node starts again. */
    @Test
    void aReplayPutsALoadWhereItWas() throws IOException {
        RowHistory history = new RowHistory();
        history.upsert(0, 100, "old");
        history.delete(0, 50);
        history.delete(50, 100);
        Lsn deleted = history.mark();
        history.load(0, 1_000);
        history.delete(35, 45);
        history.upsert(130, 150, "new");
        List<String> changes = history.changesSince(deleted);
        for (int starts = 0; starts < 2; starts++) {
            node.restart();
            history.check();
            assertThat(history.changesSince(deleted)).isEqualTo(changes);
        }
        history.load(1_000, ROWS);
        history.upsert(0, 10, "again");
        node.restart();
        history.check();
        node.await(node.engine().compact(history.table.id()));
        history.check();
    }

    /** Conditions and conflicts see the rows of a load above deletions in memory. */
    @Test
    void conditionsSeeTheRowsOfALoad() throws IOException {
        RowHistory history = new RowHistory();
        history.upsert(0, 100, "old");
        history.delete(0, 100);
        TestTable table = history.table;
        Lsn before = node.openSnapshot().lsn();
        String late = node.engine().beginTransaction(table.id(), Optional.of(before));
        WriteBatchBuilder change = table.batch();
        change.upsert(table.key(5), table.row(5, "late", 1));
        node.engine().stage(late, table.shard(5), change.toByteArray(), 0, change.sizeBytes());
        history.load(0, ROWS);
        WriteBatchBuilder inserted = table.batch();
        table.insert(inserted, OperationKind.INSERT, 40, "twice", 1);
        assertRefused(
                ErrorCode.DUPLICATE_KEY,
                () -> node.await(table.write(node.engine(), table.shard(40), inserted)));
        assertRefused(
                ErrorCode.TRANSACTION_CONFLICT, () -> node.await(node.commit(late, List.of())));
        assertRefused(
                ErrorCode.DUPLICATE_KEY,
                () -> Load.begin(node, table).add(shuffled(0, 1_000)).commit());
        history.check();
        history.delete(40, 41);
        node.await(table.write(node.engine(), table.shard(40), inserted));
        history.rows.put(40L, "twice:1");
        history.check();
    }

    /** A load into an empty table comes to a low level, and one among its keys above it. */
    @Test
    void loadsComeBelowLevel0WhereNothingOverlaps() throws IOException {
        RowHistory history = new RowHistory();
        history.load(0, 1_000);
        history.load(10_000, 11_000);
        history.load(5_000, 6_000);
        assertThat(levels(history.table)).containsOnly(1);
        history.upsert(7_000, 7_001, "memory");
        history.load(7_002, 8_000);
        assertThat(levels(history.table)).containsOnly(1);
        history.load(6_900, 7_000);
        history.load(8_500, 9_500);
        history.check();
        history.upsert(12_000, 12_100, "memory");
        history.delete(12_000, 12_100);
        history.load(11_500, 12_500);
        assertThat(levels(history.table)).contains(0, 1);
        history.check();
        node.await(node.engine().compact(history.table.id()));
        history.check();
        node.restart();
        history.check();
    }

    private List<Integer> levels(TestTable table) {
        List<Integer> levels = new ArrayList<>();
        for (ShardId shard : table.schema().shards()) {
            node.engine().shard(shard).table(table.id()).view().sstFiles().stream()
                    .map(file -> file.entry().level())
                    .forEach(levels::add);
        }
        return levels;
    }

    /** With room for less than a buffer, what is held makes room for what comes. */
    @ParameterizedTest
    @EnumSource(names = {"ROW", "COLUMN"})
    void littleMemoryMakesSmallerFiles(Orientation orientation) throws IOException {
        SimulatedNode small = start(OPTIONS.withPendingWrites(128 << 10));
        TestTable table = TestTable.create(small.engine(), "t", orientation, true, 2);
        String other =
                small.engine()
                        .beginSessionTransaction(table.id(), Optional.empty(), Optional.of(TTL));
        BulkLoad idle = small.engine().load(other, table.schema(), TTL, small::await);
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
