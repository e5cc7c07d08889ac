package io.stele.engine;

import static io.stele.engine.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.catalog.CatalogService;
import io.stele.engine.catalog.TableState;
import io.stele.engine.node.StorageOptions;
import io.stele.engine.transaction.Decision;
import io.stele.objectstore.StoreFaults;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.wire.WriteBatchBuilder;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is served while nobody knows whether a statement has changed the catalog. */
class TestUnsettledCatalog {
    /** Done, and reported as failed. */
    private static final StoreFaults UNKNOWN = new StoreFaults(0, 1, 0, 0);

    private SimulatedNode node;
    private TestTable table;
    private TestTable other;

    @BeforeEach
    void setUp() throws IOException {
        node = SimulatedNode.start(StorageOptions.DEFAULT, 1);
        table = TestTable.create(node.engine(), "t", Orientation.ROW, true, 1);
        other = TestTable.create(node.engine(), "other", Orientation.ROW, true, 1);
        node.await(table.upsert(node.engine(), 1, "before", 1));
    }

    private CatalogService catalog() {
        return node.engine().catalog();
    }

    private void drop(StoreFaults faults) {
        node.store().setFaults(faults);
        assertRefused(ErrorCode.STORE_FAILED, () -> catalog().dropTable(table.id()))
                .hasMessageContaining("It is not known whether the statement took effect");
        assertThat(catalog().isUnsettled()).isTrue();
    }

    @Test
    void noWriteToATableIsAcknowledgedThatMayBeDropped() throws IOException {
        drop(UNKNOWN);
        assertRefused(ErrorCode.BUSY, () -> node.await(table.upsert(node.engine(), 2, "lost", 2)));
        assertThat(table.get(node.engine(), Optional.empty(), 1)).contains("before:1");
        node.await(other.upsert(node.engine(), 1, "of another table", 1));

        node.restart(); // nothing was acknowledged that is gone now
        assertThat(catalog().current().findTable(table.id())).isEmpty();
        assertThat(other.get(node.engine(), Optional.empty(), 1)).contains("of another table:1");
    }

    @Test
    void itIsSettledInTheBackgroundWhenTheStoreAnswers() {
        for (StoreFaults faults : List.of(UNKNOWN, StoreFaults.OUTAGE)) {
            drop(faults);
            for (int tick = 0; tick < 10; tick++) {
                node.tick(500);
            }
            assertThat(catalog().isUnsettled()).isTrue();
            node.store().setFaults(StoreFaults.NONE);
            for (int tick = 0; tick < 30; tick++) {
                node.tick(500);
            }
            assertThat(catalog().isUnsettled()).isFalse();
            assertThat(catalog().current().findTable(table.id())).isEmpty();
            assertRefused(
                    ErrorCode.STALE_TABLE,
                    () -> node.await(table.upsert(node.engine(), 3, "of no table", 3)));
            table = TestTable.create(node.engine(), "again", Orientation.ROW, true, 1);
        }
    }

    @Test
    void theNextStatementSettlesItOrIsRefused() {
        node.store().setFaults(UNKNOWN);
        assertRefused(ErrorCode.STORE_FAILED, () -> create("new"));
        node.store().setFaults(StoreFaults.OUTAGE);
        assertRefused(ErrorCode.BUSY, () -> create("new"));
        node.store().setFaults(StoreFaults.NONE);
        assertRefused(ErrorCode.TABLE_ALREADY_EXISTS, () -> create("new"));
        assertThat(catalog().current().findTable("test", "new")).isPresent();
    }

    @Test
    void transactionsWaitOutsideOfTheTable() throws IOException {
        String transaction = node.engine().beginTransaction(table.id(), Optional.empty());
        stage(transaction, 5);
        drop(StoreFaults.OUTAGE);
        assertRefused(ErrorCode.BUSY, () -> node.await(node.commit(transaction, List.of())));
        assertRefused(ErrorCode.BUSY, () -> stage(transaction, 6));
        assertRefused(
                ErrorCode.BUSY, () -> node.engine().beginTransaction(table.id(), Optional.empty()));
        assertRefused(
                ErrorCode.BUSY,
                () -> node.await(node.engine().deletePartitions(table.id(), ScanPredicate.ALL)));
        assertThat(node.engine().status().openTransactions()).isEqualTo(1);
        node.store().setFaults(StoreFaults.NONE);
        node.await(node.engine().abort(transaction));
    }

    @Test
    void aCommitThatPublishesWaitsForTheCatalogBeforeItIsDecided() {
        TestTable staged = staged("staged");
        String transaction = node.engine().beginTransaction(staged.id(), Optional.empty());
        drop(StoreFaults.OUTAGE);
        assertRefused(ErrorCode.BUSY, () -> publish(transaction, staged));
        node.store().setFaults(StoreFaults.NONE);
        catalog().settle();
        publish(transaction, staged);
        assertThat(catalog().current().findTable("test", "staged")).isPresent();
    }

    /** After a failure a client would look for the table, find none, and see it appear later. */
    @Test
    void aDecidedCommitEndsWhenItsTableIsPublic() throws IOException {
        for (StoreFaults faults : List.of(UNKNOWN, StoreFaults.OUTAGE)) {
            String name = "staged" + faults.equals(UNKNOWN);
            TestTable staged = staged(name);
            CompletableFuture<Lsn> committing = commitUntilDecided(staged);
            node.store().setFaults(faults);
            for (int tick = 0; tick < 100; tick++) {
                node.tick(500);
            }
            assertThat(committing).isNotDone();
            node.store().setFaults(StoreFaults.NONE);
            for (int tick = 0; tick < 30; tick++) {
                node.tick(500);
            }
            assertThat(committing).isCompleted();
            assertThat(catalog().current().findTable("test", name)).isPresent();
        }
    }

    /**
     * It became public by the attempt that nobody heard of, and was dropped or replaced before the
     * next one: the rows were there, so the commit succeeded, and its files are kept for those who
     * read the past.
     */
    @Test
    void aTableThatWasPublicBeforeTheCommitKnowsWasCommitted() throws IOException {
        for (boolean isDropped : List.of(true, false)) {
            TestTable staged = staged("published" + isDropped);
            CompletableFuture<Lsn> committing = commitUntilDecided(staged);
            node.store().setFaults(UNKNOWN);
            while (!catalog().isUnsettled()) {
                assertThat(node.pool().runOne()).isTrue();
            }
            node.store().setFaults(StoreFaults.NONE);
            assertThat(catalog().settle()).isTrue();
            assertThat(catalog().current().findTable("test", "published" + isDropped)).isPresent();
            if (isDropped) {
                catalog().dropTable(staged.id());
            } else {
                catalog().truncateTable(staged.id());
            }
            assertThat(committing).isNotDone();
            node.await(committing);
        }
    }

    @Test
    void batchesOfAWriterKeepTheirOrder() {
        node.store().setFaults(StoreFaults.OUTAGE);
        assertRefused(
                ErrorCode.STORE_FAILED,
                () -> catalog().setTableComment(table.id(), Optional.of("perhaps")));
        byte[] first = bytes(7, "first");
        byte[] second = bytes(7, "second");
        assertRefused(ErrorCode.BUSY, () -> node.await(write(2, first)));
        node.store().setFaults(StoreFaults.NONE);
        catalog().settle();
        assertRefused(ErrorCode.BUSY, () -> node.await(write(3, second)));
        node.await(write(2, first));
        node.await(write(3, second));
    }

    private CompletableFuture<Lsn> write(long sequence, byte[] bytes) {
        return node.engine()
                .write(table.shard(7), table.writerId(), sequence, bytes, 0, bytes.length);
    }

    private byte[] bytes(long id, String name) {
        WriteBatchBuilder batch = table.batch();
        batch.upsert(table.key(id), table.row(id, name, id));
        return batch.toByteArray();
    }

    private void stage(String transaction, long id) {
        byte[] bytes = bytes(id, "staged");
        node.engine().stage(transaction, table.shard(id), bytes, 0, bytes.length);
    }

    private Lsn publish(String transaction, TestTable staged) {
        return node.await(node.engine().commit(transaction, List.of(), Optional.of(staged.id())));
    }

    private TestTable staged(String name) {
        return TestTable.create(
                node.engine(), name, Orientation.COLUMN, true, 1, List.of(), TableState.STAGED);
    }

    private CompletableFuture<Lsn> commitUntilDecided(TestTable staged) throws IOException {
        String transaction = node.engine().beginTransaction(staged.id(), Optional.empty());
        CompletableFuture<Lsn> committing =
                node.engine().commit(transaction, List.of(), Optional.of(staged.id()));
        while (node.store().list(Decision.path(transaction)).isEmpty()) {
            assertThat(node.pool().runOne()).isTrue();
        }
        return committing;
    }

    private void create(String name) {
        TestTable.create(node.engine(), name, Orientation.ROW, true, 1);
    }
}
