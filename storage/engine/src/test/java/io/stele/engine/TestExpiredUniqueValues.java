package io.stele.engine;

import static io.stele.engine.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.node.StorageOptions;
import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.api.write.WrittenFile;
import io.stele.protocol.schema.IndexSchema;
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
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Rows that expired have no values: neither does a unique index take them for duplicates, nor does
 * a lookup by index find them, while readers of the past go on doing so.
 */
class TestExpiredUniqueValues {
    private static final long LIVES_MILLIS = 10_000;
    private static final IndexSchema BY_NAME =
            new IndexSchema(1, "by_name", List.of(2), true, true);

    private SimulatedNode node;
    private TestTable table;

    private void start(Orientation orientation) throws IOException {
        node =
                SimulatedNode.start(
                        StorageOptions.DEFAULT
                                .withRetention(Duration.ofMinutes(10))
                                .withMemTables(1 << 20, 1 << 30, Duration.ofHours(1)),
                        1);
        table =
                TestTable.create(
                        node.engine(),
                        "t",
                        orientation,
                        true,
                        1,
                        TableOptions.NONE
                                .withIndexes(List.of(BY_NAME))
                                .withTimeToLiveMillis(OptionalLong.of(LIVES_MILLIS)));
    }

    @ParameterizedTest
    @EnumSource(Orientation.class)
    void aValueIsFreeOnceItsRowExpired(Orientation orientation) throws IOException {
        start(orientation);
        node.await(table.upsert(node.engine(), 1, "flushed", 1));
        node.await(node.engine().flush(table.id()));
        node.await(table.upsert(node.engine(), 2, "in memory", 2));
        assertDuplicate(table.upsert(node.engine(), 11, "flushed", 11));
        assertDuplicate(table.upsert(node.engine(), 12, "in memory", 12));
        LeasedSnapshot past = node.openSnapshot();

        node.advance(LIVES_MILLIS + 1_000);
        assertThat(lookup("flushed")).isEmpty();
        assertThat(lookup("in memory")).isEmpty();
        assertThat(table.lookup(node.engine(), past, 1, List.of("flushed")))
                .as("of a reader of the past")
                .isEqualTo(Map.of(1L, "flushed:1"));
        node.await(table.upsert(node.engine(), 11, "flushed", 11));
        WriteBatchBuilder insert = table.batch();
        table.insert(insert, OperationKind.INSERT, 12, "in memory", 12);
        node.await(table.write(node.engine(), table.shard(12), insert));
        assertDuplicate(table.upsert(node.engine(), 21, "flushed", 21));
        assertThat(lookup("flushed")).isEqualTo(Map.of(11L, "flushed:11"));
        assertThat(lookup("in memory")).isEqualTo(Map.of(12L, "in memory:12"));
        assertThat(table.lookup(node.engine(), past, 1, List.of("flushed")))
                .isEqualTo(Map.of(1L, "flushed:1"));

        node.await(node.engine().flush(table.id()));
        node.await(node.engine().compact(table.id()));
        assertThat(lookup("flushed")).isEqualTo(Map.of(11L, "flushed:11"));
        assertDuplicate(table.upsert(node.engine(), 21, "in memory", 21));
        node.restart();
        assertDuplicate(table.upsert(node.engine(), 21, "in memory", 21));
        assertThat(lookup("in memory")).isEqualTo(Map.of(12L, "in memory:12"));
        assertThat(table.snapshot(node.engine(), node.openSnapshot()))
                .isEqualTo(Map.of(11L, "flushed:11", 12L, "in memory:12"));
        assertThat(node.uncaught()).isEmpty();
    }

    /** A row that is written again lives on, and so does its value. */
    @ParameterizedTest
    @EnumSource(Orientation.class)
    void aValueOfARowThatIsWrittenAgainStaysTaken(Orientation orientation) throws IOException {
        start(orientation);
        node.await(table.upsert(node.engine(), 1, "kept", 1));
        node.await(node.engine().flush(table.id()));
        node.advance(LIVES_MILLIS - 1_000);
        WriteBatchBuilder update = table.batch();
        table.update(update, OperationKind.UPDATE, 1, Optional.empty(), 2);
        node.await(table.write(node.engine(), table.shard(1), update));
        node.advance(2_000);
        assertDuplicate(table.upsert(node.engine(), 2, "kept", 2));
        assertThat(lookup("kept")).isEqualTo(Map.of(1L, "kept:2"));
        node.advance(LIVES_MILLIS);
        assertThat(lookup("kept")).isEmpty();
        node.await(table.upsert(node.engine(), 2, "kept", 2));
        // Its former row may come back with another value only
        assertDuplicate(table.upsert(node.engine(), 1, "kept", 1));
        node.await(table.upsert(node.engine(), 1, "other", 1));
        assertThat(lookup("kept")).isEqualTo(Map.of(2L, "kept:2"));
    }

    /** Staged rows and workers' files are judged at their commit. */
    @ParameterizedTest
    @EnumSource(Orientation.class)
    void transactionsTakeValuesOfExpiredRows(Orientation orientation) throws IOException {
        start(orientation);
        node.await(table.upsert(node.engine(), 1, "staged", 1));
        node.await(table.upsert(node.engine(), 2, "in a file", 2));
        node.await(node.engine().flush(table.id()));
        String early = node.engine().beginTransaction(table.id(), Optional.empty());
        stage(early, 11, "staged");
        assertDuplicate(node.commit(early, List.of()));

        String late = node.engine().beginTransaction(table.id(), Optional.empty());
        stage(late, 11, "staged");
        List<WrittenFile> files =
                orientation.hasRows()
                        ? List.of()
                        : List.of(
                                WorkerFiles.write(
                                        node.objects(),
                                        table,
                                        table.shard(12),
                                        "worker",
                                        List.of(new WorkerFiles.Row(12, "in a file", 12))));
        node.advance(LIVES_MILLIS + 1_000);
        node.await(node.commit(late, files));
        assertThat(lookup("staged")).isEqualTo(Map.of(11L, "staged:11"));
        assertThat(lookup("in a file"))
                .isEqualTo(files.isEmpty() ? Map.of() : Map.of(12L, "in a file:12"));
        assertDuplicate(table.upsert(node.engine(), 21, "staged", 21));
    }

    private void stage(String transaction, long id, String name) {
        WriteBatchBuilder batch = table.batch();
        batch.upsert(table.key(id), table.row(id, name, id));
        node.engine()
                .stage(transaction, table.shard(id), batch.toByteArray(), 0, batch.sizeBytes());
    }

    private Map<Long, String> lookup(String name) throws IOException {
        Map<Long, String> found =
                table.lookup(node.engine(), Optional.<Lsn>empty(), 1, List.of(name));
        LeasedSnapshot snapshot = node.openSnapshot();
        assertThat(table.lookup(node.engine(), snapshot, 1, List.of(name))).isEqualTo(found);
        node.engine().closeSnapshot(snapshot.id());
        return found;
    }

    private void assertDuplicate(CompletableFuture<?> write) {
        assertRefused(ErrorCode.DUPLICATE_KEY, () -> node.await(write));
    }
}
