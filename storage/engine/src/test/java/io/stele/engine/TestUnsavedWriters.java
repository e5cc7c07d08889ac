package io.stele.engine;

import static io.stele.engine.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.node.StorageOptions;
import io.stele.engine.wal.LogOptions;
import io.stele.objectstore.ForwardingObjectStore;
import io.stele.objectstore.ObjectEntry;
import io.stele.objectstore.ObjectWriter;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.wire.OperationKind;
import io.stele.protocol.wire.WriteBatchBuilder;
import java.io.IOException;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What a shard answered to writers does not hold the log for longer than rows in memory do. */
final class TestUnsavedWriters {
    private static final long AGE_MILLIS = 60_000;
    private static final StorageOptions OPTIONS =
            StorageOptions.DEFAULT
                    .withMemTables(1 << 20, 1 << 30, Duration.ofMillis(AGE_MILLIS))
                    .withLog(new LogOptions(4096, 1 << 20, 1 << 16, 1 << 16, Duration.ZERO));

    private static final UUID WRITER = new UUID(9, 9);

    private final SimulatedNode node = SimulatedNode.start(OPTIONS, 3);
    private final TestTable quiet =
            TestTable.create(node.engine(), "quiet", Orientation.ROW, true, 1);
    private final TestTable busy =
            TestTable.create(node.engine(), "busy", Orientation.ROW, true, 2);

    TestUnsavedWriters() throws IOException {}

    @Test
    void aRefusedBatchOnAQuietShardIsSavedAndLetsTheLogGo() throws IOException {
        node.await(quiet.upsert(node.engine(), 1, "there", 1));
        node.await(node.engine().flush(quiet.id()));
        assertDuplicate(insert(), 77);
        assertLogGoesAfterAge();
        node.restart();
        assertDuplicate(insert(), 77); // a repetition, answered as before
        node.await(quiet.delete(node.engine(), 1));
        assertDuplicate(insert(), 77);
        assertThat(quiet.snapshot(node.engine(), node.openSnapshot())).isEmpty();
    }

    @Test
    void batchesThatAStartFindsAgainLetTheLogGo() throws IOException {
        for (long id = 0; id < 10; id++) {
            node.await(quiet.upsert(node.engine(), id, "row", id));
        }
        node.await(node.engine().flush(quiet.id()));
        node.restart();
        assertLogGoesAfterAge();
        assertThat(quiet.snapshot(node.engine(), node.openSnapshot())).hasSize(10);
        long version = node.engine().status().shards().getFirst().manifestVersion();
        node.tick(10 * AGE_MILLIS);
        node.tick(10 * AGE_MILLIS);
        assertThat(node.engine().status().shards().getFirst().manifestVersion())
                .as("nothing more to save")
                .isEqualTo(version);
    }

    /**
     * Deletions in a manifest are ahead of the log behind which it starts, unless the rows that
     * made them come with it: an older version of a row would be found at a snapshot.
     */
    @Test
    void whatIsSavedForWritersHasNoDeletions() throws IOException {
        FailingFiles files = new FailingFiles();
        SimulatedNode other =
                SimulatedNode.start(
                        OPTIONS,
                        4,
                        store ->
                                new ForwardingObjectStore(store) {
                                    @Override
                                    public ObjectWriter create(String path) throws IOException {
                                        files.check(path);
                                        return super.create(path);
                                    }
                                });
        TestTable table = TestTable.create(other.engine(), "t", Orientation.COLUMN, true, 1);
        other.await(table.upsert(other.engine(), 1, "of before", 1));
        other.await(other.engine().flush(table.id()));
        WriteBatchBuilder refused = table.batch();
        table.insert(refused, OperationKind.INSERT, 1, "refused", 1);
        byte[] batch = refused.toByteArray();
        assertRefused(
                ErrorCode.DUPLICATE_KEY,
                () ->
                        other.await(
                                other.engine()
                                        .write(
                                                table.schema().shard(0),
                                                WRITER,
                                                7,
                                                batch,
                                                0,
                                                batch.length)));
        other.await(table.upsert(other.engine(), 1, "of after", 2)); // deletes the first, in memory
        long version = other.engine().status().shards().getFirst().manifestVersion();
        files.fail = true;
        for (int tick = 0; tick < 5; tick++) {
            other.tick(AGE_MILLIS);
        }
        assertThat(other.engine().status().shards().getFirst().manifestVersion())
                .as("the writer is saved while the rows cannot be flushed")
                .isGreaterThan(version);
        assertThat(other.store().list("data/"))
                .extracting(ObjectEntry::path)
                .isNotEmpty()
                .noneMatch(path -> path.contains(".dv-"));
        other.restart();
        assertThat(table.snapshot(other.engine(), other.openSnapshot())).hasSize(1);
        files.fail = false;
        other.await(other.engine().flush(table.id()));
        other.restart();
        assertThat(table.snapshot(other.engine(), other.openSnapshot())).hasSize(1);
    }

    /** Whether data files can be written. */
    private static final class FailingFiles {
        private boolean fail;

        void check(String path) throws IOException {
            if (fail && path.endsWith(".orc")) {
                throw new IOException("No room for " + path);
            }
        }
    }

    private void assertLogGoesAfterAge() {
        for (long id = 0; id < 100; id++) {
            node.await(busy.upsert(node.engine(), id, "x".repeat(200), id));
        }
        node.await(node.engine().flush(busy.id()));
        node.tick(1_000);
        node.tick(1_000);
        long held = node.engine().status().log().firstSegment();
        node.tick(AGE_MILLIS);
        for (int tick = 0; tick < 4; tick++) {
            node.tick(1_000);
        }
        assertThat(node.engine().status().log().firstSegment()).isGreaterThan(held + 2);
    }

    private byte[] insert() {
        WriteBatchBuilder batch = quiet.batch();
        quiet.insert(batch, OperationKind.INSERT, 1, "refused", 1);
        return batch.toByteArray();
    }

    private void assertDuplicate(byte[] batch, long sequence) {
        assertRefused(
                ErrorCode.DUPLICATE_KEY,
                () ->
                        node.await(
                                node.engine()
                                        .write(
                                                quiet.schema().shard(0),
                                                WRITER,
                                                sequence,
                                                batch,
                                                0,
                                                batch.length)));
    }
}
