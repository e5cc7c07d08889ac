package io.stele.engine;

import static io.stele.engine.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.WorkerFiles.Row;
import io.stele.engine.node.StorageOptions;
import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.api.write.WrittenFile;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.wire.WriteBatchBuilder;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Workers' files that come twice. */
class TestFileClaims {
    private final SimulatedNode node = start();
    private final TestTable table =
            TestTable.create(node.engine(), "t", Orientation.COLUMN, true, 1);
    private final ShardId shard = table.schema().shard(0);

    @Test
    void twiceInATransaction() throws IOException {
        WrittenFile file = write("a", 1);
        refused(List.of(file, file), "adds it twice");
        refused(List.of(file, renamed(file, "b")), "adds it twice");
        assertThat(table.snapshot(node.engine(), node.openSnapshot())).isEmpty();
        node.await(commit(List.of(file)));
        assertThat(table.snapshot(node.engine(), node.openSnapshot())).hasSize(1);
    }

    @Test
    void thereAlready() throws IOException {
        WrittenFile file = write("a", 1);
        node.await(commit(List.of(file)));
        refused(List.of(file), "it is there already");
        refused(List.of(renamed(file, "b")), "it is there already");
        node.await(node.engine().flush(table.id()));
        node.restart();
        refused(List.of(file), "it is there already");
        assertThat(table.planned(node, node.openSnapshot())).containsEntry(1L, "a:1");
        node.await(commit(List.of(write("b", 2))));
        assertThat(table.planned(node, node.openSnapshot())).hasSize(2);
    }

    @Test
    void inAnotherTransactionThatIsBeingCommitted() throws IOException {
        WrittenFile file = write("a", 1);
        CompletableFuture<Lsn> first = commit(List.of(file));
        assertThat(first).isNotDone();
        refused(List.of(file), "adds it twice");
        node.await(first);
        refused(List.of(file), "it is there already");
        assertThat(table.planned(node, node.openSnapshot())).hasSize(1);
    }

    @Test
    void aFileOfATransactionThatFailedMayComeAgain() throws IOException {
        WrittenFile file = write("a", 1);
        LeasedSnapshot snapshot = node.openSnapshot();
        String transaction =
                node.engine().beginTransaction(table.id(), Optional.of(snapshot.lsn()));
        WriteBatchBuilder batch = table.batch();
        batch.upsert(table.key(2), table.row(2, "staged", 2));
        node.engine().stage(transaction, shard, batch.toByteArray(), 0, batch.sizeBytes());
        node.await(table.upsert(node.engine(), 2, "meanwhile", 2));
        assertRefused(
                ErrorCode.TRANSACTION_CONFLICT,
                () -> node.await(node.commit(transaction, List.of(file))));
        node.await(commit(List.of(file)));
        assertThat(table.planned(node, node.openSnapshot()))
                .containsEntry(1L, "a:1")
                .containsEntry(2L, "meanwhile:2");
    }

    private WrittenFile write(String fileId, long id) throws IOException {
        return WorkerFiles.write(
                node.objects(), table, shard, fileId, List.of(new Row(id, fileId, id)));
    }

    private static WrittenFile renamed(WrittenFile file, String fileId) {
        return ChangedFile.of(file).fileId(fileId).build();
    }

    private CompletableFuture<Lsn> commit(List<WrittenFile> files) {
        String transaction = node.engine().beginTransaction(table.id(), Optional.empty());
        return node.commit(transaction, files);
    }

    private void refused(List<WrittenFile> files, String why) {
        CompletableFuture<Lsn> commit = commit(files);
        assertThat(commit).as("before anything is logged").isDone();
        assertRefused(ErrorCode.INVALID_ARGUMENT, () -> node.await(commit))
                .hasMessageContaining(why);
        assertThat(node.engine().status().openTransactions()).isLessThanOrEqualTo(1);
    }

    private static SimulatedNode start() {
        try {
            return SimulatedNode.start(StorageOptions.DEFAULT, 3);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
