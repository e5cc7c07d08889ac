package io.stele.engine;

import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.node.CacheOptions;
import io.stele.engine.node.EngineThreads;
import io.stele.engine.node.StorageOptions;
import io.stele.engine.wal.HybridClock;
import io.stele.engine.wal.InMemoryLogFiles;
import io.stele.objectstore.FarObjectStore;
import io.stele.objectstore.ForwardingObjectStore;
import io.stele.objectstore.InMemoryObjectStore;
import io.stele.objectstore.ObjectEntry;
import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.fault.CrashPoint;
import io.stele.protocol.Lsn;
import io.stele.protocol.api.write.WrittenFile;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.wire.WriteBatchBuilder;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Commits that are checked against files of a store that does not answer for a while. */
class TestCommitPrefetch {
    private final CopyOnWriteArrayList<Throwable> uncaught = new CopyOnWriteArrayList<>();

    @ParameterizedTest
    @CsvSource({"ROW,false", "COLUMN,false", "COLUMN,true"})
    @Timeout(600)
    void othersWriteWhileTheStoreKeepsACommitWaiting(Orientation orientation, boolean byFile)
            throws Exception {
        StuckReads store = new StuckReads(new InMemoryObjectStore());
        EngineThreads threads =
                EngineThreads.start(2, 2, System::nanoTime, Thread::new, uncaught::add);
        try (StorageEngine engine =
                StorageEngine.open(
                        StorageOptions.DEFAULT
                                .withCaches(new CacheOptions(1, 1, 0, 1, 0, 0))
                                .withMemTables(1 << 20, 1 << 30, Duration.ofHours(1)),
                        new FarObjectStore(
                                store,
                                task -> Thread.ofPlatform().daemon().start(task),
                                System::nanoTime),
                        new InMemoryLogFiles(CrashPoint.never(), new SplittableRandom(1)),
                        new HybridClock(System::currentTimeMillis),
                        threads)) {
            TestTable changed = TestTable.create(engine, "changed", orientation, true, 1);
            TestTable other = TestTable.create(engine, "other", Orientation.COLUMN, false, 1);
            Lsn readLsn = changed.upsert(engine, 0, "row", 0).get(120, TimeUnit.SECONDS);
            for (long id = 1; id < 200; id++) {
                changed.upsert(engine, id, "row", id).get(120, TimeUnit.SECONDS);
            }
            engine.flush(changed.id()).get(120, TimeUnit.SECONDS);
            Set<String> present =
                    store.list("data/").stream().map(ObjectEntry::path).collect(toSet());
            String transaction = engine.beginTransaction(changed.id(), Optional.of(readLsn));
            List<WrittenFile> written = new ArrayList<>();
            if (byFile) {
                written.add(
                        WorkerFiles.write(
                                store,
                                changed.schema(),
                                changed::key,
                                changed.shard(0),
                                "w",
                                List.of(
                                        new WorkerFiles.Row(0, "again", 0),
                                        new WorkerFiles.Row(500, "new", 500))));
            } else {
                WriteBatchBuilder batch = changed.batch();
                batch.upsert(changed.key(500), changed.row(500, "new", 500));
                batch.upsert(changed.key(0), changed.row(0, "again", 0));
                engine.stage(
                        transaction, changed.shard(0), batch.toByteArray(), 0, batch.sizeBytes());
            }

            store.stick(present);
            CompletableFuture<Lsn> commit = engine.commit(transaction, written, Optional.empty());
            store.stuck.await();
            WriteBatchBuilder rows = other.batch();
            rows.append(other.row(1, "other", 1));
            assertThat(changed.shard(0)).isEqualTo(other.schema().shards().getFirst());
            other.write(engine, changed.shard(0), rows).get(120, TimeUnit.SECONDS);
            assertThat(commit).isNotDone();
            store.free();
            commit.get(120, TimeUnit.SECONDS);
            for (WrittenFile file : written) {
                String whole =
                        "%s from 0 to %s"
                                .formatted(
                                        file.keyIndexPath().orElseThrow(),
                                        file.keyIndexSizeBytes());
                assertThat(store.reads).as("one opens it for all").containsOnlyOnce(whole);
            }
        } finally {
            store.free();
            threads.close();
        }
        assertThat(uncaught).isEmpty();
    }

    /** A store that, once told to, answers to no read of some objects until it is freed. */
    private static final class StuckReads extends ForwardingObjectStore {
        private final CountDownLatch stuck = new CountDownLatch(1);
        private final CountDownLatch freed = new CountDownLatch(1);
        private final List<String> reads = new CopyOnWriteArrayList<>();
        private volatile Set<String> sticking = Set.of();

        StuckReads(ObjectStore store) {
            super(store);
        }

        void stick(Set<String> paths) {
            sticking = paths;
        }

        void free() {
            freed.countDown();
        }

        @Override
        public void read(String path, long offset, byte[] buffer, int bufferOffset, int length)
                throws IOException {
            reads.add(path + " from " + offset + " to " + (offset + length));
            if (sticking.contains(path)) {
                stuck.countDown();
                try {
                    freed.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw new InterruptedIOException("Interrupted while the store was stuck");
                }
            }
            super.read(path, offset, buffer, bufferOffset, length);
        }
    }
}
