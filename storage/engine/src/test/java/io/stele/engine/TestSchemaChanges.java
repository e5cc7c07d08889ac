package io.stele.engine;

import static io.stele.engine.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.node.StorageOptions;
import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.api.scan.FileScan;
import io.stele.protocol.api.scan.ScanPlan;
import io.stele.protocol.api.write.WrittenFile;
import io.stele.protocol.predicate.ColumnDomain;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.predicate.ValueRange;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.GrowingBytes;
import io.stele.protocol.row.InitialRow;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.row.Rows;
import io.stele.protocol.row.ValueCodec;
import io.stele.protocol.schema.ColumnChange;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.wire.OperationKind;
import io.stele.protocol.wire.WriteBatchBuilder;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a change of columns means for those who are in the middle of something. */
final class TestSchemaChanges {
    private SimulatedNode node;

    @BeforeEach
    void start() throws IOException {
        node = SimulatedNode.start(StorageOptions.DEFAULT, 1);
    }

    @ParameterizedTest
    @EnumSource(Orientation.class)
    void writesOfAnEarlierVersionAreRefusedAndRowsAreMapped(Orientation orientation)
            throws IOException {
        EvolvingTable table = EvolvingTable.create(node, "t", orientation, true, 2);
        TableSchema first = table.current();
        upsert(table, 1, 10);
        alter(table, ColumnChange.drop(List.of("nested", "a")));
        alter(table, ColumnChange.addColumn("more", DataType.parse("date"), Optional.empty()));
        assertRefused(
                ErrorCode.STALE_TABLE, () -> write(table, first, OperationKind.UPSERT, 2, 20));
        assertRefused(
                ErrorCode.STALE_TABLE, () -> write(table, first, OperationKind.INSERT, 2, 20));
        for (int round = 0; round < 3; round++) {
            LeasedSnapshot snapshot = node.openSnapshot();
            Map<Long, String> rows = table.snapshot(snapshot, table.current());
            assertThat(rows).isEqualTo(Map.of(1L, "[1, 'name', 10, [[[0.5], null]], null]"));
            assertThat(table.planned(snapshot, table.current())).isEqualTo(rows);
            assertThat(table.get(Optional.empty(), 1).orElseThrow().row()).isEqualTo(rows.get(1L));
            assertThat(table.lookup(snapshot, "name")).isEqualTo(rows);
            if (round == 0) {
                node.restart();
            } else {
                node.await(node.engine().flush(table.id()));
                node.await(node.engine().compact(table.id()));
            }
        }
    }

    @Test
    void readersGoOnWithTheColumnsTheyBeganWith() throws IOException {
        EvolvingTable table = EvolvingTable.create(node, "t", Orientation.COLUMN, true, 2);
        TableSchema first = table.current();
        upsert(table, 1, 10);
        LeasedSnapshot begun = node.openSnapshot();
        LeasedSnapshot idle = node.openSnapshot();
        Map<Long, String> before = table.snapshot(begun, first);
        alter(table, ColumnChange.drop(List.of("nested")));
        upsert(table, 1, 11);
        node.await(node.engine().compact(table.id()));
        assertThat(table.snapshot(begun, first)).isEqualTo(before);
        assertThat(table.planned(begun, first)).isEqualTo(before);
        assertThat(table.snapshot(begun, table.current())).isEqualTo(Map.of(1L, "[1, 'name', 10]"));
        assertRefused(ErrorCode.STALE_TABLE, () -> table.snapshot(idle, first));
        assertThat(table.snapshot(idle, table.current())).isEqualTo(Map.of(1L, "[1, 'name', 10]"));
        assertRefused(ErrorCode.STALE_TABLE, () -> table.snapshot(idle, first));
    }

    @Test
    void stagedRowsAreMappedAndStagedFilesRefused() throws IOException {
        EvolvingTable table = EvolvingTable.create(node, "t", Orientation.COLUMN, true, 2);
        TableSchema first = table.current();
        upsert(table, 2, 20);
        String rows = node.engine().beginTransaction(table.id(), Optional.empty());
        stage(rows, table, first, OperationKind.UPSERT, 1, 10);
        stage(rows, table, first, OperationKind.INSERT_IF_ABSENT, 2, 21);
        String files = node.engine().beginTransaction(table.id(), Optional.empty());
        WrittenFile file =
                WorkerFiles.write(
                        node.objects(),
                        first,
                        table::key,
                        table.shard(3),
                        "w",
                        List.of(new WorkerFiles.Row(3, "name", 30)));
        alter(table, ColumnChange.drop(List.of("nested")));
        assertRefused(ErrorCode.STALE_TABLE, () -> node.await(node.commit(files, List.of(file))));
        assertRefused(
                ErrorCode.STALE_TABLE,
                () -> stage(rows, table, first, OperationKind.UPSERT, 4, 40));
        node.await(node.commit(rows, List.of()));
        Map<Long, String> expected = Map.of(1L, "[1, 'name', 10]", 2L, "[2, 'name', 20]");
        assertThat(table.snapshot(node.openSnapshot(), table.current())).isEqualTo(expected);
        node.restart();
        assertThat(table.snapshot(node.openSnapshot(), table.current())).isEqualTo(expected);
    }

    @Test
    void predicatesAreRightForFilesOfBefore() throws IOException {
        EvolvingTable table = EvolvingTable.create(node, "t", Orientation.COLUMN, true, 1);
        upsert(table, 1, 10);
        alter(table, ColumnChange.addColumn("small", DataType.parse("tinyint"), Optional.empty()));
        int added = table.current().findColumn("small").orElseThrow().id();
        node.await(node.engine().flush(table.id()));
        write(table, table.current(), OperationKind.UPSERT, 2, 20);
        node.await(node.engine().flush(table.id()));
        alter(table, ColumnChange.setType(List.of("small"), DataType.parse("bigint")));
        alter(table, ColumnChange.addColumn("absent", DataType.parse("bigint"), Optional.empty()));
        int absent = table.current().findColumn("absent").orElseThrow().id();
        // 5 as a tinyint is another byte string than as a bigint: earlier bounds do not count
        assertThat(files(table, added, "bigint", 5L)).isEqualTo(1);
        assertThat(files(table, absent, "bigint", 5L)).isEqualTo(0);
        assertThat(files(table, 3, "bigint", 10L)).isEqualTo(1);
        DataType integer = DataType.parse("integer");
        alter(
                table,
                ColumnChange.addColumn("given", integer, Optional.empty())
                        .withInitialValue(InitialRow.value(integer, 7))
                        .asNotNull());
        alter(table, ColumnChange.setType(List.of("given"), DataType.parse("bigint")));
        int given = table.current().findColumn("given").orElseThrow().id();
        assertThat(files(table, given, "bigint", 7L)).isEqualTo(2);
        assertThat(files(table, given, "bigint", 8L)).isEqualTo(0);
    }

    /** Rows in the log, in memory, in files, staged, and copied by compactions. */
    @ParameterizedTest
    @EnumSource(Orientation.class)
    void rowsOfBeforeAColumnHaveItsInitialValue(Orientation orientation) throws IOException {
        EvolvingTable table = EvolvingTable.create(node, "t", orientation, true, 1);
        upsert(table, 1, 10);
        node.await(node.engine().flush(table.id()));
        upsert(table, 2, 20);
        TableSchema first = table.current();
        String staged = node.engine().beginTransaction(table.id(), Optional.empty());
        stage(staged, table, first, OperationKind.UPSERT, 3, 30);
        DataType text = DataType.parse("varchar(9)");
        alter(
                table,
                ColumnChange.addColumn("given", text, Optional.empty())
                        .withInitialValue(InitialRow.value(text, "before"))
                        .asNotNull());
        alter(table, ColumnChange.drop(List.of("nested")));
        node.await(node.commit(staged, List.of()));
        Map<Long, String> expected =
                Map.of(
                        1L,
                        "[1, 'name', 10, 'before']",
                        2L,
                        "[2, 'name', 20, 'before']",
                        3L,
                        "[3, 'name', 30, 'before']");
        for (int round = 0; round < 4; round++) {
            LeasedSnapshot snapshot = node.openSnapshot();
            assertThat(table.snapshot(snapshot, table.current())).isEqualTo(expected);
            assertThat(table.planned(snapshot, table.current())).isEqualTo(expected);
            assertThat(table.lookup(snapshot, "name")).isEqualTo(expected);
            for (long id = 1; id <= 3; id++) {
                assertThat(table.get(Optional.empty(), id).orElseThrow().row())
                        .isEqualTo(expected.get(id));
            }
            switch (round) {
                case 0 -> node.restart();
                case 1 -> node.await(node.engine().flush(table.id()));
                default -> node.await(node.engine().compact(table.id()));
            }
        }
    }

    private int files(EvolvingTable table, int columnId, String type, Object value)
            throws IOException {
        ScanPredicate predicate =
                new ScanPredicate(
                        Map.of(columnId, ColumnDomain.of(ValueRange.equal(encoded(type, value)))));
        LeasedSnapshot snapshot = node.openSnapshot();
        ScanPlan plan = node.engine().plan(snapshot, table.id(), predicate);
        List<FileScan> files = new ArrayList<>();
        plan.shards().forEach(shard -> files.addAll(shard.files()));
        return files.size();
    }

    private static byte[] encoded(String type, Object value) {
        RowLayout layout = RowLayout.of(List.of(new ColumnSchema(1, "c", DataType.parse(type))));
        BinaryRow row = new BinaryRow(layout).wrap(Rows.toBytes(layout, value));
        GrowingBytes bytes = GrowingBytes.forKey();
        ValueCodec.of(DataType.parse(type)).append(row, 0, bytes);
        return bytes.toByteArray();
    }

    private void alter(EvolvingTable table, ColumnChange change) {
        int version = table.current().schemaVersion();
        TableSchema changed = node.await(node.engine().alterTable(table.id(), version, change));
        assertThat(changed).isEqualTo(table.current());
        assertRefused(
                ErrorCode.STALE_TABLE,
                () -> node.await(node.engine().alterTable(table.id(), version, change)));
    }

    private void upsert(EvolvingTable table, long id, long amount) {
        write(table, table.current(), OperationKind.UPSERT, id, amount);
    }

    private void write(
            EvolvingTable table, TableSchema version, OperationKind kind, long id, long amount) {
        byte[] batch = batch(table, version, kind, id, amount);
        CompletableFuture<Lsn> written =
                node.engine()
                        .write(
                                table.shard(id),
                                new java.util.UUID(1, sequence++),
                                1,
                                batch,
                                0,
                                batch.length);
        node.await(written);
    }

    private long sequence;

    private void stage(
            String transaction,
            EvolvingTable table,
            TableSchema version,
            OperationKind kind,
            long id,
            long amount) {
        byte[] batch = batch(table, version, kind, id, amount);
        node.engine().stage(transaction, table.shard(id), batch, 0, batch.length);
    }

    private static byte[] batch(
            EvolvingTable table, TableSchema version, OperationKind kind, long id, long amount) {
        List<Object> values = new ArrayList<>();
        version.columns().forEach(column -> values.add(null));
        values.set(0, id);
        values.set(1, "name");
        values.set(2, amount);
        version.findColumn("nested")
                .filter(column -> column.id() == 4)
                .ifPresent(
                        column -> {
                            List<Object> elements = new ArrayList<>();
                            elements.add(List.of(0.5f));
                            elements.add(null);
                            int fields = column.nestedFieldIds().size();
                            values.set(
                                    version.indexOf(4),
                                    fields == 3 ? List.of((byte) 3, elements) : List.of(elements));
                        });
        version.findColumn("small")
                .ifPresent(column -> values.set(version.indexOf(column.id()), (byte) 5));
        byte[] key = table.key(id);
        byte[] row = Rows.toBytes(RowLayout.of(version.columns()), values.toArray());
        WriteBatchBuilder batch = new WriteBatchBuilder(table.id(), version.schemaVersion());
        batch.add(kind, key, 0, key.length, row, 0, row.length);
        return batch.toByteArray();
    }
}
