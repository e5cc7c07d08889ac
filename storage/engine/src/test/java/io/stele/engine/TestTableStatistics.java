package io.stele.engine;

import static io.stele.engine.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.stele.engine.WorkerFiles.Row;
import io.stele.engine.catalog.TableState;
import io.stele.engine.node.StorageOptions;
import io.stele.engine.statistics.TableStatisticsCollector;
import io.stele.engine.tablet.TableShard;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.ShardId;
import io.stele.protocol.api.catalog.ColumnSize;
import io.stele.protocol.api.catalog.MetadataChanges;
import io.stele.protocol.api.catalog.MetadataVersion;
import io.stele.protocol.api.catalog.TableName;
import io.stele.protocol.api.catalog.TableStatistics;
import io.stele.protocol.api.write.WrittenFile;
import io.stele.protocol.predicate.ColumnDomain;
import io.stele.protocol.predicate.ColumnSketch;
import io.stele.protocol.predicate.ColumnStats;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.predicate.ValueRange;
import io.stele.protocol.row.InitialRow;
import io.stele.protocol.row.ValueCodec;
import io.stele.protocol.schema.ColumnChange;
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
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the engine says of tables without reading them, beside what their rows are. */
final class TestTableStatistics {
    private static final int ID = 1;
    private static final int NAME = 2;
    private static final int AMOUNT = 3;
    private static final int ROWS = 20_000;
    private static final int NAMES = 500;
    private static final ValueCodec BIGINT = ValueCodec.of(DataType.parse("bigint"));

    private final SimulatedNode node;

    TestTableStatistics() throws IOException {
        node = SimulatedNode.start(StorageOptions.DEFAULT, 1);
    }

    /** Rows (id, one of 500 names of five letters, id / 10). */
    private void write(TestTable table, long from, long to) throws IOException {
        Map<ShardId, WriteBatchBuilder> batches = new HashMap<>();
        for (long id = from; id < to; id++) {
            batches.computeIfAbsent(table.shard(id), shard -> table.batch())
                    .upsert(table.key(id), table.row(id, name(id), id / 10));
        }
        for (Map.Entry<ShardId, WriteBatchBuilder> batch : batches.entrySet()) {
            node.await(table.write(node.engine(), batch.getKey(), batch.getValue()));
        }
    }

    private static String name(long id) {
        return "n%04d".formatted(id % NAMES);
    }

    private TestTable create(String name, Orientation orientation) {
        return TestTable.create(node.engine(), name, orientation, true, 2);
    }

    private static void assertAbout(long found, double expected) {
        assertThat((double) found).isCloseTo(expected, within(expected * 0.12));
    }

    private void assertKnown(TestTable table, long from, long to) {
        TableStatistics found = node.engine().statistics(table.id());
        long rows = to - from;
        assertThat(found.rowCount()).isEqualTo(rows);
        assertThat(found.sizes().get(ID).distinctCount()).isEqualTo(rows); // the primary key
        assertAbout(found.sizes().get(NAME).distinctCount(), (double) Math.min(rows, NAMES));
        assertAbout(found.sizes().get(NAME).valueBytes(), 5.0 * rows);
        assertAbout(found.sizes().get(AMOUNT).distinctCount(), rows / 10.0);
        ColumnStats ids = found.columns().get(ID);
        assertThat(ids.min()).contains(BIGINT.encodeLong(from));
        assertThat(ids.max()).contains(BIGINT.encodeLong(to - 1));
        assertThat(ids.nullCount()).isZero();
    }

    @Test
    void filesTellDifferentValuesAndSizesAlsoAfterMergesAndRestarts() throws IOException {
        TestTable table = create("files", Orientation.COLUMN);
        write(table, 0, ROWS / 2);
        node.await(node.engine().flush(table.id()));
        write(table, ROWS / 2, ROWS);
        node.await(node.engine().flush(table.id()));
        assertKnown(table, 0, ROWS);

        node.await(node.engine().compact(table.id()));
        assertKnown(table, 0, ROWS);
        node.restart();
        assertKnown(table, 0, ROWS);
        write(table, 0, ROWS / 2); // the same again
        node.await(node.engine().flush(table.id()));
        assertKnown(table, 0, ROWS);
    }

    /** Sketches of many files are in bases, and together in memory. */
    @Test
    void whatManyFilesTellIsTheSameWhereverTheirSketchesAre() throws IOException {
        TestTable table = create("many", Orientation.COLUMN);
        List<TableStatistics> found = new ArrayList<>();
        for (int changes : List.of(1_000, 1)) {
            node.restart(
                    StorageOptions.DEFAULT
                            .withManifestChanges(changes)
                            .withTargetFileBytes(1)); // which nothing is compacted to
            long from = found.isEmpty() ? 0 : ROWS - 100;
            for (long id = from; id < ROWS; id += ROWS / 50) {
                write(table, id, Math.min(ROWS, id + ROWS / 50));
                node.await(node.engine().flush(table.id()));
            }
            assertKnown(table, 0, ROWS);
            found.add(node.engine().statistics(table.id()));
        }
        assertThat(found.get(1).sizes().get(NAME)).isEqualTo(found.get(0).sizes().get(NAME));
        node.restart();
        assertThat(node.engine().statistics(table.id()).sizes().get(NAME))
                .isEqualTo(found.get(0).sizes().get(NAME));
    }

    @Test
    void filesOfBeforeAColumnHaveItsInitialValue() throws IOException {
        TestTable table = create("evolved", Orientation.COLUMN);
        write(table, 0, 1000);
        node.await(node.engine().flush(table.id()));
        DataType text = DataType.parse("varchar");
        TableSchema changed =
                node.await(
                        node.engine()
                                .alterTable(
                                        table.id(),
                                        1,
                                        ColumnChange.addColumn("given", text, Optional.empty())
                                                .withInitialValue(
                                                        InitialRow.value(text, "seven"))));
        int given = changed.findColumn("given").orElseThrow().id();
        TableStatistics found = node.engine().statistics(table.id());
        byte[] bound = ValueCodec.of(text).encodeObject("seven");
        assertThat(found.columns().get(given))
                .isEqualTo(new ColumnStats(Optional.of(bound), Optional.of(bound), 0, false));
        assertThat(found.sizes().get(given)).isEqualTo(new ColumnSize(1, 5 * 1000));
    }

    /** Bounds are encoded as in the version that was asked for, also while shards change to it. */
    @Test
    void boundsAreOfTheVersionThatWasAskedFor() throws IOException {
        TestTable table = create("widened", Orientation.COLUMN);
        write(table, 0, 1_000);
        node.await(node.engine().flush(table.id()));
        DataType integer = DataType.parse("integer");
        ColumnChange added =
                ColumnChange.addColumn("n", integer, Optional.empty())
                        .withInitialValue(InitialRow.value(integer, 7));
        int id =
                node.await(node.engine().alterTable(table.id(), 1, added))
                        .findColumn("n")
                        .orElseThrow()
                        .id();
        TableSchema before = node.engine().catalog().current().table(table.id());
        ColumnChange widened = ColumnChange.setType(List.of("n"), DataType.parse("bigint"));
        node.await(node.engine().alterTable(table.id(), 2, widened));
        assertThat(statistics(table, 3).columns().get(id).min()).contains(BIGINT.encodeLong(7));
        assertThat(statistics(table, 2).rowCount()).isEqualTo(1_000);
        assertThat(statistics(table, 2).columns()).isEmpty();

        // A request between the catalog's change and that of the shards
        List<TableShard> shards =
                before.shards().stream()
                        .map(shard -> node.engine().shard(shard).table(table.id()))
                        .toList();
        TableStatistics between =
                new TableStatisticsCollector(_ -> Long.MAX_VALUE, (_, _, all, _, _) -> all)
                        .collect(before, shards, ScanPredicate.ALL);
        assertThat(between.rowCount()).isEqualTo(1_000);
        assertThat(between.columns()).isEmpty();
    }

    /** Of many files, those that came with a flush or a merge are summed, and some beside them. */
    @Test
    void sumsOfManyFilesAreKept() throws IOException {
        int many = 1_500;
        TestTable table =
                TestTable.create(
                        node.engine(),
                        "parted",
                        Orientation.COLUMN,
                        false,
                        1,
                        List.of(2), // the partition is the name
                        TableState.PUBLIC);
        TableStatisticsCollector collector =
                new TableStatisticsCollector(
                        shard -> node.engine().shard(shard).appliedLsn().value(),
                        (_, _, all, _, _) -> all);
        append(table, 0, many);
        assertThat(summed(collector, table, many)).isEqualTo(many);
        assertThat(summed(collector, table, many)).isZero();
        append(table, many / 2, many / 2 + 3);
        assertThat(summed(collector, table, many + 3)).isBetween(3L, many * 4L / 5);
        node.await(node.engine().compact(table.id()));
        assertThat(summed(collector, table, many + 3)).isBetween(3L, many * 4L / 5);
        append(table, 0, many);
        assertThat(summed(collector, table, 2 * many + 3)).isGreaterThan(many);
    }

    /** Appends rows of different names, which are in one file each. */
    private void append(TestTable table, long from, long to) {
        WriteBatchBuilder batch = table.batch();
        for (long id = from; id < to; id++) {
            batch.append(table.row(id, "name " + id, id % 7));
        }
        node.await(table.write(node.engine(), table.schema().shard(0), batch));
        node.await(node.engine().flush(table.id()));
    }

    private List<TableShard> shards(TestTable table) {
        return table.schema().shards().stream()
                .map(shard -> node.engine().shard(shard).table(table.id()))
                .toList();
    }

    /** How many files a collector sums, which must be as if it had summed all. */
    private long summed(TableStatisticsCollector collector, TestTable table, long rows) {
        long before = collector.summedFiles();
        TableStatistics found = collector.collect(table.schema(), shards(table), ScanPredicate.ALL);
        ScanPredicate each =
                new ScanPredicate(
                        Map.of(
                                ID,
                                ColumnDomain.of(
                                        ValueRange.atLeast(BIGINT.encodeLong(Long.MIN_VALUE)))));
        TableStatistics expected = collector.collect(table.schema(), shards(table), each);
        assertThat(found.rowCount()).isEqualTo(rows);
        assertThat(found).isEqualTo(expected);
        return collector.summedFiles() - before;
    }

    private TableStatistics statistics(TestTable table, int schemaVersion) {
        return node.engine()
                .statistics(table.id(), OptionalInt.of(schemaVersion), ScanPredicate.ALL);
    }

    @ParameterizedTest
    @EnumSource(Orientation.class)
    void fewRowsInMemoryAreLookedAtAll(Orientation orientation) throws IOException {
        TestTable table = create("memory", orientation);
        write(table, 100, 2_100);
        assertKnown(table, 100, 2_100);
        node.await(table.upsert(node.engine(), 100, "other", 10));
        node.await(table.delete(node.engine(), 101));
        TableStatistics found = node.engine().statistics(table.id());
        // As far as planners ask again: within an eighth
        assertThat(found.rowCount()).isBetween(1_999L, 2_000L);
    }

    @Test
    void manyRowsInMemoryAreEstimatedFromSome() throws IOException {
        TestTable table = create("many", Orientation.COLUMN);
        write(table, 0, 5_000);
        node.await(node.engine().flush(table.id()));
        write(table, 5_000, 60_000);
        TableStatistics found = node.engine().statistics(table.id());
        assertThat(found.rowCount()).isEqualTo(60_000);
        assertAbout(found.sizes().get(NAME).distinctCount(), NAMES);
        assertAbout(found.sizes().get(NAME).valueBytes(), 5.0 * 60_000);
        // Ids divided by ten are neither all new nor all old: the first rows of a sample say less
        assertThat(found.sizes().get(AMOUNT).distinctCount()).isBetween(900L, 6_600L);
    }

    @Test
    void deletedRowsLeaveTheCounts() throws IOException {
        TestTable table = create("deleted", Orientation.COLUMN);
        write(table, 0, ROWS);
        node.await(node.engine().flush(table.id()));
        Map<ShardId, WriteBatchBuilder> batches = new HashMap<>();
        for (long id = 0; id < ROWS - 100; id++) {
            batches.computeIfAbsent(table.shard(id), shard -> table.batch()).delete(table.key(id));
        }
        for (Map.Entry<ShardId, WriteBatchBuilder> batch : batches.entrySet()) {
            node.await(table.write(node.engine(), batch.getKey(), batch.getValue()));
        }
        TableStatistics found = node.engine().statistics(table.id());
        assertThat(found.rowCount()).isEqualTo(100);
        assertThat(found.sizes().get(AMOUNT).distinctCount()).isLessThanOrEqualTo(100);
        assertAbout(found.sizes().get(NAME).valueBytes(), 500);
        node.await(node.engine().compact(table.id()));
        assertThat(node.engine().statistics(table.id()).rowCount()).isEqualTo(100);
    }

    @Test
    void partitionsAreCountedByThemselves() throws IOException {
        TestTable table =
                TestTable.create(
                        node.engine(),
                        "parts",
                        Orientation.COLUMN,
                        true,
                        1,
                        List.of(ID),
                        TableState.PUBLIC);
        write(table, 0, 20);
        node.await(node.engine().flush(table.id()));
        ScanPredicate some =
                new ScanPredicate(
                        Map.of(
                                ID,
                                ColumnDomain.of(
                                        new ValueRange(
                                                Optional.of(BIGINT.encodeLong(5)),
                                                true,
                                                Optional.of(BIGINT.encodeLong(7)),
                                                true))));
        TableStatistics found = node.engine().statistics(table.id(), OptionalInt.empty(), some);
        assertThat(found.rowCount()).isEqualTo(3);
        assertThat(found.sizes().get(NAME)).isEqualTo(new ColumnSize(3, 15));
        assertThat(found.columns().get(ID).max()).contains(BIGINT.encodeLong(7));
        assertThat(node.engine().statistics(table.id()).rowCount()).isEqualTo(20);
    }

    @Test
    void filesWithoutSketchesAreReadWhenAsked() throws IOException {
        TestTable table = TestTable.create(node.engine(), "old", Orientation.COLUMN, true, 1);
        List<Row> rows = new ArrayList<>();
        for (long id = 0; id < 3_000; id++) {
            rows.add(new Row(id, name(id), id / 10));
        }
        WrittenFile file =
                WorkerFiles.write(node.store(), table, table.shard(0), "file-of-before", rows);
        String transaction = node.engine().beginTransaction(table.id(), Optional.empty());
        node.await(node.commit(transaction, List.of(file)));
        TableStatistics before = node.engine().statistics(table.id());
        assertThat(before.rowCount()).isEqualTo(3_000);
        assertThat(before.sizes().get(AMOUNT)).isEqualTo(ColumnSize.UNKNOWN);
        assertThat(before.sizes().get(ID).distinctCount()).isEqualTo(3_000);

        node.await(table.delete(node.engine(), 7));
        node.await(node.engine().analyze(table.id()));
        TableStatistics analyzed = node.engine().statistics(table.id());
        assertAbout(analyzed.sizes().get(AMOUNT).distinctCount(), 300);
        assertAbout(analyzed.sizes().get(NAME).distinctCount(), NAMES);
        assertThat(analyzed.sizes().get(NAME).valueBytes()).isEqualTo(5 * 2_999);
        assertThat(analyzed.rowCount()).isEqualTo(2_999);
        assertThat(table.planned(node, node.openSnapshot())).hasSize(2_999);

        node.restart();
        assertThat(node.engine().statistics(table.id()).sizes()).isEqualTo(analyzed.sizes());
        assertThat(table.planned(node, node.openSnapshot())).hasSize(2_999);
        node.await(node.engine().analyze(table.id())); // nothing to do
    }

    @Test
    void aSketchThatIsNoneIsRefused() throws IOException {
        TestTable table = TestTable.create(node.engine(), "bad", Orientation.COLUMN, true, 1);
        WrittenFile file =
                WorkerFiles.write(
                        node.store(),
                        table,
                        table.shard(0),
                        "bad-sketch",
                        List.of(new Row(1, "a", 1)));
        String transaction = node.engine().beginTransaction(table.id(), Optional.empty());
        WrittenFile damaged =
                ChangedFile.of(file)
                        .sketches(Map.of(AMOUNT, new ColumnSketch(new byte[] {1, 2, 3}, 0)))
                        .build();
        assertRefused(
                        ErrorCode.INVALID_ARGUMENT,
                        () -> node.await(node.commit(transaction, List.of(damaged))))
                .hasMessageContaining("sketch");
    }

    private MetadataChanges changes(MetadataVersion since) {
        return node.engine().metadataChanges(Optional.of(since));
    }

    private MetadataVersion version() {
        return node.engine().metadataChanges(Optional.empty()).version();
    }

    private static List<String> names(MetadataChanges changes) {
        assertThat(changes.all()).isFalse();
        return changes.relations().stream().map(TableName::tableName).toList();
    }

    @ParameterizedTest
    @EnumSource(Orientation.class)
    void whoKeepsStatisticsLearnsWhenTheyAreOthers(Orientation orientation) throws IOException {
        TestTable table = create("kept", orientation);
        TestTable other = create("other", orientation);
        write(table, 0, 1_000);
        write(other, 0, 1_000);
        MetadataVersion version = version();
        TableStatistics received = node.engine().statistics(table.id());
        node.engine().statistics(other.id());
        assertThat(names(changes(version))).isEmpty();

        write(table, 1_000, 1_010); // less than an eighth
        assertThat(names(changes(version))).isEmpty();
        assertThat(node.engine().statistics(table.id())).isEqualTo(received);

        write(table, 2_000, 3_000);
        MetadataChanges more = changes(version);
        assertThat(names(more)).containsExactly("kept");
        assertThat(names(changes(more.version()))).isEmpty();
        assertThat(names(changes(version))).containsExactly("kept"); // for others
        assertThat(node.engine().statistics(table.id()).rowCount()).isEqualTo(2_010);
        assertThat(names(changes(more.version()))).isEmpty();

        node.await(node.engine().flush(other.id()));
        MetadataChanges flushed = changes(more.version());
        assertThat(names(flushed)).containsExactly("other");
        node.engine().statistics(other.id());
        for (long id = 0; id < 500; id++) {
            node.await(other.delete(node.engine(), id));
        }
        MetadataChanges deleted = changes(flushed.version());
        assertThat(names(deleted)).containsExactly("other");

        node.engine().catalog().dropTable(table.id());
        assertThat(names(changes(deleted.version()))).containsExactly("kept");
        node.restart();
        assertThat(changes(deleted.version()).all()).isTrue();
    }
}
