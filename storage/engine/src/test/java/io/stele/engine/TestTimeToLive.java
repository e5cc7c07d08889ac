package io.stele.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.node.StorageOptions;
import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.protocol.Lsn;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableOptions;
import io.stele.protocol.wire.OperationKind;
import io.stele.protocol.wire.WriteBatchBuilder;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Rows disappear a time after they were written, for every way to read and to write. */
final class TestTimeToLive {
    private static final long LIVES_MILLIS = 10_000;

    private SimulatedNode node;
    private TestTable table;

    private void start(Orientation orientation) throws IOException {
        node =
                SimulatedNode.start(
                        StorageOptions.DEFAULT
                                .withRetention(Duration.ofMillis(3_000))
                                .withCollectionGrace(Duration.ofMillis(1)),
                        1);
        table =
                TestTable.create(
                        node.engine(),
                        "t",
                        orientation,
                        true,
                        1,
                        TableOptions.NONE.withTimeToLiveMillis(OptionalLong.of(LIVES_MILLIS)));
    }

    @ParameterizedTest
    @EnumSource(Orientation.class)
    void aRowIsThereUntilItsTimeIsOver(Orientation orientation) throws IOException {
        start(orientation);
        Lsn file = node.await(table.upsert(node.engine(), 1, "file", 1));
        node.await(node.engine().flush(table.id()));
        Lsn memory = node.await(table.upsert(node.engine(), 2, "memory", 2));
        assertThat(table.get(node.engine(), Optional.empty(), 1)).contains("file:1"); // cached

        node.advance(file.millis() + LIVES_MILLIS + 1 - node.nowMillis());
        LeasedSnapshot last = node.openSnapshot(new Lsn(file.value() + (LIVES_MILLIS << 16)));
        assertThat(table.planned(node, last)).isEqualTo(Map.of(1L, "file:1", 2L, "memory:2"));
        assertThat(table.get(node.engine(), Optional.of(last.lsn()), 1)).contains("file:1");

        assertThat(table.get(node.engine(), Optional.empty(), 1)).isEmpty();
        node.advance(memory.millis() + LIVES_MILLIS + 1 - node.nowMillis());
        assertThat(table.planned(node, node.openSnapshot())).isEmpty();
        assertThat(table.snapshot(node.engine(), node.openSnapshot())).isEmpty();
        assertThat(table.get(node.engine(), Optional.empty(), 1)).isEmpty();
        assertThat(table.get(node.engine(), Optional.empty(), 2)).isEmpty();
        assertThat(table.planned(node, last)).as("again").hasSize(2);
    }

    @ParameterizedTest
    @EnumSource(Orientation.class)
    void aKeyWhoseRowExpiredCanBeInserted(Orientation orientation) throws IOException {
        start(orientation);
        node.await(table.upsert(node.engine(), 1, "file", 1));
        node.await(node.engine().flush(table.id()));
        node.await(table.upsert(node.engine(), 2, "memory", 2));
        assertThat(insertIfAbsent(1)).isFalse();
        assertThat(insertIfAbsent(2)).isFalse();
        node.advance(LIVES_MILLIS + 1_000);
        assertThat(insertIfAbsent(1)).isTrue();
        assertThat(insertIfAbsent(2)).isTrue();
        assertThat(insertIfAbsent(2)).isFalse();
        WriteBatchBuilder update = table.batch();
        table.update(update, OperationKind.UPDATE, 3, Optional.empty(), 9);
        assertThat(node.await(table.apply(node.engine(), table.shard(3), update)).skipped())
                .isEqualTo(1);
        node.restart();
        assertThat(table.planned(node, node.openSnapshot()))
                .isEqualTo(Map.of(1L, "new:1", 2L, "new:2"));
    }

    private boolean insertIfAbsent(long id) {
        WriteBatchBuilder batch = table.batch();
        table.insert(batch, OperationKind.INSERT_IF_ABSENT, id, "new", id);
        return node.await(table.apply(node.engine(), table.shard(id), batch)).skipped() == 0;
    }

    @ParameterizedTest
    @EnumSource(Orientation.class)
    void filesOfExpiredRowsGo(Orientation orientation) throws IOException {
        start(orientation);
        for (long id = 0; id < 50; id++) {
            node.await(table.upsert(node.engine(), id, "old", id));
        }
        node.await(node.engine().flush(table.id()));
        node.advance(LIVES_MILLIS);
        for (long id = 40; id < 60; id++) {
            node.await(table.upsert(node.engine(), id, "new", id));
        }
        node.await(node.engine().flush(table.id()));
        long both = node.engine().statistics(table.id()).rowCount();
        for (int tick = 0; tick < 40; tick++) {
            node.tick(500); // the first ones are below the horizon, by more than the margin
        }
        assertThat(both).isGreaterThanOrEqualTo(60);
        node.tick(500);
        LeasedSnapshot snapshot = node.openSnapshot();
        assertThat(table.planned(node, snapshot)).isEmpty();
        node.engine().closeSnapshot(snapshot.id());
        node.tick(30_000);
        node.tick(1_000);
        node.tick(1_000);
        assertThat(node.engine().statistics(table.id()).rowCount()).isZero();
        assertThat(node.store().contents().list("data/")).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(Orientation.class)
    void mergesLeaveExpiredRowsOut(Orientation orientation) throws IOException {
        start(orientation);
        for (long id = 0; id < 50; id++) {
            node.await(table.upsert(node.engine(), id, "old", id));
        }
        node.await(node.engine().flush(table.id()));
        node.advance(25_000);
        node.await(table.upsert(node.engine(), 99, "new", 1));
        node.await(node.engine().flush(table.id()));
        node.await(node.engine().compact(table.id()));
        assertThat(node.engine().statistics(table.id()).rowCount()).isEqualTo(1);
        assertThat(table.planned(node, node.openSnapshot())).isEqualTo(Map.of(99L, "new:1"));
        assertThat(
                        node.engine()
                                .multiGet(table.id(), Optional.empty(), List.of(table.key(99)))
                                .getFirst())
                .isPresent();
    }
}
