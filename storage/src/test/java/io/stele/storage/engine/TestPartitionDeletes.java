package io.stele.storage.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import io.stele.protocol.api.PartitionFiles;
import io.stele.protocol.predicate.ColumnDomain;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.predicate.ValueRange;
import io.stele.protocol.row.ValueCodec;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.wire.OperationKind;
import io.stele.protocol.wire.WriteBatchBuilder;
import io.stele.storage.catalog.TableState;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What partitions are good for: files that are not planned, and deletions that read no rows. */
final class TestPartitionDeletes {
    private static final ValueCodec BIGINT = ValueCodec.of(DataType.parse("bigint"));
    private static final long RETENTION_MILLIS = 30_000;

    private final SimulatedNode node;
    private final TestTable table;

    TestPartitionDeletes() throws IOException {
        node =
                SimulatedNode.start(
                        StorageOptions.DEFAULT
                                .withRetention(Duration.ofMillis(RETENTION_MILLIS))
                                .withCollectionGrace(Duration.ofMillis(1)),
                        1);
        table = create("parts", Orientation.COLUMN);
    }

    private TestTable create(String name, Orientation orientation) {
        return TestTable.create(
                node.engine(), name, orientation, true, 1, List.of(1), TableState.PUBLIC);
    }

    @Test
    void plansHaveTheFilesOfWantedPartitionsOnly() throws IOException {
        for (long id = 0; id < 10; id++) {
            node.await(table.upsert(node.engine(), id, "a", id));
        }
        node.await(node.engine().flush(table.id()));

        assertThat(plannedFiles(ScanPredicate.ALL)).isEqualTo(10);
        assertThat(plannedFiles(ids(3, 3))).isEqualTo(1);
        assertThat(plannedFiles(ids(3, 6))).isEqualTo(4);
        assertThat(plannedFiles(ids(10, 20))).isZero();
        assertThat(node.engine().partitions(table.id()))
                .hasSize(10)
                .allSatisfy(
                        partition -> {
                            assertThat(partition.fileCount()).isEqualTo(1);
                            assertThat(partition.rowCount()).isEqualTo(1);
                        });
    }

    @Test
    void aFlushOfMorePartitionsThanItKeepsOpenWritesThemAll() throws IOException {
        WriteBatchBuilder batch = table.batch();
        for (long id = 0; id < 300; id++) {
            batch.upsert(table.key(id), table.row(id, "a", id));
        }
        node.await(table.write(node.engine(), table.shard(0), batch));
        node.await(node.engine().flush(table.id()));
        assertThat(plannedFiles(ScanPredicate.ALL)).isEqualTo(300);
        assertThat(table.planned(node, node.readPoint())).hasSize(300);
    }

    @Test
    void deletedPartitionsLeaveThePlanUnreadAndTheStoreAfterTheRetention() throws IOException {
        for (long id = 0; id < 6; id++) {
            node.await(table.upsert(node.engine(), id, "file", id));
        }
        node.await(node.engine().flush(table.id()));
        for (long id = 3; id < 9; id++) {
            node.await(table.upsert(node.engine(), id, "memory", id));
        }
        ReadPoint before = node.readPoint();
        Map<Long, String> rows = table.planned(node, before);
        long reads = node.store().contents().list("").size();

        Lsn deleted = node.await(node.engine().deletePartitions(table.id(), ids(1, 7)));

        assertThat(node.store().contents().list("").size()).isEqualTo(reads + 1); // the decision
        assertThat(table.planned(node, node.readPoint()))
                .isEqualTo(Map.of(0L, "file:0", 8L, "memory:8"));
        assertThat(table.planned(node, node.readPoint(new Lsn(deleted.value() - 1))))
                .isEqualTo(rows);
        assertThat(table.get(node.engine(), Optional.empty(), 5)).isEmpty();
        assertThat(table.get(node.engine(), Optional.of(before.lsn()), 5)).contains("memory:5");

        node.restart();
        assertThat(table.planned(node, node.readPoint()))
                .isEqualTo(Map.of(0L, "file:0", 8L, "memory:8"));
        assertThat(table.planned(node, node.readPoint(before.lsn()))).isEqualTo(rows);
        node.await(node.engine().flush(table.id()));
        node.restart();
        assertThat(table.planned(node, node.readPoint(before.lsn()))).isEqualTo(rows);

        node.restart(); // which ends the leases
        for (int tick = 0; tick < 10; tick++) {
            node.tick(RETENTION_MILLIS / 2);
        }
        node.await(node.engine().compact(table.id()));
        node.tick(1_000);
        node.tick(1_000);
        assertThat(
                        node.store().contents().list("data/").stream()
                                .filter(e -> e.path().endsWith(".orc")))
                .hasSize(2);
        assertThat(node.engine().partitions(table.id()))
                .extracting(PartitionFiles::rowCount)
                .containsExactly(1L, 1L);
    }

    @Test
    void aTruncatedTableIsEmptyInAllShardsAlsoAfterARestart() throws IOException {
        TestTable wide =
                TestTable.create(
                        node.engine(),
                        "wide",
                        Orientation.ROW,
                        true,
                        3,
                        List.of(),
                        TableState.PUBLIC);
        for (long id = 0; id < 20; id++) {
            node.await(wide.upsert(node.engine(), id, "a", id));
            if (id == 10) {
                node.await(node.engine().flush(wide.id()));
            }
        }
        ReadPoint before = node.readPoint();
        TableId emptied = node.engine().catalog().truncateTable(wide.id()).id();
        for (int time = 0; time < 2; time++) {
            assertThatThrownBy(() -> wide.snapshot(node.engine(), before))
                    .as("history is not kept")
                    .isInstanceOf(SteleException.class);
            assertThat(node.engine().statistics(emptied).rowCount()).isZero();
            assertThat(node.engine().plan(node.readPoint(), emptied, ScanPredicate.ALL).shards())
                    .hasSize(3)
                    .noneMatch(shard -> shard.live() || !shard.files().isEmpty());
            node.restart();
        }
    }

    @Test
    void keysOfDeletedPartitionsAreAbsentForConditionalWrites() throws IOException {
        node.await(table.upsert(node.engine(), 1, "file", 1));
        node.await(node.engine().flush(table.id()));
        node.await(table.upsert(node.engine(), 2, "memory", 2));
        node.await(node.engine().deletePartitions(table.id(), ScanPredicate.ALL));
        for (long id = 1; id <= 2; id++) {
            WriteBatchBuilder batch = table.batch();
            table.insert(batch, OperationKind.INSERT_IF_ABSENT, id, "new", id);
            assertThat(node.await(table.apply(node.engine(), table.shard(id), batch)).skipped())
                    .isZero();
            assertThat(table.get(node.engine(), Optional.empty(), id)).contains("new:" + id);
        }
    }

    @Test
    void aTransactionThatReadADeletedRowConflicts() throws IOException {
        for (boolean inFile : new boolean[] {true, false}) {
            node.await(table.upsert(node.engine(), 1, "old", 1));
            if (inFile) {
                node.await(node.engine().flush(table.id()));
            }
            String transaction =
                    node.engine().beginTransaction(table.id(), Optional.of(node.readPoint().lsn()));
            WriteBatchBuilder update = table.batch();
            update.upsert(table.key(1), table.row(1, "new", 2));
            byte[] batch = update.toByteArray();
            node.engine().stage(transaction, table.shard(1), batch, 0, batch.length);
            node.await(node.engine().deletePartitions(table.id(), ids(1, 1)));
            assertThatThrownBy(
                            () ->
                                    node.await(
                                            node.engine()
                                                    .commit(
                                                            transaction,
                                                            List.of(),
                                                            Optional.empty())))
                    .isInstanceOfSatisfying(
                            SteleException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.TRANSACTION_CONFLICT));
        }
    }

    @Test
    void whatIsNotOfWholePartitionsIsRefused() {
        TestTable rows = create("row_parts", Orientation.ROW);
        assertRefused(rows, ScanPredicate.ALL, "orientation 'column'");
        ScanPredicate amount =
                new ScanPredicate(
                        Map.of(3, ColumnDomain.of(ValueRange.equal(BIGINT.encodeLong(1)))));
        assertRefused(table, amount, "partitioned by");
    }

    private void assertRefused(TestTable of, ScanPredicate partitions, String expected) {
        assertThatThrownBy(() -> node.await(node.engine().deletePartitions(of.id(), partitions)))
                .hasMessageContaining(expected)
                .isInstanceOfSatisfying(
                        SteleException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT));
    }

    private int plannedFiles(ScanPredicate predicate) {
        return node.engine().plan(node.readPoint(), table.id(), predicate).shards().stream()
                .mapToInt(shard -> shard.files().size())
                .sum();
    }

    private static ScanPredicate ids(long low, long high) {
        return new ScanPredicate(
                Map.of(
                        1,
                        ColumnDomain.of(
                                new ValueRange(
                                        Optional.of(BIGINT.encodeLong(low)),
                                        true,
                                        Optional.of(BIGINT.encodeLong(high)),
                                        true))));
    }
}
