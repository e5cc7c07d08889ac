package io.stele.engine;

import static io.stele.engine.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.engine.catalog.TableState;
import io.stele.engine.node.StorageOptions;
import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.TableId;
import io.stele.protocol.api.maintenance.PartitionFiles;
import io.stele.protocol.predicate.ColumnDomain;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.predicate.ValueRange;
import io.stele.protocol.row.ValueCodec;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.IndexSchema;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.wire.OperationKind;
import io.stele.protocol.wire.WriteBatchBuilder;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

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
        assertThat(table.planned(node, node.openSnapshot())).hasSize(300);
    }

    @ParameterizedTest
    @EnumSource(Orientation.class)
    void deletedPartitionsLeaveThePlanUnreadAndTheStoreAfterTheRetention(Orientation orientation)
            throws IOException {
        TestTable table = create("deleted", orientation);
        for (long id = 0; id < 6; id++) {
            node.await(table.upsert(node.engine(), id, "file", id));
        }
        node.await(node.engine().flush(table.id()));
        for (long id = 3; id < 9; id++) {
            node.await(table.upsert(node.engine(), id, "memory", id));
        }
        LeasedSnapshot before = node.openSnapshot();
        Map<Long, String> rows = table.planned(node, before);
        long reads = node.store().contents().list("").size();

        Lsn deleted = node.await(node.engine().deletePartitions(table.id(), ids(1, 7)));

        assertThat(node.store().contents().list("").size()).isEqualTo(reads + 1); // the decision
        assertThat(table.planned(node, node.openSnapshot()))
                .isEqualTo(Map.of(0L, "file:0", 8L, "memory:8"));
        assertThat(table.planned(node, node.openSnapshot(new Lsn(deleted.value() - 1))))
                .isEqualTo(rows);
        assertThat(table.get(node.engine(), Optional.empty(), 5)).isEmpty();
        assertThat(table.get(node.engine(), Optional.of(before.lsn()), 5)).contains("memory:5");

        node.restart();
        assertThat(table.planned(node, node.openSnapshot()))
                .isEqualTo(Map.of(0L, "file:0", 8L, "memory:8"));
        assertThat(table.planned(node, node.openSnapshot(before.lsn()))).isEqualTo(rows);
        node.await(node.engine().flush(table.id()));
        node.restart();
        assertThat(table.planned(node, node.openSnapshot(before.lsn()))).isEqualTo(rows);

        node.restart(); // which ends the leases
        for (int tick = 0; tick < 10; tick++) {
            node.tick(RETENTION_MILLIS / 2);
        }
        node.await(node.engine().compact(table.id()));
        node.tick(1_000);
        node.tick(1_000);
        assertThat(node.engine().statistics(table.id()).rowCount()).isEqualTo(2);
        if (orientation.hasColumns()) {
            assertThat(filesOf(table, ".orc")).isEqualTo(2);
            assertThat(node.engine().partitions(table.id()))
                    .extracting(PartitionFiles::rowCount)
                    .containsExactly(1L, 1L);
        }
        if (orientation.hasRows()) {
            assertThat(filesOf(table, ".row")).isEqualTo(1);
        }
        assertThat(table.planned(node, node.openSnapshot()))
                .isEqualTo(Map.of(0L, "file:0", 8L, "memory:8"));
    }

    private long filesOf(TestTable of, String suffix) throws IOException {
        return node.store().contents().list("data/" + of.id() + "/").stream()
                .filter(object -> object.path().endsWith(suffix))
                .count();
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
        LeasedSnapshot before = node.openSnapshot();
        TableId emptied = node.engine().catalog().truncateTable(wide.id()).id();
        assertThat(wide.snapshot(node.engine(), before)).hasSize(20);
        for (int time = 0; time < 2; time++) {
            assertThat(node.engine().statistics(emptied).rowCount()).isZero();
            assertThat(node.engine().plan(node.openSnapshot(), emptied, ScanPredicate.ALL).shards())
                    .hasSize(3)
                    .noneMatch(shard -> shard.live() || !shard.files().isEmpty());
            node.restart();
        }
    }

    @ParameterizedTest
    @EnumSource(Orientation.class)
    void keysOfDeletedPartitionsAreAbsentForConditionalWrites(Orientation orientation)
            throws IOException {
        TestTable table = create("absent", orientation);
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

    @ParameterizedTest
    @EnumSource(Orientation.class)
    void aTransactionThatReadADeletedRowConflicts(Orientation orientation) throws IOException {
        TestTable table = create("conflicts", orientation);
        for (boolean inFile : new boolean[] {true, false}) {
            node.await(table.upsert(node.engine(), 1, "old", 1));
            if (inFile) {
                node.await(node.engine().flush(table.id()));
            }
            String transaction =
                    node.engine()
                            .beginTransaction(table.id(), Optional.of(node.openSnapshot().lsn()));
            WriteBatchBuilder update = table.batch();
            update.upsert(table.key(1), table.row(1, "new", 2));
            byte[] batch = update.toByteArray();
            node.engine().stage(transaction, table.shard(1), batch, 0, batch.length);
            node.await(node.engine().deletePartitions(table.id(), ids(1, 1)));
            assertRefused(
                    ErrorCode.TRANSACTION_CONFLICT,
                    () -> node.await(node.commit(transaction, List.of())));
        }
    }

    /** Versions from before and after deletions, in all levels of SST files. */
    @ParameterizedTest
    @EnumSource(
            value = Orientation.class,
            names = {"ROW", "ROW_COLUMN"})
    void mergesOfSstFilesKeepWhatReadersOfThePastSee(Orientation orientation) throws IOException {
        TestTable rows = create("history", orientation);
        List<LeasedSnapshot> snapshots = new ArrayList<>();
        List<Map<Long, String>> states = new ArrayList<>();
        Map<Long, String> state = new TreeMap<>();
        SplittableRandom random = new SplittableRandom(orientation.ordinal());
        for (int round = 0; round < 24; round++) {
            for (long id = 0; id < 8; id++) {
                if (random.nextBoolean()) {
                    node.await(rows.upsert(node.engine(), id, "round", round));
                    state.put(id, "round:" + round);
                }
            }
            if (random.nextInt(3) > 0) {
                node.await(node.engine().flush(rows.id()));
            }
            if (random.nextInt(2) == 0) {
                long low = random.nextInt(8);
                node.await(node.engine().deletePartitions(rows.id(), ids(low, low + 2)));
                state.keySet().removeIf(id -> id >= low && id <= low + 2);
            }
            snapshots.add(node.openSnapshot());
            states.add(new TreeMap<>(state));
            if (round % 5 == 4) {
                node.await(node.engine().compact(rows.id()));
            }
            if (round == 13) {
                List<Lsn> lsns = snapshots.stream().map(LeasedSnapshot::lsn).toList();
                node.restart();
                snapshots.clear();
                for (Lsn lsn : lsns) {
                    snapshots.add(node.openSnapshot(lsn));
                }
            }
            for (int i = 0; i < snapshots.size(); i++) {
                assertThat(rows.snapshot(node.engine(), snapshots.get(i)))
                        .as("round %d at the end of round %d", i, round)
                        .isEqualTo(states.get(i));
                rows.checkLookups(
                        node.engine(), snapshots.get(i), random.nextInt(8), states.get(i));
            }
        }
    }

    @Test
    void sstFilesWithoutARowLeftGoUnread() throws IOException {
        TestTable rows = create("gone", Orientation.ROW);
        for (long id = 0; id < 40; id++) {
            node.await(rows.upsert(node.engine(), id, "old", id));
        }
        node.await(node.engine().flush(rows.id()));
        node.await(node.engine().deletePartitions(rows.id(), ids(0, 100)));
        node.await(node.engine().flush(rows.id()));
        assertThat(filesOf(rows, ".row")).isEqualTo(1);
        node.restart();
        for (int tick = 0; tick < 10; tick++) {
            node.tick(RETENTION_MILLIS / 2);
        }
        assertThat(filesOf(rows, ".row")).isZero();
        assertThat(node.engine().statistics(rows.id()).rowCount()).isZero();
    }

    @Test
    void aUniqueValueOfADeletedPartitionIsFree() throws IOException {
        TestTable rows =
                TestTable.createIndexed(
                        node.engine(),
                        "unique_parts",
                        Orientation.ROW,
                        1,
                        List.of(new IndexSchema(1, "by_name", List.of(2), true, true)));
        node.await(rows.upsert(node.engine(), 1, "mine", 1));
        node.await(node.engine().flush(rows.id()));
        assertThatThrownBy(() -> node.await(rows.upsert(node.engine(), 2, "mine", 2)))
                .hasMessageContaining("unique index 'by_name'");
        node.await(node.engine().deletePartitions(rows.id(), ScanPredicate.ALL));
        node.await(rows.upsert(node.engine(), 2, "mine", 2));
        assertThat(rows.snapshot(node.engine(), node.openSnapshot()))
                .isEqualTo(Map.of(2L, "mine:2"));
    }

    /** Whatever came in between, so that a client may ask until it knows. */
    @Test
    void aDeletionOfATransactionIsDoneOnce() throws IOException {
        TestTable table = create("once", Orientation.COLUMN);
        for (long id = 0; id < 4; id++) {
            node.await(table.upsert(node.engine(), id, "before", id));
        }
        String id = node.engine().beginTransaction(table.id(), Optional.empty());
        CompletableFuture<Lsn> first = delete(id, table);
        CompletableFuture<Lsn> joined = delete(id, table); // before it is decided
        Lsn deleted = node.await(first);
        assertThat(node.await(joined)).isEqualTo(deleted);
        node.await(table.upsert(node.engine(), 2, "after", 2));
        for (int start = 0; start < 2; start++) {
            assertThat(node.await(delete(id, table))).isEqualTo(deleted);
            assertThat(node.await(node.engine().transactionOutcome(id))).isEqualTo(deleted);
            assertThat(table.snapshot(node.engine(), node.openSnapshot()))
                    .isEqualTo(Map.of(0L, "before:0", 2L, "after:2"));
            node.restart();
        }

        String lost = node.engine().beginTransaction(table.id(), Optional.empty());
        node.restart();
        assertRefused(ErrorCode.TRANSACTION_NOT_FOUND, () -> node.await(delete(lost, table)));
        String abandoned = node.engine().beginTransaction(table.id(), Optional.empty());
        node.await(node.engine().abort(abandoned));
        assertRefused(ErrorCode.TRANSACTION_NOT_FOUND, () -> node.await(delete(abandoned, table)));
        assertThat(table.snapshot(node.engine(), node.openSnapshot())).hasSize(2);
    }

    private CompletableFuture<Lsn> delete(String transactionId, TestTable table) {
        return node.engine().deletePartitions(Optional.of(transactionId), table.id(), ids(1, 3));
    }

    @Test
    void moreDeletionsThanMergesKeepUpWithAreRefused() throws IOException {
        TestTable rows = create("many", Orientation.ROW);
        for (long id = 0; id < 100; id++) {
            node.await(rows.upsert(node.engine(), id, "row", id));
        }
        node.await(node.engine().flush(rows.id()));
        for (long id = 0; id < 64; id++) {
            node.await(node.engine().deletePartitions(rows.id(), ids(id, id)));
        }
        assertRefused(
                        ErrorCode.BUSY,
                        () -> node.await(node.engine().deletePartitions(rows.id(), ids(64, 64))))
                .hasMessageContaining("Expected fewer than 64 deletions");
        assertThat(rows.snapshot(node.engine(), node.openSnapshot())).hasSize(36);
        node.restart();
        assertThat(rows.snapshot(node.engine(), node.openSnapshot())).hasSize(36);
        for (int tick = 0; tick < 10; tick++) {
            node.tick(RETENTION_MILLIS / 2);
        }
        node.await(node.engine().compact(rows.id()));
        node.await(node.engine().deletePartitions(rows.id(), ids(64, 64)));
        assertThat(rows.snapshot(node.engine(), node.openSnapshot())).hasSize(35);
    }

    @Test
    void whatIsNotOfWholePartitionsIsRefused() {
        ScanPredicate amount =
                new ScanPredicate(
                        Map.of(3, ColumnDomain.of(ValueRange.equal(BIGINT.encodeLong(1)))));
        assertDeleteRefused(table, amount, "partitioned by");
    }

    private void assertDeleteRefused(TestTable of, ScanPredicate partitions, String expected) {
        assertRefused(
                        ErrorCode.INVALID_ARGUMENT,
                        () -> node.await(node.engine().deletePartitions(of.id(), partitions)))
                .hasMessageContaining(expected);
    }

    private int plannedFiles(ScanPredicate predicate) {
        return node.engine().plan(node.openSnapshot(), table.id(), predicate).shards().stream()
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
