package io.stele.engine;

import static io.stele.engine.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.node.StorageOptions;
import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.api.write.WrittenFile;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.wire.WriteBatchBuilder;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * Transactions whose rows take the place of all that a table has: refreshes of materialized views.
 */
final class TestReplacedRows {
    private final SimulatedNode node;
    private final TestTable table;

    TestReplacedRows() throws IOException {
        node = SimulatedNode.start(StorageOptions.DEFAULT.withRetention(Duration.ofMinutes(5)), 2);
        table = TestTable.create(node.engine(), "t", Orientation.COLUMN, false, 2);
    }

    @Test
    void readersSeeTheRowsOfBeforeOrThoseOfAfter() throws IOException {
        replace(Optional.empty(), 1, 2);
        LeasedSnapshot first = node.openSnapshot();
        Lsn second = node.await(replaceByFile(3, 4));
        assertThat(table.snapshot(node.engine(), first)).containsOnlyKeys(1L, 2L);
        assertThat(table.planned(node, first)).containsOnlyKeys(1L, 2L);
        node.await(node.engine().flush(table.id()));
        replace(Optional.empty());
        for (int start = 0; start < 2; start++) {
            assertThat(table.snapshot(node.engine(), node.openSnapshot())).isEmpty();
            assertThat(table.snapshot(node.engine(), node.openSnapshot(second)))
                    .containsOnlyKeys(3L, 4L);
            assertThat(table.planned(node, node.openSnapshot(second))).containsOnlyKeys(3L, 4L);
            node.restart();
        }
    }

    @Test
    void rowsAreNotReplacedByOlderOnes() throws IOException {
        replace(Optional.empty(), 1);
        Lsn snapshot = node.openSnapshot().lsn();
        String late = stage(Optional.of(snapshot), 2);
        replace(Optional.of(snapshot), 3);
        assertRefused(ErrorCode.TRANSACTION_CONFLICT, () -> node.await(commit(late, List.of())))
                .hasMessageContaining(
                        "table test.t, whose rows it replaces, was changed after LSN " + snapshot);
        assertThat(table.snapshot(node.engine(), node.openSnapshot())).containsOnlyKeys(3L);
        assertThat(node.engine().changedLsn(table.id())).isGreaterThan(snapshot);
        Lsn present = node.openSnapshot().lsn();
        assertThat(node.engine().changedLsn(table.id())).isLessThanOrEqualTo(present);
        replace(Optional.of(present), 4);
        assertThat(table.snapshot(node.engine(), node.openSnapshot())).containsOnlyKeys(4L);
    }

    /**
     * Of another table of the same shards, a flush, a compaction or a restart: nothing is changed.
     */
    @Test
    void theLastChangeIsThatOfTheTable() throws IOException {
        replace(Optional.empty(), 1);
        Lsn changed = node.engine().changedLsn(table.id());
        TestTable other = TestTable.create(node.engine(), "other", Orientation.ROW, true, 2);
        node.await(other.upsert(node.engine(), 1, "x", 1));
        node.await(node.engine().flush(table.id()));
        node.await(node.engine().compact(table.id()));
        assertThat(node.engine().changedLsn(table.id())).isEqualTo(changed);
        node.restart();
        assertThat(node.engine().changedLsn(table.id()))
                .as("at or above, and not after the restart")
                .isBetween(changed, node.openSnapshot().lsn());
    }

    @Test
    void tablesWithAKeyAreRefused() {
        TestTable keyed = TestTable.create(node.engine(), "keyed", Orientation.COLUMN, true, 2);
        String transaction = node.engine().beginTransaction(keyed.id(), Optional.empty());
        assertRefused(
                        ErrorCode.INVALID_ARGUMENT,
                        () ->
                                node.await(
                                        node.engine()
                                                .commit(
                                                        transaction,
                                                        List.of(),
                                                        Optional.empty(),
                                                        Optional.of(keyed.id()))))
                .hasMessage(
                        "Expected a table without primary_key to replace the rows of, found test.keyed");
    }

    private void replace(Optional<Lsn> readLsn, long... ids) {
        node.await(commit(stage(readLsn, ids), List.of()));
    }

    private CompletableFuture<Lsn> replaceByFile(long... ids) throws IOException {
        List<WorkerFiles.Row> rows =
                Arrays.stream(ids).mapToObj(id -> new WorkerFiles.Row(id, "file", 0)).toList();
        WrittenFile file =
                WorkerFiles.write(node.objects(), table, table.schema().shard(1), "w1", rows);
        return commit(stage(Optional.empty()), List.of(file));
    }

    private String stage(Optional<Lsn> readLsn, long... ids) {
        String transaction = node.engine().beginTransaction(table.id(), readLsn);
        for (long id : ids) {
            WriteBatchBuilder batch = table.batch();
            batch.append(table.row(id, "row", 0));
            node.engine()
                    .stage(
                            transaction,
                            table.schema().shard((int) id % 2),
                            batch.toByteArray(),
                            0,
                            batch.sizeBytes());
        }
        return transaction;
    }

    private CompletableFuture<Lsn> commit(String transaction, List<WrittenFile> files) {
        return node.engine().commit(transaction, files, Optional.empty(), Optional.of(table.id()));
    }
}
