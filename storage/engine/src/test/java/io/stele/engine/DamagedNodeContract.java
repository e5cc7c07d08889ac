package io.stele.engine;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.columnfile.index.BitmapIndexReader;
import io.stele.columnfile.index.BlockCache;
import io.stele.engine.WorkerFiles.Row;
import io.stele.engine.catalog.CatalogDamage;
import io.stele.engine.node.StorageOptions;
import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.engine.wal.LogOptions;
import io.stele.objectstore.InMemoryObjectStore;
import io.stele.objectstore.ObjectEntry;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.scan.FileScan;
import io.stele.protocol.api.scan.ShardScan;
import io.stele.protocol.api.write.WrittenFile;
import io.stele.protocol.predicate.ColumnDomain;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.predicate.ValueRange;
import io.stele.protocol.schema.IndexSchema;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableOptions;
import io.stele.protocol.wire.WriteBatchBuilder;
import io.stele.testing.LongRun;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Damages every kind of object of a node, one byte at a time, starts a node on what is there, and
 * asks it everything that the undamaged node was asked. The node starts, unless it is the catalog;
 * the answers are the same, or the error says CORRUPT_DATA with the damaged object and an offset in
 * it, and that only for tables that have to do with the object.
 *
 * <p>{@code -Ddamage.flips=N} flips N bytes of each kind instead of the default; every byte of
 * objects that have no more than that. By default an object is cut at one place in turn, and with
 * {@code bin/stele test --long} at all of them.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class DamagedNodeContract {
    /** Of an object, however many there are of its kind. */
    private static final int LEAST_FLIPS = LongRun.count(1, 4);

    private static final int NAME_INDEX = 1;
    private static final StorageOptions OPTIONS =
            StorageOptions.DEFAULT
                    .withOnePhase(200) // the last one commits in two phases
                    .withRetention(Duration.ofHours(1))
                    .withMemTables(1 << 20, 1 << 30, Duration.ofHours(1))
                    .withTargetFileBytes(1 << 20)
                    // Small segments, so that some are trimmed
                    .withLog(new LogOptions(8192, 1 << 20, 1 << 16, 1 << 16, Duration.ZERO));

    /** Of one shard, more than a manifest version has of writers. */
    private static final int WRITES_OF_OTHERS = 2_200;

    private final int flips; // of a kind
    private final SimulatedNode node;
    private final TestTable rows;
    private final TestTable columns;
    private final TestTable appends;
    private final TestTable kept; // some of whose records are only in what is kept of the log
    private final Lsn past;
    private final Map<String, Object> answers;

    /** What the objects of a node are. */
    enum Kind {
        SST_FILE(".*\\.row"),
        COLUMN_FILE(".*\\.orc"),
        CHECKSUMS(".*\\.orc\\.sums"),
        KEY_INDEX(".*\\.idx"),

        /** With the checksums: the end of a key index. */
        FILE_METADATA(".*\\.idx"),
        BITMAP_INDEX(".*\\.orc\\.bitmaps"),
        DELETE_VECTOR(".*\\.dv-.*"),
        MANIFEST("manifest/[^/]+/([0-9]+|base/.*)"),
        WRITERS("manifest/[^/]+/writers/.*"),
        KEPT("kept/.*"),
        CATALOG("catalog/.*"),
        DECISION("txn/.*"),
        NAMED_LOG("named-log/.*"),
        EPOCH("epoch/.*"),
        LOG("[0-9]+");

        private final String paths;

        Kind(String paths) {
            this.paths = paths;
        }
    }

    /**
     * @param flips of each kind by default
     */
    DamagedNodeContract(boolean isEncrypted, int flips) throws IOException {
        this.flips = Integer.getInteger("damage.flips", flips);
        node = SimulatedNode.start(OPTIONS, 5, false, isEncrypted);
        rows = rowsTable();
        columns = columnsTable();
        appends = TestTable.create(node.engine(), "appends", Orientation.COLUMN, false, 1);
        kept = TestTable.create(node.engine(), "kept", Orientation.COLUMN, true, 1);
        write();
        past = node.openSnapshot().lsn();
        change();
        keepSomeOfTheLog();
        changeAfterwards();
        leaveInDoubt();
        answers = answers(node.fork((store, log) -> {}));
    }

    private TestTable rowsTable() {
        return TestTable.createIndexed(
                node.engine(),
                "rows",
                Orientation.ROW,
                2,
                List.of(new IndexSchema(NAME_INDEX, "by_name", List.of(2), false, true)));
    }

    private TestTable columnsTable() {
        return TestTable.create(
                node.engine(),
                "columns",
                Orientation.COLUMN,
                true,
                2,
                TableOptions.NONE.withBitmapColumns(List.of(2)));
    }

    private void write() throws IOException {
        for (long i = 0; i < WRITES_OF_OTHERS; i++) {
            node.await(rows.upsert(node.engine(), 0, "early", i));
        }
        for (long id = 0; id < 200; id++) {
            node.await(rows.upsert(node.engine(), id, "name " + id % 7, id));
            node.await(columns.upsert(node.engine(), id, "name " + id % 7, id));
        }
        WriteBatchBuilder batch = appends.batch();
        for (long id = 0; id < 100; id++) {
            batch.append(appends.row(id, "appended", id));
        }
        node.await(appends.write(node.engine(), appends.schema().shard(0), batch));
        for (long id = 0; id < 20; id++) {
            node.await(kept.upsert(node.engine(), id, "in a file", id));
        }
        flush(tables());
    }

    private void change() throws IOException {
        for (long id = 0; id < 200; id += 2) {
            node.await(rows.upsert(node.engine(), id, "changed", id));
            node.await(columns.upsert(node.engine(), id, "changed", id));
        }
        node.await(rows.delete(node.engine(), 1));
        node.await(columns.delete(node.engine(), 1));
        String transaction = node.engine().beginTransaction(appends.id(), Optional.empty());
        WrittenFile file =
                WorkerFiles.write(
                        node.objects(),
                        appends,
                        appends.schema().shard(0),
                        "worker-file",
                        List.of(new Row(1_000, "worker", 1), new Row(1_001, "worker", 2)));
        assertThat(file.checksumBlockBytes()).isPresent();
        node.await(node.commit(transaction, List.of(file)));
        flush(tables());
        // So that what has ended lies in history files
        node.await(node.engine().compact(columns.id()));
        for (long id = 0; id < 40; id++) {
            node.await(columns.upsert(node.engine(), id, "again", id));
        }
        flush(tables());
    }

    /** What a table needs while it is set aside and the log goes on; then it is back. */
    private void keepSomeOfTheLog() throws IOException {
        for (long id = 0; id < 5; id++) {
            node.await(kept.upsert(node.engine(), id, "only in what is kept", id));
        }
        String index =
                node.engine()
                        .shard(kept.schema().shard(0))
                        .table(kept.id())
                        .view()
                        .columnFiles()
                        .getFirst()
                        .entry()
                        .keyIndex()
                        .orElseThrow()
                        .path();
        byte[] good = node.store().readFully(index);
        node.store().delete(index);
        node.restart();
        assertThat(node.engine().status().damages()).hasSize(1);
        for (long id = 20; id < 40; id++) { // so that manifests know the writers
            node.await(rows.upsert(node.engine(), id, "changed", id));
            node.await(columns.upsert(node.engine(), id, "changed", id));
        }
        WriteBatchBuilder batch = appends.batch();
        for (long id = 100; id < 200; id++) {
            batch.append(appends.row(id, "appended ".repeat(20), id));
        }
        node.await(appends.write(node.engine(), appends.schema().shard(0), batch));
        flush(List.of(rows, columns, appends));
        for (int tick = 0; tick < 4; tick++) {
            node.tick(1_000);
        }
        node.store().put(index, good);
        node.restart();
        assertThat(node.engine().status().damages()).isEmpty();
    }

    private void changeAfterwards() {
        for (long id = 300; id < 310; id++) {
            node.await(rows.upsert(node.engine(), id, "only in the log", id));
            node.await(columns.upsert(node.engine(), id, "only in the log", id));
        }
        String transaction = node.engine().beginTransaction(rows.id(), Optional.empty());
        for (TestTable table : List.of(rows, columns)) {
            stage(transaction, table, 310, "committed");
        }
        node.await(node.commit(transaction, List.of()));
    }

    private void stage(String transaction, TestTable table, long id, String name) {
        WriteBatchBuilder batch = table.batch();
        batch.upsert(table.key(id), table.row(id, name, id));
        node.engine()
                .stage(transaction, table.shard(id), batch.toByteArray(), 0, batch.sizeBytes());
    }

    private List<TestTable> tables() {
        return List.of(rows, columns, appends, kept);
    }

    private void flush(List<TestTable> tables) {
        for (TestTable table : tables) {
            node.await(node.engine().flush(table.id()));
        }
    }

    /** The process dies after the decision and before any outcome is logged. */
    private void leaveInDoubt() throws IOException {
        String transaction = node.engine().beginTransaction(rows.id(), Optional.empty());
        for (long id = 400; id < 404; id++) {
            for (TestTable table : List.of(rows, columns)) {
                stage(transaction, table, id, "in doubt");
            }
        }
        CompletableFuture<Lsn> commit = node.commit(transaction, List.of());
        node.runUntilDecided(transaction, commit);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "EPOCH") // empty: its name says all
    void anyFlippedByteIsRefusedOrChangesNothing(Kind kind) throws IOException {
        Random random = new Random(kind.ordinal());
        List<String> objects = objects(kind);
        assertThat(objects).as("objects of kind %s", kind).isNotEmpty();
        int refused = 0;
        for (String object : objects) {
            byte[] good = content(object);
            int start = kind == Kind.FILE_METADATA ? good.length - metadataBytes(object) : 0;
            for (int at : positions(good.length - start, objects.size(), random)) {
                int position = start + at;
                byte[] bad = good.clone();
                bad[position] ^= (byte) (1 << random.nextInt(8));
                if (isRefused(object, bad, "byte " + position + " of " + good.length)) {
                    refused++;
                }
            }
        }
        // What nobody reads any more (older manifests) may be damaged; most is read.
        assertThat(refused).as("damage of %s that was noticed", kind).isPositive();
    }

    /** From the metadata of a column file to the end of its key index; none of old ones. */
    private int metadataBytes(String index) {
        return tables().stream()
                .flatMap(
                        table ->
                                table.schema().shards().stream()
                                        .map(id -> node.engine().shard(id).table(table.id())))
                .flatMap(table -> table.view().columnFiles().stream())
                .flatMap(file -> file.entry().keyIndex().stream())
                .filter(file -> file.path().equals(index))
                .mapToInt(file -> file.metadataBytes().orElse(0))
                .findFirst()
                .orElse(0);
    }

    @ParameterizedTest
    // The end of a log is cut where a crash may have torn it: TestLogDamage
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {"EPOCH", "LOG", "FILE_METADATA"})
    void aCutObjectIsRefusedOrChangesNothing(Kind kind) throws IOException {
        int refused = 0;
        int turn = 0;
        for (String object : objects(kind)) {
            byte[] good = content(object);
            List<Integer> lengths = List.of(good.length - 1, good.length / 2, 0);
            for (int length : LongRun.isOn() ? lengths : List.of(lengths.get(turn++ % 3))) {
                if (isRefused(object, Arrays.copyOf(good, length), "cut at " + length)) {
                    refused++;
                }
            }
        }
        assertThat(refused).as("cut objects of %s that were noticed", kind).isPositive();
    }

    @Test
    void everyObjectIsOfAKind() throws IOException {
        Set<String> all = new TreeSet<>(allObjects());
        for (Kind kind : Kind.values()) {
            objects(kind).forEach(all::remove);
        }
        assertThat(all).isEmpty();
        assertThat(answers.toString())
                .contains("in doubt:400", "only in the log", "only in what is kept", "changed:");
    }

    private Set<Integer> positions(int length, int objects, Random random) {
        int count = Math.max(LEAST_FLIPS, flips / objects);
        Set<Integer> positions = new TreeSet<>();
        if (length <= count) {
            for (int position = 0; position < length; position++) {
                positions.add(position);
            }
            return positions;
        }
        // Header and tail are what all else hangs on
        for (int end = 0; end < count / 8; end++) {
            positions.add(random.nextInt(Math.min(48, length)));
            positions.add(length - 1 - random.nextInt(Math.min(48, length)));
        }
        while (positions.size() < count) {
            positions.add(random.nextInt(length));
        }
        return positions;
    }

    /**
     * The node starts, whatever is damaged. What is about tables that have nothing to do with the
     * damage is answered as before; so is the rest, or the error names the damage.
     *
     * @return whether anything was refused
     */
    private boolean isRefused(String object, byte[] bad, String what) throws IOException {
        SimulatedNode fork =
                node.fork(
                        (store, log) -> {
                            if (object.startsWith("/")) {
                                log.replace(Long.parseLong(object.substring(1)), bad);
                            } else {
                                store.put(object, bad);
                            }
                        });
        Optional<CatalogDamage> unknown = fork.engine().knownCatalog().damage();
        if (unknown.isPresent()) {
            assertThat(object).isEqualTo(unknown.get().object());
            assertNamesDamage(unknown.get().refusal(), object, what);
            return true;
        }
        Map<String, Object> found = answers(fork);
        Map<String, Throwable> refused = new TreeMap<>();
        found.forEach(
                (question, answer) -> {
                    if (answer instanceof Throwable failed) {
                        refused.put(question, failed);
                    } else {
                        assertThat(answer)
                                .as("%s, with %s of %s", question, what, object)
                                .isEqualTo(answers.get(question));
                    }
                });
        refused.forEach(
                (question, failed) -> {
                    assertNamesDamage(failed, object, question + ", with " + what);
                    assertThat(concerned(object))
                            .as("tables that %s of %s may concern", what, object)
                            .anyMatch(table -> question.startsWith(table.schema().tableName()));
                });
        if (found.values().stream().noneMatch(Throwable.class::isInstance)) {
            return !fork.engine().status().damages().isEmpty();
        }
        return true;
    }

    /** The tables that have something to do with an object. */
    private List<TestTable> concerned(String object) {
        List<TestTable> tables = tables();
        if (object.startsWith("data/")) {
            return tables.stream()
                    .filter(table -> object.startsWith("data/" + table.id() + "/"))
                    .toList();
        }
        if (object.startsWith("manifest/") || object.startsWith("kept/")) {
            String shard = object.split("/")[1];
            return tables.stream()
                    .filter(
                            table ->
                                    table.schema().shards().stream()
                                            .anyMatch(id -> id.toString().equals(shard)))
                    .toList();
        }
        // A transaction in doubt is about two tables, and nobody knows what a log was about
        return object.matches(Kind.DECISION.paths) ? List.of(rows, columns) : tables;
    }

    private static void assertNamesDamage(Throwable failed, String object, String what) {
        String name = object.startsWith("/") ? "memory:" + object.substring(1) : object;
        assertThat(failed)
                .as("%s of %s", what, object)
                .isInstanceOfSatisfying(
                        SteleException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT_DATA))
                .hasMessageContaining(name)
                .hasMessageContaining("offset")
                .hasMessageContaining("xpected")
                .hasMessageContaining("found");
    }

    /** Everything that can be asked, each in a way of its own; what is refused is the refusal. */
    private Map<String, Object> answers(SimulatedNode asked) throws IOException {
        StorageEngine engine = asked.engine();
        Map<String, Object> found = new TreeMap<>();
        for (Optional<Lsn> at : List.of(Optional.<Lsn>empty(), Optional.of(past))) {
            LeasedSnapshot snapshot =
                    at.isPresent() ? asked.openSnapshot(at.get()) : asked.openSnapshot();
            for (TestTable table : tables()) {
                String name = table.schema().tableName() + at;
                found.put(name + " scanned", ask(() -> table.snapshot(engine, snapshot)));
                found.put(name + " planned", ask(() -> table.planned(asked, snapshot)));
                if (table != appends) {
                    found.put(name + " looked up", ask(() -> lookups(engine, table, snapshot)));
                }
            }
            found.put(
                    "rows by index" + at,
                    ask(() -> rows.lookup(engine, snapshot, NAME_INDEX, List.of("changed"))));
            found.put("columns by bitmaps" + at, ask(() -> selected(asked, snapshot)));
        }
        return found;
    }

    private static Map<Long, Object> lookups(
            StorageEngine engine, TestTable table, LeasedSnapshot snapshot) throws IOException {
        Map<Long, Object> lookups = new HashMap<>();
        for (long id = 0; id < 410; id++) {
            lookups.put(id, table.get(engine, Optional.of(snapshot.lsn()), id));
        }
        return lookups;
    }

    private static Object ask(Callable<Object> question) {
        try {
            return question.call();
        } catch (Exception refused) {
            return refused;
        }
    }

    /** As workers ask the bitmap indexes. */
    private List<Object> selected(SimulatedNode asked, LeasedSnapshot snapshot) throws IOException {
        List<Object> found = new ArrayList<>();
        ScanPredicate predicate =
                new ScanPredicate(
                        Map.of(2, ColumnDomain.of(ValueRange.equal("changed".getBytes(UTF_8)))));
        for (ShardScan shard :
                asked.engine().plan(snapshot, columns.id(), ScanPredicate.ALL).shards()) {
            for (FileScan file : shard.files()) {
                if (file.bitmapIndexBytes().isPresent()) {
                    found.add(
                            BitmapIndexReader.open(
                                            asked.objects(),
                                            WrittenFile.bitmapIndexPath(file.path()),
                                            file.bitmapIndexBytes().getAsLong(),
                                            new BlockCache("test", 1 << 20, () -> 0))
                                    .select(predicate, columns.schema()));
                }
            }
        }
        return found;
    }

    private List<String> allObjects() throws IOException {
        List<String> all = new ArrayList<>();
        for (ObjectEntry entry : node.store().contents().list("")) {
            all.add(entry.path());
        }
        node.log().segments().forEach(segment -> all.add("/" + segment));
        return all;
    }

    private List<String> objects(Kind kind) throws IOException {
        return allObjects().stream()
                .filter(
                        object ->
                                object.startsWith("/") == (kind == Kind.LOG)
                                        && object.substring(kind == Kind.LOG ? 1 : 0)
                                                .matches(kind.paths))
                .toList();
    }

    private byte[] content(String object) throws IOException {
        InMemoryObjectStore contents = node.store().contents();
        return object.startsWith("/")
                ? node.log().bytes(Long.parseLong(object.substring(1)))
                : contents.readFully(object);
    }
}
