package io.stele.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.wal.HybridClock;
import io.stele.engine.wal.InMemoryLogFiles;
import io.stele.objectstore.ForwardingObjectStore;
import io.stele.objectstore.InMemoryObjectStore;
import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.fault.CrashPoint;
import io.stele.protocol.Lsn;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.wire.WriteBatchBuilder;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Pools of real threads, all of whose threads wait for the store. */
class TestBlockedPools {
    private final CopyOnWriteArrayList<Throwable> uncaught = new CopyOnWriteArrayList<>();

    @Test
    @Timeout(60)
    void aTransactionIsDecidedWhileNoManifestCanBeStored() throws Exception {
        StuckStore store = new StuckStore(new InMemoryObjectStore());
        EngineThreads threads =
                EngineThreads.start(2, 2, System::nanoTime, Thread::new, uncaught::add);
        try (StorageEngine engine =
                StorageEngine.open(
                        StorageOptions.DEFAULT.withMemTables(1 << 20, 1 << 30, Duration.ofHours(1)),
                        store,
                        new InMemoryLogFiles(CrashPoint.never(), new SplittableRandom(1)),
                        new HybridClock(System::currentTimeMillis),
                        threads)) {
            TestTable flushed = TestTable.create(engine, "flushed", Orientation.ROW, true, 2);
            TestTable changed = TestTable.create(engine, "changed", Orientation.ROW, true, 1);
            for (long id = 0; id < 20; id++) {
                flushed.upsert(engine, id, "row", id).get(30, TimeUnit.SECONDS);
            }
            store.stick();
            CompletableFuture<?> flush = engine.flush(flushed.id());
            store.stuck.await(); // both threads for short tasks have a manifest in hand
            String transaction = engine.beginTransaction(changed.id(), Optional.empty());
            WriteBatchBuilder batch = changed.batch();
            batch.upsert(changed.key(1), changed.row(1, "row", 1));
            engine.stage(transaction, changed.shard(1), batch.toByteArray(), 0, batch.sizeBytes());

            Lsn lsn =
                    engine.commit(transaction, List.of(), Optional.empty())
                            .get(20, TimeUnit.SECONDS);
            assertThat(lsn).isGreaterThan(Lsn.MIN);
            assertThat(flush).isNotDone();
            store.free();
            flush.get(30, TimeUnit.SECONDS);
        } finally {
            store.free();
            threads.close();
        }
        assertThat(uncaught).isEmpty();
    }

    /** A store that, when told, answers to no creation of a manifest. */
    private static final class StuckStore extends ForwardingObjectStore {
        private final CountDownLatch stuck = new CountDownLatch(2);
        private final CountDownLatch freed = new CountDownLatch(1);
        private volatile boolean sticks;

        StuckStore(ObjectStore store) {
            super(store);
        }

        void stick() {
            sticks = true;
        }

        void free() {
            freed.countDown();
        }

        @Override
        public boolean createIfAbsent(String path, byte[] content) throws IOException {
            if (sticks && path.startsWith("manifest/")) {
                stuck.countDown();
                try {
                    freed.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw new IOException(e);
                }
            }
            return super.createIfAbsent(path, content);
        }
    }
}
