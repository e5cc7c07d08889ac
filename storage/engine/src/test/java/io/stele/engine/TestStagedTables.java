package io.stele.engine;

import static io.stele.engine.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.engine.catalog.TableState;
import io.stele.engine.node.StorageOptions;
import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.engine.transaction.Decision;
import io.stele.objectstore.StoreFaults;
import io.stele.objectstore.fault.CrashPoint;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.wire.WriteBatchBuilder;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Tables that are created with their rows, by statements that come to nothing. */
class TestStagedTables {
    private static final StorageOptions OPTIONS =
            StorageOptions.DEFAULT.withTransactions(100_000, Duration.ofMinutes(10));

    private final SimulatedNode node = start();

    @Test
    void anAbortedTransactionTakesItsTableAlong() {
        TestTable table = staged("t");
        String transaction = begin(table);
        node.await(node.engine().abort(transaction));
        assertThat(isThere(table)).isFalse();
        assertThat(node.uncaught()).isEmpty();
    }

    @Test
    void aTransactionThatNobodyTouchesTakesItsTableAlong() {
        TestTable table = staged("t");
        begin(table);
        node.tick(Duration.ofMinutes(10).toMillis() - 1_000);
        assertThat(isThere(table)).isTrue();
        node.tick(2_000);
        node.tick(500);
        assertThat(isThere(table)).isFalse();
    }

    @Test
    void aRefusedCommitTakesItsTableAlong() {
        TestTable rows = TestTable.create(node.engine(), "rows", Orientation.ROW, true, 1);
        node.await(rows.upsert(node.engine(), 1, "before", 1));
        TestTable table = staged("t");
        LeasedSnapshot snapshot = node.openSnapshot();
        String transaction =
                node.engine().beginTransaction(table.id(), Optional.of(snapshot.lsn()));
        stage(transaction, table);
        stage(transaction, rows);
        node.await(rows.upsert(node.engine(), 1, "meanwhile", 1));
        assertCode(ErrorCode.TRANSACTION_CONFLICT, transaction, table.id());
        assertThat(isThere(table)).isFalse();
    }

    @Test
    void aTableWhoseNameIsTakenIsNotCommitted() throws IOException {
        TestTable first = staged("t");
        TestTable second = staged("t");
        String loser = begin(second);
        String winner = begin(first);
        node.await(node.engine().commit(winner, List.of(), Optional.of(first.id())));
        assertCode(ErrorCode.TABLE_ALREADY_EXISTS, loser, second.id());
        assertThat(isThere(second)).isFalse();
        node.restart();
        assertThat(first.snapshot(node.engine(), node.openSnapshot())).hasSize(1);
    }

    /** Both were decided before either was public. */
    @Test
    void aNameThatIsTakenAfterTheDecisionDoesNotKeepTheNodeFromStarting() throws IOException {
        TestTable first = staged("t");
        TestTable second = staged("t");
        String winner = begin(first);
        String loser = begin(second);
        var committing = node.engine().commit(loser, List.of(), Optional.of(second.id()));
        while (node.store().list(Decision.path(loser)).isEmpty()) {
            assertThat(node.pool().runOne()).isTrue();
        }
        node.engine().catalog().publishTable(first.id(), Lsn.MIN);
        assertRefused(ErrorCode.TABLE_ALREADY_EXISTS, () -> node.await(committing));
        assertThat(isThere(second)).isFalse();
        assertThatThrownBy(
                        () ->
                                node.await(
                                        node.engine()
                                                .commit(
                                                        loser,
                                                        List.of(),
                                                        Optional.of(second.id()))))
                .as("asked again")
                .isInstanceOfSatisfying(
                        SteleException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.STALE_TABLE));
        node.restart();
        assertThat(node.engine().catalog().current().findTable("test", "t"))
                .map(found -> found.id())
                .contains(first.id());
        assertThat(node.engine().catalog().current().findTable(second.id())).isEmpty();
        node.await(node.engine().abort(winner));
    }

    /** The process dies between the decision and the catalog; the name is taken by the next one. */
    @Test
    void aCrashBeforeThePublicationIsMadeUpForAtTheNextStart() throws IOException {
        TestTable table = staged("t");
        String transaction = begin(table);
        var committing = node.engine().commit(transaction, List.of(), Optional.of(table.id()));
        while (node.store().list(Decision.path(transaction)).isEmpty()) {
            assertThat(node.pool().runOne()).isTrue();
        }
        assertThat(committing).isNotDone();
        node.restart(CrashPoint.never(), StoreFaults.NONE);
        assertThat(node.engine().catalog().current().findTable("test", "t")).isPresent();
        assertThat(table.snapshot(node.engine(), node.openSnapshot())).hasSize(1);
        node.await(node.engine().commit(transaction, List.of(), Optional.of(table.id())));
    }

    private TestTable staged(String name) {
        return TestTable.create(
                node.engine(), name, Orientation.COLUMN, true, 2, List.of(), TableState.STAGED);
    }

    private String begin(TestTable table) {
        String transaction = node.engine().beginTransaction(table.id(), Optional.empty());
        stage(transaction, table);
        return transaction;
    }

    private void stage(String transaction, TestTable table) {
        WriteBatchBuilder batch = table.batch();
        batch.upsert(table.key(1), table.row(1, "row", 1));
        node.engine().stage(transaction, table.shard(1), batch.toByteArray(), 0, batch.sizeBytes());
    }

    private boolean isThere(TestTable table) {
        return node.engine().catalog().current().findTable(table.id()).isPresent();
    }

    private void assertCode(ErrorCode code, String transaction, TableId publish) {
        assertRefused(
                code,
                () ->
                        node.await(
                                node.engine()
                                        .commit(transaction, List.of(), Optional.of(publish))));
    }

    private static SimulatedNode start() {
        try {
            return SimulatedNode.start(OPTIONS, 3);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
