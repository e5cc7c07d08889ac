package io.stele.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.catalog.TableState;
import io.stele.engine.node.CacheOptions;
import io.stele.engine.read.PointLookup;
import io.stele.objectstore.RoundsStore;
import io.stele.objectstore.RoundsStore.Recorded;
import io.stele.protocol.row.KeyEncoder;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.row.Rows;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.wire.WriteBatchBuilder;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * Lookups by key of a remote store: how many requests they make, and in how many rounds, which are
 * what a lookup waits for. The table is in docs/operations.md.
 *
 * <p>Rows have 9 columns and about 120 bytes; 200,000 of them are flushed by ten.
 */
class TestLookupRequests {
    private static final int FLUSHES = 10;
    private static final int ROWS_A_FLUSH = 20_000;
    private static final int ROWS = FLUSHES * ROWS_A_FLUSH;
    private static final int BATCH = 1_000;

    private static final Map<String, Filled> FILLED = new HashMap<>(); // by their shape

    /**
     * What some lookups may cost.
     *
     * @param cold nothing is in memory but what a start reads
     * @param again metadata and indexes are in memory, of row tables all
     */
    private record Budget(int keys, RequestCost cold, RequestCost again) {}

    /** Files have keys of ranges of their own: one can have a key. */
    @Test
    void columnTableInOrderOfKeys() throws IOException {
        check(
                Orientation.COLUMN,
                true,
                new Budget(1, new RequestCost(11, 2), new RequestCost(9, 1)),
                new Budget(20, new RequestCost(27, 2), new RequestCost(24, 1)),
                new Budget(1_000, new RequestCost(31, 2), new RequestCost(26, 1)));
    }

    /** Any file may have a key: the filters say which has. */
    @Test
    void columnTableInNoOrderOfKeys() throws IOException {
        check(
                Orientation.COLUMN,
                false,
                new Budget(1, new RequestCost(11, 2), new RequestCost(9, 1)),
                new Budget(20, new RequestCost(34, 2), new RequestCost(28, 1)),
                new Budget(1_000, new RequestCost(33, 2), new RequestCost(28, 1)));
    }

    @Test
    void rowTable() throws IOException {
        check(
                Orientation.ROW,
                false,
                new Budget(1, new RequestCost(5, 2), new RequestCost(0, 0)),
                new Budget(20, new RequestCost(38, 2), new RequestCost(0, 0)),
                new Budget(1_000, new RequestCost(75, 2), new RequestCost(0, 0)));
    }

    /**
     * With the caches that a node has, but for rows: the same keys again ask for nothing, and row
     * groups that go to the cache do not cost a request a column.
     */
    @Test
    void theSameKeysAgain() throws IOException {
        CacheOptions caches = CacheOptions.DEFAULT;
        Filled filled = filled(Orientation.COLUMN, true);
        SimulatedNode node = filled.node().fork((_, _) -> {});
        node.restart(
                RequestCost.options(
                        new CacheOptions(
                                caches.rowBlockBytes(),
                                caches.keyIndexBytes(),
                                caches.footerBytes(),
                                caches.rowGroupBytes(),
                                caches.decodedColumnBytes(),
                                0)));
        node.tick(0); // opens the files
        List<Long> ids = ids(20);
        Recorded<Integer> first =
                filled.opened().get().record(() -> lookUp(node, filled.schema(), ids));
        assertThat(first.requests())
                .filteredOn(request -> request.path().endsWith(".orc"))
                .as("requests for rows: 128 if each row group were read by itself")
                .hasSizeBetween(1, 30);
        assertThat(
                        filled.opened()
                                .get()
                                .record(() -> lookUp(node, filled.schema(), ids))
                                .requests())
                .as("requests of the same keys after %s", first.requests().size())
                .isEmpty();
    }

    /** What was read ahead does not depend on a cache that takes it: a full one may refuse it. */
    @Test
    void blockCachesThatAreFull() throws IOException {
        for (Orientation orientation : List.of(Orientation.COLUMN, Orientation.ROW)) {
            Filled filled = filled(orientation, false);
            SimulatedNode node = filled.node().fork((_, _) -> {});
            node.restart(RequestCost.options(new CacheOptions(1, 1, 64L << 20, 1, 128L << 20, 0)));
            node.tick(0); // opens the files
            RequestCost limit =
                    orientation == Orientation.ROW
                            ? new RequestCost(60, 2)
                            : new RequestCost(60, 3);
            RequestCost cost = RequestCost.UNKNOWN;
            for (int i = 0; i < RequestCost.ATTEMPTS && !cost.isWithin(limit); i++) {
                cost =
                        RequestCost.of(
                                filled.opened()
                                        .get()
                                        .record(() -> lookUp(node, filled.schema(), ids(20))));
            }
            assertThat(cost.isWithin(limit)).as("%s table: %s", orientation, cost).isTrue();
        }
    }

    @Test
    void withoutACacheOfMetadataAFileIsOpenedOnce() throws IOException {
        Filled filled = filled(Orientation.COLUMN, true);
        SimulatedNode node = filled.node().fork((_, _) -> {});
        node.restart(
                RequestCost.options(new CacheOptions(256L << 20, 128L << 20, 0, 1, 128L << 20, 0)));
        node.tick(0); // opens the files
        List<String> read =
                filled
                        .opened()
                        .get()
                        .record(() -> lookUp(node, filled.schema(), ids(20)))
                        .requests()
                        .stream()
                        .map(
                                request ->
                                        "%s, %d bytes at %d"
                                                .formatted(
                                                        request.path(),
                                                        request.length(),
                                                        request.offset()))
                        .toList();
        assertThat(read).isNotEmpty().doesNotHaveDuplicates();
    }

    private static List<Long> ids(int keys) {
        return LongStream.range(0, keys).map(i -> (i * 7_919 + 12_345) % ROWS).boxed().toList();
    }

    private static void check(Orientation orientation, boolean inOrder, Budget... budgets)
            throws IOException {
        Filled filled = filled(orientation, inOrder);
        SimulatedNode node = filled.node();
        assertThat(
                        filled.writer()
                                .record(() -> lookUp(node, filled.schema(), List.of(7L)))
                                .requests())
                .as("requests of one key, by whoever wrote the files: no metadata")
                .noneMatch(request -> request.path().endsWith(".sums"))
                .hasSizeLessThanOrEqualTo(budgets[0].cold.requests());
        for (Budget budget : budgets) {
            List<Long> ids = ids(budget.keys);
            RequestCost cold = RequestCost.UNKNOWN;
            RequestCost again = cold;
            for (int i = 0; i < RequestCost.ATTEMPTS && !isWithin(budget, cold, again); i++) {
                node.restart();
                node.tick(0); // opens the files
                cold =
                        RequestCost.of(
                                filled.opened()
                                        .get()
                                        .record(() -> lookUp(node, filled.schema(), ids)));
                again =
                        RequestCost.of(
                                filled.opened()
                                        .get()
                                        .record(() -> lookUp(node, filled.schema(), ids)));
            }
            assertThat(isWithin(budget, cold, again))
                    .as(
                            "%s table, files %s order of keys: cold %s, again %s of %s",
                            orientation, inOrder ? "in" : "in no", cold, again, budget)
                    .isTrue();
        }
        assertThat(node.uncaught()).isEmpty();
    }

    private static boolean isWithin(Budget budget, RequestCost cold, RequestCost again) {
        return cold.isWithin(budget.cold) && again.isWithin(budget.again);
    }

    /** Looks up as a server does where it waits, and compares the rows. */
    private static int lookUp(SimulatedNode node, TableSchema schema, List<Long> ids)
            throws IOException {
        KeyEncoder encoder = KeyEncoder.forPrimaryKey(schema);
        RowLayout layout = RowLayout.of(schema.columns());
        List<byte[]> keys = ids.stream().map(id -> encoder.encodeObjects(List.of(id))).toList();
        PointLookup lookup = node.engine().startLookup(schema.id(), Optional.empty(), keys);
        while (!lookup.advance()) {
            // some keys at a time
        }
        List<Optional<byte[]>> rows = lookup.rows().rows();
        for (int i = 0; i < ids.size(); i++) {
            long id = ids.get(i);
            assertThat(rows.get(i))
                    .as("row of id %s", id)
                    .satisfies(
                            row ->
                                    assertThat(row.isPresent() ? row.get() : null)
                                            .isEqualTo(isDeleted(id) ? null : row(layout, id)));
        }
        return rows.size();
    }

    /**
     * A node that wrote a table.
     *
     * @param writer the store that it had meanwhile
     * @param opened that of the node that was opened last, of this one and its forks
     */
    private record Filled(
            SimulatedNode node,
            TableSchema schema,
            RoundsStore writer,
            AtomicReference<RoundsStore> opened) {}

    /** One for all tests, which only read it, or forks of it with other caches. */
    private static Filled filled(Orientation orientation, boolean inOrder) throws IOException {
        String shape = orientation + " " + inOrder;
        if (!FILLED.containsKey(shape)) {
            AtomicReference<RoundsStore> opened = new AtomicReference<>();
            SimulatedNode node = RequestCost.start(RequestCost.CACHES, opened);
            TableSchema schema = create(node, orientation);
            fill(node, schema, inOrder);
            FILLED.put(shape, new Filled(node, schema, opened.get(), opened));
        }
        return FILLED.get(shape);
    }

    private static TableSchema create(SimulatedNode node, Orientation orientation) {
        node.engine().catalog().createSchema("test");
        List<ColumnSchema> columns = new ArrayList<>();
        columns.add(new ColumnSchema(1, "id", DataType.parse("bigint")).notNull());
        for (int id = 2; id <= 9; id++) {
            columns.add(
                    new ColumnSchema(
                            id, "c" + id, DataType.parse(id % 2 == 0 ? "bigint" : "varchar")));
        }
        return node.engine()
                .catalog()
                .createTable(
                        TableSchema.builder("test", "t")
                                .columns(columns)
                                .primaryKey(List.of(1))
                                .orientation(orientation)
                                .build(),
                        "",
                        TableState.PUBLIC);
    }

    private static boolean isDeleted(long id) {
        return id % 97 == 5;
    }

    private static byte[] row(RowLayout layout, long id) {
        SplittableRandom random = new SplittableRandom(id);
        Object[] row = new Object[9];
        row[0] = id;
        for (int column = 1; column < 9; column++) {
            row[column] =
                    column % 2 == 1
                            ? (Object) random.nextLong()
                            : Long.toHexString(random.nextLong()) + id;
        }
        return Rows.toBytes(layout, row);
    }

    private static void fill(SimulatedNode node, TableSchema schema, boolean inOrder) {
        RowLayout layout = RowLayout.of(schema.columns());
        long sequence = 0;
        for (int flush = 0; flush < FLUSHES; flush++) {
            long start = flush;
            List<Long> ids =
                    LongStream.range(0, ROWS_A_FLUSH)
                            .map(i -> inOrder ? start * ROWS_A_FLUSH + i : i * FLUSHES + start)
                            .boxed()
                            .toList();
            for (int first = 0; first < ROWS_A_FLUSH; first += BATCH) {
                WriteBatchBuilder batch =
                        new WriteBatchBuilder(schema.id(), schema.schemaVersion());
                for (long id : ids.subList(first, first + BATCH)) {
                    batch.upsert(key(schema, id), row(layout, id));
                }
                write(node, schema, batch, ++sequence);
            }
            node.await(node.engine().flush(schema.id()));
        }
        WriteBatchBuilder deletions = new WriteBatchBuilder(schema.id(), schema.schemaVersion());
        LongStream.range(0, ROWS)
                .filter(TestLookupRequests::isDeleted)
                .forEach(id -> deletions.delete(key(schema, id)));
        write(node, schema, deletions, ++sequence);
        node.await(node.engine().flush(schema.id()));
    }

    private static byte[] key(TableSchema schema, long id) {
        return KeyEncoder.forPrimaryKey(schema).encodeObjects(List.of(id));
    }

    private static void write(
            SimulatedNode node, TableSchema schema, WriteBatchBuilder batch, long sequence) {
        byte[] bytes = batch.toByteArray();
        node.await(
                node.engine()
                        .write(schema.shard(0), new UUID(1, 2), sequence, bytes, 0, bytes.length));
    }
}
