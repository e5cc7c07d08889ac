package io.stele.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.node.StorageOptions;
import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.protocol.Lsn;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableOptions;
import io.stele.protocol.wire.WriteBatchBuilder;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Nodes that start with a clock that is ahead: rows do not expire until it has stayed there. */
final class TestClockAtStart {
    private static final long DAY = 86_400_000;
    private static final long MINUTE = 60_000;
    private static final Map<Long, String> BEFORE = Map.of(1L, "file:1", 2L, "memory:2");

    private SimulatedNode node;
    private TestTable table;
    private Lsn past; // at which key 1 had another value

    private void start(Orientation orientation) throws IOException {
        node =
                SimulatedNode.start(
                        StorageOptions.DEFAULT
                                .withRetention(Duration.ofHours(1))
                                .withCollectionGrace(Duration.ofMillis(1)),
                        1);
        node.setClockAhead(0);
        table =
                TestTable.create(
                        node.engine(),
                        "t",
                        orientation,
                        true,
                        1,
                        TableOptions.NONE.withTimeToLiveMillis(OptionalLong.of(DAY)));
        past = node.await(table.upsert(node.engine(), 1, "past", 1));
        node.tick(1_000);
        node.await(table.upsert(node.engine(), 1, "file", 1));
        node.await(node.engine().flush(table.id()));
        node.await(table.upsert(node.engine(), 2, "memory", 2));
    }

    @ParameterizedTest
    @EnumSource(Orientation.class)
    void aClockThatIsAheadAtTheStartExpiresNothingUntilItIsCorrected(Orientation orientation)
            throws IOException {
        start(orientation);
        node.setClockAhead(30 * DAY);
        node.restart();
        assertThat(node.engine().status().heldClockMillis()).isBetween(29 * DAY, 31 * DAY);
        work();
        assertRows(BEFORE);
        assertThat(node.openSnapshot(past).lsn()).as("history").isEqualTo(past);
        Lsn written = node.await(table.upsert(node.engine(), 3, "meanwhile", 3));
        assertThat(written.millis()).isGreaterThan(node.nowMillis() + 29 * DAY);

        node.setClockAhead(0);
        work();
        assertThat(node.engine().status().heldClockMillis()).isZero();
        Map<Long, String> all = Map.of(1L, "file:1", 2L, "memory:2", 3L, "meanwhile:3");
        assertRows(all);
        node.restart();
        node.tick(11 * MINUTE);
        work();
        assertRows(all);
        node.tick(DAY);
        work();
        assertRows(Map.of(3L, "meanwhile:3"));
    }

    @ParameterizedTest
    @EnumSource(Orientation.class)
    void rowsThatExpiredWhileTheNodeWasDownGoWhenItsClockHasStayed(Orientation orientation)
            throws IOException {
        start(orientation);
        node.advance(2 * DAY);
        node.restart();
        assertRows(BEFORE);
        node.await(table.upsert(node.engine(), 3, "new", 3));
        node.tick(10 * MINUTE);
        assertThat(node.engine().status().heldClockMillis()).isZero();
        work();
        assertRows(Map.of(3L, "new:3"));
        node.tick(DAY);
        assertRows(Map.of());
    }

    /** The second start knows no more than the first did. */
    @Test
    void aStartThatWritesNothingLeavesTheNextOneInDoubt() throws IOException {
        start(Orientation.COLUMN);
        node.setClockAhead(30 * DAY);
        node.restart();
        node.restart();
        work();
        assertRows(BEFORE);
    }

    /** A client whose answer was lost repeats its batch when the node is back. */
    @Test
    void aClockThatIsAheadAtTheStartForgetsNoWriter() throws IOException {
        start(Orientation.COLUMN);
        TestTable rows = TestTable.create(node.engine(), "rows", Orientation.COLUMN, false, 1);
        UUID writer = new UUID(1, 2);
        WriteBatchBuilder batch = rows.batch();
        batch.append(rows.row(1, "once", 1));
        byte[] bytes = batch.toByteArray();
        Lsn written =
                node.await(
                        node.engine()
                                .write(rows.schema().shard(0), writer, 1, bytes, 0, bytes.length));
        node.setClockAhead(30 * DAY);
        node.restart();
        WriteBatchBuilder other = rows.batch();
        other.append(rows.row(2, "another writer", 2));
        node.await(rows.write(node.engine(), rows.schema().shard(0), other));
        node.await(node.engine().flush(rows.id()));
        assertThat(
                        node.await(
                                node.engine()
                                        .write(
                                                rows.schema().shard(0),
                                                writer,
                                                1,
                                                bytes,
                                                0,
                                                bytes.length)))
                .as("the answer that was lost")
                .isEqualTo(written);
        assertThat(rows.planned(node, node.openSnapshot())).hasSize(2);
    }

    @Test
    void aNewWarehouseIsNotInDoubt() throws IOException {
        start(Orientation.COLUMN);
        assertThat(node.engine().status().heldClockMillis()).isZero();
        node.tick(2 * DAY);
        node.tick(11 * MINUTE); // a step of two days is a jump only to the unguarded
        assertRows(Map.of());
    }

    private void work() {
        node.await(node.engine().flush(table.id()));
        node.await(node.engine().compact(table.id()));
        for (int tick = 0; tick < 10; tick++) {
            node.tick(1_000);
        }
    }

    private void assertRows(Map<Long, String> rows) throws IOException {
        LeasedSnapshot snapshot = node.openSnapshot();
        assertThat(table.snapshot(node.engine(), snapshot)).isEqualTo(rows);
        assertThat(table.planned(node, snapshot)).isEqualTo(rows);
        node.engine().closeSnapshot(snapshot.id());
        for (long id = 1; id <= 3; id++) {
            assertThat(table.get(node.engine(), Optional.empty(), id))
                    .isEqualTo(Optional.ofNullable(rows.get(id)));
        }
    }
}
