package io.stele.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.node.EngineThreads;
import io.stele.engine.node.StorageOptions;
import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.engine.wal.ForwardingLogFiles;
import io.stele.engine.wal.HybridClock;
import io.stele.engine.wal.InMemoryLogFiles;
import io.stele.engine.wal.LogFiles;
import io.stele.objectstore.InMemoryObjectStore;
import io.stele.objectstore.fault.CrashPoint;
import io.stele.protocol.Lsn;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.wire.WriteBatchBuilder;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Readers while a group of the log is being written, on real threads. */
@Timeout(300)
class TestReadersBesideTheLog {
    private final ConcurrentLinkedQueue<Throwable> uncaught = new ConcurrentLinkedQueue<>();
    private final SlowLog log =
            new SlowLog(new InMemoryLogFiles(CrashPoint.never(), new SplittableRandom(1)));

    /** A log whose syncs can be held back. */
    private static final class SlowLog extends ForwardingLogFiles {
        private volatile CountDownLatch begun = new CountDownLatch(0);
        private volatile CountDownLatch mayEnd = new CountDownLatch(0);

        SlowLog(LogFiles files) {
            super(files);
        }

        void holdNext() {
            mayEnd = new CountDownLatch(1);
            begun = new CountDownLatch(1);
        }

        @Override
        public Writer create(long segment) throws IOException {
            return new ForwardingWriter(super.create(segment)) {
                @Override
                public void sync() throws IOException {
                    begun.countDown();
                    try {
                        mayEnd.await();
                    } catch (InterruptedException stopped) {
                        Thread.currentThread().interrupt();
                    }
                    super.sync();
                }
            };
        }
    }

    @Test
    void aSnapshotDoesNotWaitForWhatIsBeingWritten() throws Exception {
        try (EngineThreads threads =
                        EngineThreads.start(
                                2,
                                2,
                                System::nanoTime,
                                task -> Thread.ofPlatform().daemon().unstarted(task),
                                uncaught::add);
                StorageEngine engine =
                        StorageEngine.open(
                                StorageOptions.DEFAULT,
                                new InMemoryObjectStore(),
                                log,
                                new HybridClock(System::currentTimeMillis),
                                threads)) {
            TestTable table = TestTable.create(engine, "t", Orientation.ROW, true, 2);
            table.upsert(engine, 1, "acknowledged", 1).get(120, TimeUnit.SECONDS);

            log.holdNext();
            CompletableFuture<Lsn> write = table.upsert(engine, 2, "being written", 2);
            log.begun.await();
            LeasedSnapshot beside = open(engine);
            assertThat(write).isNotDone();
            assertThat(table.snapshot(engine, beside)).isEqualTo(Map.of(1L, "acknowledged:1"));
            // A transaction that began meanwhile conflicts with what it did not see
            String loser = engine.beginTransaction(table.id(), Optional.of(beside.lsn()));
            WriteBatchBuilder batch = table.batch();
            batch.upsert(table.key(2), table.row(2, "loser", 0));
            engine.stage(loser, table.shard(2), batch.toByteArray(), 0, batch.sizeBytes());
            CompletableFuture<Lsn> commit = engine.commit(loser, List.of(), Optional.empty());
            log.mayEnd.countDown();

            Lsn written = write.get(120, TimeUnit.SECONDS);
            assertThat(written).isGreaterThan(beside.lsn());
            LeasedSnapshot after = open(engine);
            assertThat(after.lsn()).isGreaterThanOrEqualTo(written);
            assertThat(table.snapshot(engine, after))
                    .isEqualTo(Map.of(1L, "acknowledged:1", 2L, "being written:2"));
            assertThat(commit.handle((lsn, failed) -> failed).get(120, TimeUnit.SECONDS))
                    .hasMessageContaining("conflicts");

            // A table that is created while a group is being written is found
            log.holdNext();
            CompletableFuture<Lsn> next = table.upsert(engine, 3, "next", 3);
            log.begun.await();
            TestTable created = TestTable.create(engine, "created", Orientation.ROW, true, 1);
            CompletableFuture<LeasedSnapshot> opening =
                    engine.openSnapshot(Optional.empty(), Duration.ofMinutes(5));
            log.mayEnd.countDown();
            LeasedSnapshot later = opening.get(120, TimeUnit.SECONDS);
            assertThat(created.snapshot(engine, later)).isEmpty();
            assertThat(engine.tableAsOf(later, created.id())).isNotNull();
            next.get(120, TimeUnit.SECONDS);
        }
        assertThat(uncaught).isEmpty();
    }

    private static LeasedSnapshot open(StorageEngine engine) throws Exception {
        return engine.openSnapshot(Optional.empty(), Duration.ofMinutes(5))
                .get(120, TimeUnit.SECONDS);
    }
}
