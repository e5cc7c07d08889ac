package io.stele.engine;

import static io.stele.engine.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.node.CacheOptions;
import io.stele.engine.node.StorageOptions;
import io.stele.engine.read.LookedUpRows;
import io.stele.objectstore.StoreFaults;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.schema.ColumnChange;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.wire.WriteBatchBuilder;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Batches that are refused as BUSY while later ones of their writer are on their way. */
class TestPostponedWrites {
    private static final UUID WRITER = new UUID(5, 6);
    private static final StorageOptions OPTIONS =
            StorageOptions.DEFAULT
                    .withCaches(new CacheOptions(1, 1, 0, 1, 0, 0))
                    .withMemTables(1 << 20, 1 << 30, Duration.ofHours(1))
                    .withMaxWriteWait(Duration.ofSeconds(30));

    private final SimulatedNode node = start();
    private final TestTable table =
            TestTable.create(node.engine(), "t", Orientation.COLUMN, true, 1);

    @Test
    void whatComesLaterWaitsUntilThePostponedBatchCameAgain() throws IOException {
        CompletableFuture<Lsn> logged = stop();
        CompletableFuture<Lsn> first = write(1, 8, "first");
        pass(Duration.ofSeconds(20));
        CompletableFuture<Lsn> second = write(2, 8, "second");
        pass(Duration.ofSeconds(15));
        assertBusy(first);
        assertThat(second).as("not held for long yet").isNotDone();
        go(logged);
        assertBusy(second);
        assertBusy(write(3, 8, "third"));
        assertThat(node.await(write(1, 8, "first"))).isGreaterThan(logged.join());
        node.await(write(2, 8, "second"));
        assertThat(table.planned(node, node.openSnapshot())).containsEntry(8L, "second:0");
        node.await(write(3, 8, "third"));
        node.await(write(4, 8, "fourth"));
        node.await(write(2, 8, "second")); // an old one once more
        assertThat(table.planned(node, node.openSnapshot())).containsEntry(8L, "fourth:0");
    }

    @Test
    void aPostponedBatchIsNeverTakenForAnAppliedOne() throws IOException {
        postpone();
        // more than a shard remembers one by one of a writer
        for (int sequence = 2; sequence < 400; sequence++) {
            assertBusy(write(sequence, 9, "later"));
        }
        node.await(node.engine().flush(table.id()));
        node.restart(); // which knows the highest batch of a writer only
        node.await(write(1, 8, "postponed"));
        assertThat(table.planned(node, node.openSnapshot()))
                .containsEntry(8L, "postponed:0")
                .containsEntry(9L, "name:9");
    }

    @Test
    void otherWritersGoOn() throws IOException {
        postpone();
        node.await(table.upsert(node.engine(), 8, "other", 1));
        assertBusy(write(2, 9, "later"));
        assertThat(table.planned(node, node.openSnapshot())).containsEntry(8L, "other:1");
    }

    @Test
    void aRepetitionOfAnAppliedBatchIsAnsweredAsSuchHoweverLongItWaits() throws IOException {
        Lsn lsn = node.await(write(1, 8, "applied"));
        CompletableFuture<Lsn> logged = stop();
        CompletableFuture<Lsn> again = write(1, 8, "applied");
        pass(Duration.ofSeconds(35));
        assertThat(again).isCompletedWithValue(lsn);
        go(logged);
        node.await(write(2, 8, "next"));
        assertThat(table.planned(node, node.openSnapshot())).containsEntry(8L, "next:0");
    }

    @Test
    void aPostponedBatchThatIsRefusedForGoodHoldsNothingUp() throws IOException {
        postpone();
        node.await(
                node.engine()
                        .alterTable(
                                table.id(),
                                1,
                                new ColumnChange(
                                        ColumnChange.Kind.ADD,
                                        List.of(),
                                        Optional.of("more"),
                                        Optional.of(DataType.parse("bigint")),
                                        Optional.empty())));
        assertRefused(ErrorCode.STALE_TABLE, () -> node.await(write(1, 8, "postponed")));
        WriteBatchBuilder builder = new WriteBatchBuilder(table.id(), 2);
        builder.delete(table.key(9));
        byte[] batch = builder.toByteArray();
        node.await(node.engine().write(table.shard(9), WRITER, 2, batch, 0, batch.length));
        assertThat(table.snapshot(node.engine(), node.openSnapshot())).doesNotContainKey(9L);
    }

    /**
     * Else it would come before conditional ones of its writer, which are refused at the change.
     */
    @Test
    void aBatchIsRefusedWhoseTableChangedWhileItWasHeld() throws IOException {
        CompletableFuture<Lsn> logged = stop();
        CompletableFuture<Lsn> held = write(1, 8, "held");
        node.store().setFaults(StoreFaults.NONE);
        TableSchema changed =
                node.await(
                        node.engine()
                                .alterTable(
                                        table.id(),
                                        1,
                                        ColumnChange.addColumn(
                                                "more",
                                                DataType.parse("bigint"),
                                                Optional.empty())));
        assertThat(held).isNotDone();
        go(logged);
        assertRefused(ErrorCode.STALE_TABLE, () -> node.await(held));
        LookedUpRows found =
                node.engine().lookup(table.id(), Optional.empty(), List.of(table.key(8)));
        BinaryRow row = new BinaryRow(RowLayout.of(changed.columns()));
        assertThat(row.wrap(found.rows().getFirst().orElseThrow()).stringAt(1)).isEqualTo("name");
    }

    /** Lets the writer's first batch be refused as BUSY. */
    private void postpone() {
        CompletableFuture<Lsn> logged = stop();
        CompletableFuture<Lsn> postponed = write(1, 8, "postponed");
        pass(Duration.ofSeconds(35));
        assertBusy(postponed);
        go(logged);
    }

    /** From here on writes are held: an earlier one waits for the store. */
    private CompletableFuture<Lsn> stop() {
        for (long id = 0; id < 20; id++) {
            node.await(table.upsert(node.engine(), id, "name", id));
        }
        node.await(node.engine().flush(table.id()));
        node.store().setFaults(StoreFaults.OUTAGE);
        CompletableFuture<Lsn> logged = table.upsert(node.engine(), 7, "logged", 1);
        node.tick(500);
        assertThat(node.engine().status().gates().state()).as("stopped").isEqualTo(2);
        return logged;
    }

    private void go(CompletableFuture<Lsn> logged) {
        node.store().setFaults(StoreFaults.NONE);
        node.await(logged);
        node.tick(500);
        assertThat(node.engine().status().gates().state()).isZero();
    }

    private void pass(Duration time) {
        for (long millis = 0; millis < time.toMillis(); millis += 500) {
            node.tick(500);
        }
    }

    private CompletableFuture<Lsn> write(long sequence, long id, String name) {
        WriteBatchBuilder batch = table.batch();
        batch.upsert(table.key(id), table.row(id, name, 0));
        byte[] bytes = batch.toByteArray();
        return node.engine().write(table.shard(id), WRITER, sequence, bytes, 0, bytes.length);
    }

    private void assertBusy(CompletableFuture<Lsn> write) {
        assertRefused(ErrorCode.BUSY, () -> node.await(write));
    }

    private static SimulatedNode start() {
        try {
            return SimulatedNode.start(OPTIONS, 3);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
