package io.stele.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.columnfile.orc.ColumnFileCursor;
import io.stele.columnfile.orc.ColumnFileReader;
import io.stele.engine.catalog.TableState;
import io.stele.engine.manifest.FileEntry;
import io.stele.engine.manifest.FileKind;
import io.stele.engine.manifest.KeyIndexFile;
import io.stele.engine.scan.RowCursor;
import io.stele.engine.shard.write.WriteOutcome;
import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.TableId;
import io.stele.protocol.api.scan.CachedPlan;
import io.stele.protocol.api.scan.ChangeKind;
import io.stele.protocol.api.scan.FileScan;
import io.stele.protocol.api.scan.ScanMode;
import io.stele.protocol.api.scan.ScanPlan;
import io.stele.protocol.api.scan.ShardScan;
import io.stele.protocol.api.scan.TablePlan;
import io.stele.protocol.api.write.WrittenFile;
import io.stele.protocol.predicate.ColumnDomain;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.predicate.ValueRange;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.KeyEncoder;
import io.stele.protocol.row.PartialRowLayout;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.row.RowRouter;
import io.stele.protocol.row.Rows;
import io.stele.protocol.row.ValueCodec;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.IndexSchema;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableOptions;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.wire.OperationKind;
import io.stele.protocol.wire.WriteBatchBuilder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.roaringbitmap.RoaringBitmap;

/**
 * A table (id bigint, name varchar, amount bigint) as tests write and read it: by a primary key on
 * id, or append-only with the shard's row ids. Reads come in every way the engine offers, so that
 * each can be compared with the others.
 */
final class TestTable {
    private static final ValueCodec ID = ValueCodec.of(DataType.parse("bigint"));

    private final TableSchema schema;
    private final RowLayout layout;
    private final UUID writerId;
    private final Map<ShardId, Long> sequences = new HashMap<>();
    private Optional<String> keptToken = Optional.empty();
    private List<ShardScan> keptPlan = List.of();
    private int plans;

    private TestTable(TableSchema schema, UUID writerId) {
        this.schema = schema;
        this.layout = RowLayout.of(schema.columns());
        this.writerId = writerId;
    }

    static TestTable create(
            StorageEngine engine,
            String name,
            Orientation orientation,
            boolean keyed,
            int shardCount) {
        return create(engine, name, orientation, keyed, shardCount, List.of(), TableState.PUBLIC);
    }

    static TestTable create(
            StorageEngine engine,
            String name,
            Orientation orientation,
            boolean keyed,
            int shardCount,
            List<Integer> partitionedBy,
            TableState state) {
        return create(
                engine, name, orientation, keyed, shardCount, List.of(), partitionedBy, state);
    }

    static TestTable create(
            StorageEngine engine,
            String name,
            Orientation orientation,
            boolean keyed,
            int shardCount,
            List<Integer> clusteringKey,
            List<Integer> partitionedBy,
            TableState state) {
        return create(
                engine,
                name,
                orientation,
                keyed,
                shardCount,
                clusteringKey,
                partitionedBy,
                TableOptions.NONE,
                state);
    }

    /** A keyed table with secondary indexes. */
    static TestTable createIndexed(
            StorageEngine engine,
            String name,
            Orientation orientation,
            int shardCount,
            List<IndexSchema> indexes) {
        return create(
                engine,
                name,
                orientation,
                true,
                shardCount,
                TableOptions.NONE.withIndexes(indexes));
    }

    static TestTable create(
            StorageEngine engine,
            String name,
            Orientation orientation,
            boolean keyed,
            int shardCount,
            TableOptions options) {
        return create(
                engine,
                name,
                orientation,
                keyed,
                shardCount,
                List.of(),
                List.of(),
                options,
                TableState.PUBLIC);
    }

    private static TestTable create(
            StorageEngine engine,
            String name,
            Orientation orientation,
            boolean keyed,
            int shardCount,
            List<Integer> clusteringKey,
            List<Integer> partitionedBy,
            TableOptions options,
            TableState state) {
        if (!engine.catalog().current().schemas().contains("test")) {
            engine.catalog().createSchema("test");
        }
        TableSchema definition =
                TableSchema.builder("test", name)
                        .columns(
                                List.of(
                                        new ColumnSchema(1, "id", DataType.parse("bigint"))
                                                .notNull(),
                                        new ColumnSchema(2, "name", DataType.parse("varchar")),
                                        new ColumnSchema(3, "amount", DataType.parse("bigint"))))
                        .primaryKey(keyed ? List.of(1) : List.of())
                        .clusteringKey(clusteringKey)
                        .partitionedBy(partitionedBy)
                        .orientation(orientation)
                        .shardCount(shardCount)
                        .options(options)
                        .build();
        return of(engine.catalog().createTable(definition, "", state));
    }

    /** A table that is there, of the columns that all of them have. */
    static TestTable of(TableSchema created) {
        return new TestTable(created, new UUID(created.id().value(), 7));
    }

    /** The same in a fork of its node, where writes go on from here. */
    TestTable fork() {
        TestTable fork = new TestTable(schema, writerId);
        fork.sequences.putAll(sequences);
        return fork;
    }

    TableSchema schema() {
        return schema;
    }

    TableId id() {
        return schema.id();
    }

    UUID writerId() {
        return writerId;
    }

    byte[] key(long id) {
        return KeyEncoder.forPrimaryKey(schema).encode(new BinaryRow(layout).wrap(row(id, "", 0)));
    }

    byte[] row(long id, String name, long amount) {
        return Rows.toBytes(layout, id, name, amount);
    }

    ShardId shard(long id) {
        return schema.shard(RowRouter.of(schema).shardOfKey(key(id)));
    }

    WriteBatchBuilder batch() {
        return new WriteBatchBuilder(schema.id(), schema.schemaVersion());
    }

    /** Writes a batch with the next sequence of its shard. */
    CompletableFuture<Lsn> write(StorageEngine engine, ShardId shard, WriteBatchBuilder batch) {
        long sequence = sequences.merge(shard, 1L, Long::sum);
        byte[] bytes = batch.toByteArray();
        return engine.write(shard, writerId, sequence, bytes, 0, bytes.length);
    }

    /** As {@link #write}, with how many operations were skipped. */
    CompletableFuture<WriteOutcome> apply(
            StorageEngine engine, ShardId shard, WriteBatchBuilder batch) {
        long sequence = sequences.merge(shard, 1L, Long::sum);
        byte[] bytes = batch.toByteArray();
        return engine.apply(shard, writerId, sequence, bytes, 0, bytes.length);
    }

    /** Adds an insert to a batch. */
    void insert(WriteBatchBuilder batch, OperationKind kind, long id, String name, long amount) {
        byte[] key = key(id);
        byte[] row = row(id, name, amount);
        batch.add(kind, key, 0, key.length, row, 0, row.length);
    }

    /** Adds an update of the amount, and of the name if there is one, to a batch. */
    void update(
            WriteBatchBuilder batch,
            OperationKind kind,
            long id,
            Optional<String> name,
            long amount) {
        PartialRowLayout partial =
                PartialRowLayout.of(schema, name.isPresent() ? List.of(3, 1, 2) : List.of(1, 3));
        byte[] given =
                name.isPresent()
                        ? Rows.toBytes(partial.layout(), id, name.get(), amount)
                        : Rows.toBytes(partial.layout(), id, amount);
        byte[] row = new byte[partial.headBytes() + given.length];
        System.arraycopy(given, 0, row, partial.writeHead(row, 0), given.length);
        byte[] key = key(id);
        batch.add(kind, key, 0, key.length, row, 0, row.length);
    }

    CompletableFuture<Lsn> upsert(StorageEngine engine, long id, String name, long amount) {
        WriteBatchBuilder batch = batch();
        batch.upsert(key(id), row(id, name, amount));
        return write(engine, shard(id), batch);
    }

    CompletableFuture<Lsn> delete(StorageEngine engine, long id) {
        WriteBatchBuilder batch = batch();
        batch.delete(key(id));
        return write(engine, shard(id), batch);
    }

    /** All rows by a SNAPSHOT scan of each shard: id to name and amount. */
    Map<Long, String> snapshot(StorageEngine engine, LeasedSnapshot snapshot) throws IOException {
        Map<Long, String> rows = new TreeMap<>();
        for (ShardId shard : schema.shards()) {
            collect(engine, snapshot, shard, ScanMode.SNAPSHOT, rows);
        }
        return rows;
    }

    /** What happened after an LSN and up to a snapshot: LSN, kind, id and the row of it. */
    List<String> changes(StorageEngine engine, Lsn after, LeasedSnapshot to) throws IOException {
        return changes(engine, after, to, to.lsn(), ScanPredicate.ALL, true);
    }

    /**
     * The same up to an earlier LSN, of rows of a predicate, and with rows before updates or not.
     */
    List<String> changes(
            StorageEngine engine,
            Lsn after,
            LeasedSnapshot to,
            Lsn upTo,
            ScanPredicate predicate,
            boolean withBeforeImages)
            throws IOException {
        List<String> changes = new ArrayList<>();
        for (ShardId shard : schema.shards()) {
            changes.addAll(changes(engine, shard, after, to, upTo, predicate, withBeforeImages));
        }
        changes.sort(null);
        return changes;
    }

    /** The same of one shard, in the order in which they come. */
    List<String> changes(
            StorageEngine engine,
            ShardId shard,
            Lsn after,
            LeasedSnapshot to,
            Lsn upTo,
            ScanPredicate predicate,
            boolean withBeforeImages)
            throws IOException {
        try (RowCursor cursor =
                SteppedReads.read(
                        () ->
                                engine.changes(
                                        to,
                                        schema.id(),
                                        schema.schemaVersion(),
                                        shard,
                                        after,
                                        upTo,
                                        predicate,
                                        withBeforeImages))) {
            return inOrder(cursor, withBeforeImages && predicate.equals(ScanPredicate.ALL));
        }
    }

    /**
     * @param isComplete whether rows before updates come with the rows after them
     */
    private List<String> inOrder(RowCursor cursor, boolean isComplete) throws IOException {
        List<String> changes = new ArrayList<>();
        long lastLsn = 0;
        Optional<Long> updated = Optional.empty();
        while (SteppedReads.next(cursor)) {
            assertThat(cursor.lsn()).as("LSN").isGreaterThanOrEqualTo(lastLsn);
            ChangeKind kind = ChangeKind.of(cursor.rowId());
            Map<Long, String> row = new TreeMap<>();
            add(cursor.row(), row);
            Map.Entry<Long, String> only = row.entrySet().iterator().next();
            if (updated.isPresent() && isComplete) {
                assertThat(kind).isEqualTo(ChangeKind.UPDATE);
                assertThat(only.getKey()).as("row after an update").isEqualTo(updated.get());
            }
            updated =
                    kind == ChangeKind.UPDATE_BEFORE
                            ? Optional.of(only.getKey())
                            : Optional.empty();
            lastLsn = cursor.lsn();
            changes.add("%s %s %s %s".formatted(lastLsn, kind, only.getKey(), only.getValue()));
        }
        return changes;
    }

    /**
     * All rows as the connector reads them: the plan's files, and what the plan says to ask the
     * engine for. The plan is one that was kept, where the engine says that it still is right.
     */
    Map<Long, String> planned(SimulatedNode node, LeasedSnapshot snapshot) throws IOException {
        Map<Long, String> rows = new TreeMap<>();
        ScanPlan plan = plan(node.engine(), snapshot);
        for (ShardScan scan : plan.shards()) {
            for (FileScan file : scan.files()) {
                readFile(node, plan, file, rows);
            }
            if (scan.live()) {
                collect(node.engine(), snapshot, scan.shard(), scan.mode(), rows);
            }
        }
        return rows;
    }

    /** Values of a bigint from one to another. */
    static ColumnDomain between(long min, long max) {
        return new ColumnDomain(
                false,
                List.of(
                        new ValueRange(
                                Optional.of(ID.encodeLong(min)),
                                true,
                                Optional.of(ID.encodeLong(max)),
                                true)));
    }

    private ScanPlan plan(StorageEngine engine, LeasedSnapshot snapshot) {
        TableSchema present = engine.catalog().current().table(schema.id(), snapshot.lsn());
        int maxCells = plans++ % 3 == 0 ? 0 : TablePlan.MAX_CELLS; // 0: as for too many files
        TablePlan received =
                engine.tablePlan(
                        snapshot,
                        new CachedPlan(schema.id(), present.schemaVersion(), keptToken, maxCells));
        List<ShardScan> scans =
                received.token().isPresent() && received.token().equals(keptToken)
                        ? keptPlan
                        : received.shards()
                                .orElseGet(
                                        () ->
                                                engine.plan(
                                                                snapshot,
                                                                schema.id(),
                                                                ScanPredicate.ALL)
                                                        .shards());
        if (received.token().isPresent()) {
            keptToken = received.token();
            keptPlan = scans;
        }
        return new ScanPlan(snapshot.lsn().value(), received.fromLsn(), scans);
    }

    private void collect(
            StorageEngine engine,
            LeasedSnapshot snapshot,
            ShardId shard,
            ScanMode mode,
            Map<Long, String> rows)
            throws IOException {
        try (RowCursor cursor =
                SteppedReads.read(
                        () ->
                                engine.scan(
                                        snapshot,
                                        schema.id(),
                                        shard,
                                        mode,
                                        ScanPredicate.ALL,
                                        List.of()))) {
            while (SteppedReads.next(cursor)) {
                add(cursor.row(), rows);
            }
        }
    }

    private void readFile(SimulatedNode node, ScanPlan plan, FileScan file, Map<Long, String> rows)
            throws IOException {
        RoaringBitmap deleted = new RoaringBitmap();
        if (file.deletedRows().length > 0) {
            deleted.deserialize(ByteBuffer.wrap(file.deletedRows()));
        }
        ColumnFileReader reader = open(node, file);
        try (ColumnFileCursor cursor = reader.cursor()) {
            while (cursor.advance()) {
                boolean inTime = cursor.lsn() <= plan.readLsn() && cursor.lsn() >= plan.fromLsn();
                if (!deleted.contains(cursor.ordinal()) && inTime) {
                    add(cursor.row(), rows);
                }
            }
        }
    }

    /** Every row of a file in file order, deleted ones too: id, name and amount. */
    List<List<Object>> rowsInFileOrder(SimulatedNode node, FileScan file) throws IOException {
        List<List<Object>> rows = new ArrayList<>();
        try (ColumnFileCursor cursor = open(node, file).cursor()) {
            while (cursor.advance()) {
                rows.add(new ArrayList<>(Rows.toObjects(cursor.row())));
            }
        }
        return rows;
    }

    private ColumnFileReader open(SimulatedNode node, FileScan file) throws IOException {
        FileEntry entry =
                new FileEntry(
                                "test",
                                schema.id(),
                                FileKind.COLUMN,
                                0,
                                file.path(),
                                file.sizeBytes(),
                                file.rowCount(),
                                new Lsn(file.minLsn()),
                                new Lsn(file.maxLsn()),
                                file.ingestLsn().isPresent()
                                        ? Optional.of(new Lsn(file.ingestLsn().getAsLong()))
                                        : Optional.empty(),
                                file.firstRowId(),
                                file.schemaVersion(),
                                Optional.empty(),
                                Optional.empty(),
                                Optional.empty(),
                                Map.of(),
                                keyIndex(file),
                                Optional.empty())
                        .withChecksums(file.checksumBlockBytes());
        return ColumnFileReader.open(node.objects(), entry, schema.columns());
    }

    /** That with the checksums of a file, if it has one. */
    static Optional<KeyIndexFile> keyIndex(FileScan file) {
        return file.indexedMetadata()
                .map(
                        place ->
                                new KeyIndexFile(
                                        WrittenFile.keyIndexPath(file.path()),
                                        place.keyIndexBytes(),
                                        OptionalInt.of(place.metadataBytes())));
    }

    private static void add(BinaryRow row, Map<Long, String> rows) {
        List<Object> values = new ArrayList<>(Rows.toObjects(row));
        String earlier = rows.put((Long) values.get(0), values.get(1) + ":" + values.get(2));
        if (earlier != null) {
            throw new AssertionError(
                    "Expected each key once, found "
                            + values.get(0)
                            + " twice: "
                            + earlier
                            + " and "
                            + values);
        }
    }

    /**
     * The rows that an index has for values of its first columns, in its order, as snapshots show
     * them.
     */
    Map<Long, String> lookup(
            StorageEngine engine, LeasedSnapshot snapshot, int indexId, List<Object> values)
            throws IOException {
        return decoded(
                engine.lookupByIndex(
                        schema.id(), indexId, prefix(engine, indexId, values), snapshot, 1000));
    }

    /** As of now, or an LSN. */
    Map<Long, String> lookup(
            StorageEngine engine, Optional<Lsn> lsn, int indexId, List<Object> values)
            throws IOException {
        return decoded(
                engine.lookupByIndex(
                        schema.id(), indexId, prefix(engine, indexId, values), lsn, 1000));
    }

    private byte[] prefix(StorageEngine engine, int indexId, List<Object> values) {
        TableSchema current = engine.catalog().current().table(schema.id());
        List<Integer> columns =
                current.options().indexes().stream()
                        .filter(index -> index.id() == indexId)
                        .findFirst()
                        .orElseThrow()
                        .columns();
        return KeyEncoder.forColumns(current, columns).encodeObjects(values);
    }

    private Map<Long, String> decoded(List<byte[]> rows) {
        Map<Long, String> found = new LinkedHashMap<>();
        BinaryRow row = new BinaryRow(layout);
        rows.forEach(bytes -> add(row.wrap(bytes), found));
        return found;
    }

    /**
     * Looks a key up at a snapshot and compares with what a scan found there; twice, the second
     * time after a lookup of the latest state, so that the row cache has the newest row, which is
     * or is not the one asked for.
     */
    void checkLookups(
            StorageEngine engine, LeasedSnapshot snapshot, long id, Map<Long, String> rows)
            throws IOException {
        for (int time = 0; time < 2; time++) {
            assertThat(get(engine, Optional.of(snapshot.lsn()), id))
                    .as("key %s at %s, %s", id, snapshot.lsn(), time == 0 ? "as it is" : "warm")
                    .isEqualTo(Optional.ofNullable(rows.get(id)));
            get(engine, Optional.empty(), id);
        }
        checkKeyScan(engine, snapshot, List.of(id, id + 1, id + 3), rows);
    }

    /** The same of several keys at once, as queries look them up. */
    private void checkKeyScan(
            StorageEngine engine, LeasedSnapshot snapshot, List<Long> ids, Map<Long, String> rows)
            throws IOException {
        List<ValueRange> values =
                ids.stream().map(id -> ValueRange.equal(ID.encodeLong(id))).toList();
        ScanPredicate predicate = new ScanPredicate(Map.of(1, new ColumnDomain(false, values)));
        Map<Long, String> expected = new TreeMap<>(rows);
        expected.keySet().retainAll(ids);
        Map<Long, String> found = new TreeMap<>();
        try (RowCursor cursor =
                SteppedReads.read(
                        () ->
                                engine.lookUp(
                                        snapshot,
                                        schema.id(),
                                        schema.schemaVersion(),
                                        predicate,
                                        Optional.empty()))) {
            while (SteppedReads.next(cursor)) {
                assertThat(cursor.lsn()).isBetween(0L, snapshot.lsn().value());
                add(cursor.row(), found);
            }
        }
        assertThat(found).as("keys %s at %s", ids, snapshot.lsn()).isEqualTo(expected);
    }

    /** One row by its key, as snapshots show it. */
    Optional<String> get(StorageEngine engine, Optional<Lsn> lsn, long id) throws IOException {
        return SteppedReads.rows(engine.startLookup(schema.id(), lsn, List.of(key(id))))
                .rows()
                .getFirst()
                .map(
                        bytes -> {
                            List<Object> values = Rows.toObjects(new BinaryRow(layout).wrap(bytes));
                            return values.get(1) + ":" + values.get(2);
                        });
    }
}
