package io.stele.engine;

import io.stele.columnfile.orc.ColumnFileCursor;
import io.stele.columnfile.orc.ColumnFileReader;
import io.stele.engine.catalog.TableState;
import io.stele.engine.manifest.FileEntry;
import io.stele.engine.manifest.FileKind;
import io.stele.engine.read.LookedUpRows;
import io.stele.engine.scan.RowCursor;
import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.TableId;
import io.stele.protocol.api.scan.FileScan;
import io.stele.protocol.api.scan.ScanMode;
import io.stele.protocol.api.scan.ScanPlan;
import io.stele.protocol.api.scan.ShardScan;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.KeyEncoder;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.row.RowMapping;
import io.stele.protocol.row.RowRouter;
import io.stele.protocol.row.Rows;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.IndexSchema;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableOptions;
import io.stele.protocol.schema.TableSchema;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.roaringbitmap.RoaringBitmap;

/**
 * A table whose columns change: knows every version it has had, and reads it at any of them, in
 * every way that the engine offers.
 */
final class EvolvingTable {
    static final int INDEX_COLUMN = 2;

    private final SimulatedNode node;
    private final TableId id;
    private final Map<Integer, TableSchema> versions = new TreeMap<>();

    private EvolvingTable(SimulatedNode node, TableSchema created) {
        this.node = node;
        this.id = created.id();
        versions.put(created.schemaVersion(), created);
    }

    /** With a secondary index on the second column where there is a primary key. */
    static EvolvingTable create(
            SimulatedNode node, String name, Orientation orientation, boolean keyed, int shards) {
        StorageEngine engine = node.engine();
        if (!engine.catalog().current().schemas().contains("test")) {
            engine.catalog().createSchema("test");
        }
        TableOptions options =
                keyed
                        ? TableOptions.NONE.withIndexes(
                                List.of(
                                        new IndexSchema(
                                                1, "by_name", List.of(INDEX_COLUMN), false, true)))
                        : TableOptions.NONE;
        TableSchema definition =
                TableSchema.builder("test", name)
                        .columns(
                                List.of(
                                        new ColumnSchema(1, "id", DataType.parse("bigint"))
                                                .notNull(),
                                        new ColumnSchema(2, "name", DataType.parse("varchar")),
                                        new ColumnSchema(3, "amount", DataType.parse("bigint"))
                                                .notNull(),
                                        new ColumnSchema(
                                                4,
                                                "nested",
                                                DataType.parse(
                                                        "row(\"a\" tinyint, \"b\" array(row(\"c\" real)))"))))
                        .primaryKey(keyed ? List.of(1) : List.of())
                        .orientation(orientation)
                        .shardCount(shards)
                        .options(options)
                        .build();
        return new EvolvingTable(
                node, engine.catalog().createTable(definition, "", TableState.PUBLIC));
    }

    TableId id() {
        return id;
    }

    /** The table as the catalog has it. */
    TableSchema current() {
        TableSchema current = node.engine().catalog().current().table(id);
        versions.putIfAbsent(current.schemaVersion(), current);
        return current;
    }

    TableSchema version(int schemaVersion) {
        current();
        return versions.get(schemaVersion);
    }

    byte[] key(long rowId) {
        TableSchema first = versions.get(1);
        RowLayout layout = RowLayout.of(first.columns());
        byte[] row = Rows.toBytes(layout, rowId, null, 0L, null);
        return KeyEncoder.forPrimaryKey(first).encode(new BinaryRow(layout).wrap(row));
    }

    ShardId shard(long rowId) {
        TableSchema first = versions.get(1);
        return first.shard(RowRouter.of(first).shardOfKey(key(rowId)));
    }

    /** All rows of a version by a SNAPSHOT scan of each shard. */
    Map<Long, String> snapshot(LeasedSnapshot snapshot, TableSchema version) throws IOException {
        Map<Long, String> rows = new TreeMap<>();
        for (ShardId shard : version.shards()) {
            collect(snapshot, version, shard, ScanMode.SNAPSHOT, rows);
        }
        return rows;
    }

    /** All rows of a version by a plan's files and what the plan says to ask the engine for. */
    Map<Long, String> planned(LeasedSnapshot snapshot, TableSchema version) throws IOException {
        Map<Long, String> rows = new TreeMap<>();
        ScanPlan plan =
                node.engine().plan(snapshot, id, version.schemaVersion(), ScanPredicate.ALL);
        for (ShardScan scan : plan.shards()) {
            for (FileScan file : scan.files()) {
                readFile(plan.readLsn(), file, version, rows);
            }
            if (scan.live()) {
                collect(snapshot, version, scan.shard(), scan.mode(), rows);
            }
        }
        return rows;
    }

    private void collect(
            LeasedSnapshot snapshot,
            TableSchema version,
            ShardId shard,
            ScanMode mode,
            Map<Long, String> rows)
            throws IOException {
        try (RowCursor cursor =
                node.engine()
                        .scan(
                                snapshot,
                                id,
                                version.schemaVersion(),
                                shard,
                                mode,
                                ScanPredicate.ALL,
                                List.of())) {
            if (!cursor.schema().columns().equals(version.columns())) {
                throw new AssertionError(
                        "Expected rows of " + version + ", found " + cursor.schema());
            }
            while (cursor.next()) {
                add(cursor.row(), rows);
            }
        }
    }

    private void readFile(long readLsn, FileScan file, TableSchema version, Map<Long, String> rows)
            throws IOException {
        RoaringBitmap deleted = new RoaringBitmap();
        if (file.deletedRows().length > 0) {
            deleted.deserialize(ByteBuffer.wrap(file.deletedRows()));
        }
        FileEntry entry =
                new FileEntry(
                        "test",
                        id,
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
                        TestTable.keyIndex(file),
                        Optional.empty());
        List<ColumnSchema> written = version(file.schemaVersion()).columns();
        RowMapping mapping = RowMapping.of(written, version.columns());
        try (ColumnFileCursor cursor =
                ColumnFileReader.open(node.objects(), entry, written).cursor(mapping)) {
            while (cursor.advance()) {
                if (!deleted.contains(cursor.ordinal()) && cursor.lsn() <= readLsn) {
                    add(cursor.row(), rows);
                }
            }
        }
    }

    /** A row by its key, at the version that it comes in; empty: absent. */
    Optional<Shown> get(Optional<Lsn> lsn, long rowId) throws IOException {
        LookedUpRows found = node.engine().lookup(id, lsn, List.of(key(rowId)));
        TableSchema version = version(found.schemaVersion());
        return found.rows().getFirst().map(bytes -> new Shown(version, show(version, bytes)));
    }

    /** The rows that the index has for a name, in the version that the catalog has. */
    Map<Long, String> lookup(LeasedSnapshot snapshot, String name) throws IOException {
        TableSchema version = current();
        byte[] prefix =
                KeyEncoder.forColumns(version, List.of(INDEX_COLUMN))
                        .encodeObjects(java.util.Collections.singletonList(name));
        Map<Long, String> rows = new TreeMap<>();
        BinaryRow row = new BinaryRow(RowLayout.of(version.columns()));
        for (byte[] bytes :
                node.engine()
                        .lookupByIndex(
                                id,
                                version.options().indexes().getFirst().id(),
                                prefix,
                                snapshot,
                                1000)) {
            add(row.wrap(bytes), rows);
        }
        return rows;
    }

    /** A row as text, and the version that it has. */
    record Shown(TableSchema version, String row) {}

    private static String show(TableSchema version, byte[] row) {
        RowLayout layout = RowLayout.of(version.columns());
        layout.validate(row, 0, row.length);
        return EvolvingRows.shown(new ArrayList<>(Rows.toObjects(new BinaryRow(layout).wrap(row))));
    }

    private static void add(BinaryRow row, Map<Long, String> rows) {
        row.rowLayout().validate(row.array(), row.offset(), row.length());
        List<Object> values = new ArrayList<>(Rows.toObjects(row));
        String earlier = rows.put((Long) values.getFirst(), EvolvingRows.shown(values));
        if (earlier != null) {
            throw new AssertionError(
                    "Expected each key once, found %s twice: %s and %s"
                            .formatted(values.getFirst(), earlier, values));
        }
    }
}
