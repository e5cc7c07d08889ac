package io.stele.engine;

import static io.stele.engine.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.catalog.TableState;
import io.stele.engine.node.StorageOptions;
import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.objectstore.FarObjectStore;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.api.maintenance.PartitionFiles;
import io.stele.protocol.api.scan.ShardScan;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.row.PartitionEncoder;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.wire.WriteBatchBuilder;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Rows that come round many partitions: files, open writers and memory of flushes and compactions.
 */
final class TestManyPartitions {
    // Data and key index, of the present and of history
    private static final int WRITERS_OF_A_PARTITION = 4;
    private static final long AGE_MILLIS = StorageOptions.DEFAULT.memTableAge().toMillis();

    private final SimulatedNode node;
    private final Map<Long, String> expected = new TreeMap<>();

    TestManyPartitions() throws IOException {
        node = SimulatedNode.start(StorageOptions.DEFAULT.withRetention(Duration.ofHours(1)), 1);
    }

    /** The partition is the name, so that keys say nothing about it. */
    private TestTable create(boolean clustered) {
        return TestTable.create(
                node.engine(),
                "t",
                Orientation.COLUMN,
                false,
                1,
                clustered ? List.of(3) : List.of(),
                List.of(2),
                TableState.PUBLIC);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aFlushWritesOneFileAPartitionAndOneAfterTheOther(boolean clustered) throws IOException {
        TestTable table = create(clustered);
        node.store().takeMostOpenWriters();
        for (int round = 0; round < 2; round++) {
            append(table, round * 1_000L, 1_000, 90);
            node.await(node.engine().flush(table.id()));
        }
        assertThat(files(table)).isEqualTo(180);
        assertThat(node.store().takeMostOpenWriters()).isBetween(1, WRITERS_OF_A_PARTITION);

        node.await(node.engine().compact(table.id()));
        assertThat(files(table)).isEqualTo(90);
        assertThat(node.store().takeMostOpenWriters()).isBetween(1, WRITERS_OF_A_PARTITION);
        assertThat(node.engine().partitions(table.id()))
                .hasSize(90)
                .extracting(PartitionFiles::rowCount)
                .allMatch(rows -> rows == 22 || rows == 23 || rows == 24);
        assertThat(table.planned(node, node.openSnapshot())).isEqualTo(expected);
    }

    /**
     * Each waits until enough are under way: with one after the other that never happens, and the
     * test gives up.
     */
    @ParameterizedTest
    @ValueSource(strings = {".orc", ".idx"})
    void aFlushToAStoreThatIsFarPublishesItsFilesSideBySide(String object) throws IOException {
        MeetingStore.Meeting meeting = new MeetingStore.Meeting(object, 16);
        SimulatedNode far =
                SimulatedNode.start(
                        StorageOptions.DEFAULT,
                        1,
                        store ->
                                new FarObjectStore(
                                        new MeetingStore(store, meeting),
                                        task -> Thread.ofPlatform().daemon().start(task),
                                        System::nanoTime));
        TestTable parted =
                TestTable.create(
                        far.engine(),
                        "parted",
                        Orientation.COLUMN,
                        false,
                        1,
                        List.of(2),
                        TableState.PUBLIC);
        WriteBatchBuilder batch = parted.batch();
        for (long id = 0; id < 400; id++) {
            batch.append(parted.row(id, "p" + id % 200, -id));
            expected.put(id, "p" + id % 200 + ":" + -id);
        }
        far.await(parted.write(far.engine(), parted.schema().shard(0), batch));
        meeting.begin();
        far.await(far.engine().flush(parted.id()));
        assertThat(meeting.most()).isBetween(16, 33);
        assertThat(far.store().list("data/" + parted.id() + "/"))
                .filteredOn(entry -> entry.path().endsWith(object))
                .hasSize(200);
        assertThat(parted.planned(far, far.openSnapshot())).isEqualTo(expected);
        far.restart();
        assertThat(parted.planned(far, far.openSnapshot())).isEqualTo(expected);
    }

    @Test
    void rowsFarApartMakeOneFileAPartition() throws IOException {
        TestTable table = create(false);
        append(table, 0, 3_000, 1_000); // three rows each, far apart
        node.await(node.engine().flush(table.id()));
        assertThat(files(table)).isEqualTo(1_000);
        assertThat(table.planned(node, node.openSnapshot())).isEqualTo(expected);
    }

    @Test
    void crumbsWaitForMoreRows() throws IOException {
        TestTable table = create(false);
        append(table, 0, 900, 90);
        node.tick(AGE_MILLIS);
        node.tick(1_000);
        assertThat(files(table)).isEqualTo(90); // nothing was known of the partitions before

        append(table, 900, 900, 90);
        for (int minute = 1; minute < 15; minute++) {
            node.tick(AGE_MILLIS - 2_000);
            node.tick(1_000);
        }
        assertThat(files(table)).isEqualTo(90);
        assertThat(table.snapshot(node.engine(), node.openSnapshot())).isEqualTo(expected);
        node.tick(2 * AGE_MILLIS);
        node.tick(1_000);
        assertThat(files(table)).isEqualTo(180);
        assertThat(node.engine().status().log().space().usedBytes()).isLessThan(1 << 20);
        assertThat(table.planned(node, node.openSnapshot())).isEqualTo(expected);
    }

    @Test
    void rowsOfAFewPartitionsDoNotWait() throws IOException {
        TestTable table = create(false);
        for (int round = 0; round < 3; round++) {
            append(table, round * 10L, 10, 2);
            node.tick(AGE_MILLIS);
            node.tick(1_000);
            assertThat(files(table)).isEqualTo(2 * (round + 1));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {PartitionEncoder.MAX_PARTITION_BYTES, 70_000})
    void longPartitionsAreRefusedBeforeTheyAreLogged(int length) throws IOException {
        TestTable table = create(false);
        append(table, 0, 1, 1);
        WriteBatchBuilder batch = table.batch();
        batch.append(table.row(1, "x".repeat(length), 1));
        assertRefused(
                        ErrorCode.KEY_TOO_LARGE,
                        () ->
                                node.await(
                                        table.write(node.engine(), table.schema().shard(0), batch)))
                .hasMessageContaining(
                        "Expected a partition (of 'name') of at most 4096 bytes, found at least "
                                + (length + 1));
        node.await(node.engine().flush(table.id()));
        assertThat(table.planned(node, node.openSnapshot())).isEqualTo(expected);
    }

    private void append(TestTable table, long firstId, int count, int partitions) {
        WriteBatchBuilder batch = table.batch();
        for (long id = firstId; id < firstId + count; id++) {
            String name = "p" + id % partitions;
            batch.append(table.row(id, name, -id));
            expected.put(id, name + ":" + -id);
        }
        node.await(table.write(node.engine(), table.schema().shard(0), batch));
    }

    private int files(TestTable table) throws IOException {
        LeasedSnapshot now = node.openSnapshot();
        int files = 0;
        for (ShardScan scan : node.engine().plan(now, table.id(), ScanPredicate.ALL).shards()) {
            files += scan.files().size();
        }
        node.engine().closeSnapshot(now.id());
        return files;
    }
}
