package io.stele.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.node.CacheOptions;
import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.objectstore.RoundsStore;
import io.stele.protocol.Lsn;
import io.stele.protocol.api.write.WrittenFile;
import io.stele.protocol.schema.IndexSchema;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableOptions;
import io.stele.protocol.wire.OperationKind;
import io.stele.protocol.wire.WriteBatchBuilder;
import java.io.IOException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongFunction;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * Writes over rows in files of a remote store: how many requests they make, and in how many rounds,
 * which are what a write waits for. The table is in docs/operations.md.
 *
 * <p>Rows have 3 columns; 200,000 of them are flushed by ten in no order of the key, so any file
 * may have a key. After a start nothing is in memory but what opening files reads.
 */
class TestWriteRequests {
    private static final int FLUSHES = 10;
    private static final int ROWS_A_FLUSH = 20_000;
    private static final int ROWS = FLUSHES * ROWS_A_FLUSH;
    private static final int BATCH = 2_000;

    /** That of the node that was opened last. */
    private static final AtomicReference<RoundsStore> STORE = new AtomicReference<>();

    /** Without indexes, filled once: each test has a fork of one. */
    private static final Map<Orientation, Filled> PLAIN = new EnumMap<>(Orientation.class);

    /** A write of an attempt, whose keys are its own. */
    @FunctionalInterface
    private interface Write {
        void run(int attempt) throws IOException;
    }

    @Test
    void upsertsOverColumnFiles() throws IOException {
        Filled filled = plain(Orientation.COLUMN);
        SimulatedNode node = filled.node();
        TestTable table = filled.table();
        check(
                node,
                "upsert of 1,000 keys, column table",
                new RequestCost(8, 2),
                attempt -> upsert(node, table, present(attempt, 1_000)));
        assertRows(node, table, ROWS);
    }

    /** They end nothing in files. */
    @Test
    void upsertsOverSstFilesReadNothing() throws IOException {
        Filled filled = plain(Orientation.ROW);
        SimulatedNode node = filled.node();
        TestTable table = filled.table();
        check(
                node,
                "upsert of 1,000 keys, row table",
                new RequestCost(0, 0),
                attempt -> upsert(node, table, present(attempt, 1_000)));
    }

    @Test
    void insertsOfNewKeys() throws IOException {
        for (Orientation orientation : List.of(Orientation.COLUMN, Orientation.ROW)) {
            Filled filled = plain(orientation);
            SimulatedNode node = filled.node();
            TestTable table = filled.table();
            check(
                    node,
                    "INSERT of 1,000 keys, " + orientation,
                    new RequestCost(20, 2),
                    attempt -> insert(node, table, absent(attempt, 1_000), id -> "new " + id));
        }
    }

    /** The index knows the names of 200,000 rows, of which none is wanted. */
    @Test
    void insertsIntoAUniqueIndex() throws IOException {
        SimulatedNode node = RequestCost.start(RequestCost.CACHES, STORE);
        TestTable table = indexedByName(node, true);
        check(
                node,
                "INSERT of 1,000 keys, unique index",
                new RequestCost(24, 4),
                attempt -> insert(node, table, absent(attempt, 1_000), TestWriteRequests::name));
    }

    @Test
    void partialUpdates() throws IOException {
        for (Orientation orientation : List.of(Orientation.COLUMN, Orientation.ROW)) {
            Filled filled = plain(orientation);
            SimulatedNode node = filled.node();
            TestTable table = filled.table();
            check(
                    node,
                    "UPDATE of 250 keys, " + orientation,
                    new RequestCost(35, 4),
                    attempt -> {
                        WriteBatchBuilder batch = table.batch();
                        present(attempt, 250)
                                .forEach(
                                        id ->
                                                table.update(
                                                        batch,
                                                        OperationKind.UPDATE,
                                                        id,
                                                        Optional.empty(),
                                                        -id));
                        assertThat(
                                        node.await(
                                                        table.apply(
                                                                node.engine(),
                                                                table.shard(0),
                                                                batch))
                                                .skipped())
                                .isZero();
                        present(attempt, 250)
                                .forEach(
                                        id ->
                                                assertThat(get(node, table, id))
                                                        .isEqualTo(name(id) + ":" + -id));
                    });
        }
    }

    /** Since its snapshot other keys were changed, which are in a file with older rows. */
    @Test
    void transactions() throws IOException {
        for (Orientation orientation : List.of(Orientation.COLUMN, Orientation.ROW)) {
            Filled filled = plain(orientation);
            SimulatedNode node = filled.node();
            TestTable table = filled.table();
            check(
                    node,
                    "transaction of 1,000 keys, " + orientation,
                    new RequestCost(12, 2),
                    attempt -> {
                        upsert(node, table, present(10 + attempt, 5_000));
                        LeasedSnapshot snapshot = node.openSnapshot();
                        upsert(node, table, present(20 + attempt, 5_000));
                        node.await(node.engine().flush(table.id()));
                        return snapshot.lsn();
                    },
                    (attempt, readLsn) -> {
                        String transaction =
                                node.engine().beginTransaction(table.id(), Optional.of(readLsn));
                        for (int part = 0; part < 5; part++) {
                            WriteBatchBuilder batch = table.batch();
                            present(30 + attempt, 1_000)
                                    .skip(part * 200L)
                                    .limit(200)
                                    .forEach(
                                            id ->
                                                    batch.upsert(
                                                            table.key(id),
                                                            table.row(id, "changed", id)));
                            byte[] bytes = batch.toByteArray();
                            node.engine()
                                    .stage(transaction, table.shard(0), bytes, 0, bytes.length);
                        }
                        node.await(node.commit(transaction, List.of()));
                    });
        }
    }

    @Test
    void filesOfWorkers() throws IOException {
        Filled filled = plain(Orientation.COLUMN);
        SimulatedNode node = filled.node();
        TestTable table = filled.table();
        check(
                node,
                "file of 1,000 keys",
                new RequestCost(16, 7),
                attempt -> addFile(node, table, attempt, 1_000));
        assertRows(node, table, ROWS);
    }

    /** Its rows are read for the entries, from its beginning to its end and ahead of themselves. */
    @Test
    void filesOfWorkersWithAnIndex() throws IOException {
        SimulatedNode node = RequestCost.start(RequestCost.CACHES, STORE);
        TestTable table = indexedByName(node, false);
        check(
                node,
                "file of 20,000 keys, index",
                new RequestCost(16, 10),
                attempt -> addFile(node, table, attempt, 20_000));
        assertRows(node, table, ROWS);
    }

    /** What is read ahead does not depend on a cache that takes it. */
    @Test
    void aKeyIndexCacheThatIsFull() throws IOException {
        Filled filled = plain(Orientation.COLUMN);
        SimulatedNode node = filled.node();
        node.restart(RequestCost.options(new CacheOptions(1, 1, 64L << 20, 1, 128L << 20, 0)));
        TestTable table = filled.table();
        check(
                node,
                "upsert of 1,000 keys, full cache",
                new RequestCost(8, 2),
                attempt -> upsert(node, table, present(attempt, 1_000)));
    }

    private void check(SimulatedNode node, String what, RequestCost limit, Write write)
            throws IOException {
        check(node, what, limit, attempt -> Lsn.MIN, (attempt, readLsn) -> write.run(attempt));
    }

    /** What happens before the node starts again; returns where the write read. */
    @FunctionalInterface
    private interface Prepare {
        Lsn run(int attempt) throws IOException;
    }

    @FunctionalInterface
    private interface PreparedWrite {
        void run(int attempt, Lsn readLsn) throws IOException;
    }

    private void check(
            SimulatedNode node,
            String what,
            RequestCost limit,
            Prepare prepare,
            PreparedWrite write)
            throws IOException {
        RequestCost cost = RequestCost.UNKNOWN;
        for (int i = 0; i < RequestCost.ATTEMPTS && !cost.isWithin(limit); i++) {
            int attempt = i;
            Lsn readLsn = prepare.run(attempt);
            settle(node);
            node.restart();
            node.tick(0); // opens the files
            cost =
                    RequestCost.of(
                            STORE.get()
                                    .record(
                                            () -> {
                                                write.run(attempt, readLsn);
                                                return true;
                                            }));
        }
        assertThat(cost.isWithin(limit)).as("%s: %s of %s", what, cost, limit).isTrue();
        assertThat(node.uncaught()).isEmpty();
    }

    /** A node and its table of 200,000 rows. */
    private record Filled(SimulatedNode node, TestTable table) {
        Filled fork() throws IOException {
            return new Filled(node.fork((_, _) -> {}), table.fork());
        }
    }

    private static Filled plain(Orientation orientation) throws IOException {
        if (!PLAIN.containsKey(orientation)) {
            SimulatedNode node = RequestCost.start(RequestCost.CACHES, STORE);
            PLAIN.put(orientation, new Filled(node, filled(node, orientation, TableOptions.NONE)));
        }
        return PLAIN.get(orientation).fork();
    }

    private TestTable indexedByName(SimulatedNode node, boolean isUnique) throws IOException {
        return filled(
                node,
                Orientation.COLUMN,
                TableOptions.NONE.withIndexes(
                        List.of(new IndexSchema(1, "by_name", List.of(2), isUnique, true))));
    }

    private static TestTable filled(
            SimulatedNode node, Orientation orientation, TableOptions options) {
        TestTable table = TestTable.create(node.engine(), "t", orientation, true, 1, options);
        for (int flush = 0; flush < FLUSHES; flush++) {
            for (int first = 0; first < ROWS_A_FLUSH; first += BATCH) {
                WriteBatchBuilder batch = table.batch();
                for (long i = first; i < first + BATCH; i++) {
                    long id = 2 * (i * FLUSHES + flush);
                    batch.upsert(table.key(id), table.row(id, name(id), id));
                }
                node.await(table.write(node.engine(), table.shard(0), batch));
            }
            node.await(node.engine().flush(table.id()));
        }
        settle(node);
        return table;
    }

    /** Compactions come to their end. */
    private static void settle(SimulatedNode node) {
        for (int i = 0; i < 20; i++) {
            node.tick(1_000);
        }
    }

    private static String name(long id) {
        return Long.toHexString(id * 0x9E3779B97F4A7C15L);
    }

    /** Keys of rows, scattered. */
    private static LongStream present(int attempt, int count) {
        return LongStream.range(0, count)
                .map(i -> 2 * ((i * 7_919 + 12_345 + attempt * 101L) % ROWS));
    }

    private static LongStream absent(int attempt, int count) {
        return present(attempt, count).map(id -> id + 1);
    }

    private static void insert(
            SimulatedNode node, TestTable table, LongStream ids, LongFunction<String> names) {
        WriteBatchBuilder batch = table.batch();
        ids.forEach(id -> table.insert(batch, OperationKind.INSERT, id, names.apply(id), id));
        node.await(table.write(node.engine(), table.shard(0), batch));
    }

    private static void addFile(SimulatedNode node, TestTable table, int attempt, int count)
            throws IOException {
        String transaction = node.engine().beginTransaction(table.id(), Optional.empty());
        WrittenFile file =
                WorkerFiles.write(
                        node.objects(),
                        table,
                        table.shard(0),
                        "worker" + attempt,
                        present(attempt, count)
                                .mapToObj(id -> new WorkerFiles.Row(id, "w" + name(id), id))
                                .toList(),
                        WorkerFiles.Checksums.IN_KEY_INDEX);
        node.await(node.commit(transaction, List.of(file)));
    }

    private static void upsert(SimulatedNode node, TestTable table, LongStream ids) {
        WriteBatchBuilder batch = table.batch();
        ids.forEach(id -> batch.upsert(table.key(id), table.row(id, "changed", id)));
        node.await(table.write(node.engine(), table.shard(0), batch));
    }

    private static String get(SimulatedNode node, TestTable table, long id) {
        try {
            return table.get(node.engine(), Optional.empty(), id).orElse("none");
        } catch (IOException failed) {
            throw new IllegalStateException(failed);
        }
    }

    /** Each key is there once: a row that was not ended would be there twice. */
    private static void assertRows(SimulatedNode node, TestTable table, int count)
            throws IOException {
        Map<Long, String> rows = table.snapshot(node.engine(), node.openSnapshot());
        assertThat(rows).hasSize(count);
    }
}
