package io.stele.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.job.Job;
import io.stele.engine.job.JobKey;
import io.stele.engine.node.EngineThreads;
import io.stele.engine.node.StorageOptions;
import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.engine.wal.HybridClock;
import io.stele.engine.wal.InMemoryLogFiles;
import io.stele.objectstore.ForwardingObjectStore;
import io.stele.objectstore.InMemoryObjectStore;
import io.stele.objectstore.ObjectEntry;
import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.ObjectWriter;
import io.stele.objectstore.fault.CrashPoint;
import io.stele.protocol.api.maintenance.JobKind;
import io.stele.protocol.api.maintenance.JobState;
import io.stele.protocol.api.maintenance.JobStatus;
import io.stele.protocol.schema.IndexSchema;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableOption;
import io.stele.protocol.schema.TableOptions;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Long work, on real threads, that is cancelled while it writes files. */
@Timeout(300)
class TestCancelledWork {
    private static final long ROWS = 3_000;
    private static final List<IndexSchema> INDEXES =
            List.of(
                    new IndexSchema(1, "by_name", List.of(2), false, false),
                    new IndexSchema(2, "by_amount", List.of(3), false, false));

    private final CopyOnWriteArrayList<Throwable> uncaught = new CopyOnWriteArrayList<>();
    private final InMemoryObjectStore objects = new InMemoryObjectStore();
    private final HeldStore store = new HeldStore(objects);
    private final EngineThreads threads =
            EngineThreads.start(
                    2, 2, System::nanoTime, Thread.ofPlatform().daemon().factory(), uncaught::add);

    @ParameterizedTest
    @EnumSource(
            value = Orientation.class,
            names = {"ROW", "COLUMN"})
    void aCompactionStopsInTheMiddleAndLeavesNothing(Orientation orientation) throws Exception {
        try (StorageEngine engine = open()) {
            TestTable table = TestTable.create(engine, "t", orientation, true, 1);
            for (int file = 0; file < 2; file++) {
                fill(engine, table, file);
            }
            store.holdAfter(orientation == Orientation.ROW ? 2 : 1);
            Job job = engine.runJob(key(JobKind.COMPACT, table), Optional.of("alice"));
            store.held.await();
            JobStatus atWork = job.status();
            assertThat(atWork.state()).isEqualTo(JobState.RUNNING);
            assertThat(atWork.total()).isPositive();
            assertThat(atWork.done()).isBetween(0L, atWork.total());
            assertThat(engine.runJob(key(JobKind.COMPACT, table), Optional.empty()))
                    .as("it is found when called twice")
                    .isSameAs(job);

            engine.jobs().cancel(job.id(), Optional.empty());
            assertThat(job.ended().get(120, TimeUnit.SECONDS).state())
                    .as("nobody waits for the store")
                    .isEqualTo(JobState.CANCELLED);
            List<String> written = List.copyOf(store.created);
            store.free();
            // It begins when the one that was stopped is over
            Job next = engine.runJob(key(JobKind.COMPACT, table), Optional.empty());
            assertThat(next.ended().get(120, TimeUnit.SECONDS).state())
                    .isEqualTo(JobState.FINISHED);
            assertThat(next.status().done()).isPositive().isEqualTo(next.status().total());
            assertGone(written);
            assertThat(table.snapshot(engine, openSnapshot(engine))).hasSize((int) ROWS);
        } finally {
            end();
        }
        assertThat(uncaught).isEmpty();
    }

    @Test
    void aMergeThatAnotherCallerWaitsForGoesOn() throws Exception {
        try (StorageEngine engine = open()) {
            TestTable table = TestTable.create(engine, "t", Orientation.ROW, true, 1);
            for (int file = 0; file < 2; file++) {
                fill(engine, table, file);
            }
            store.holdAfter(2);
            Job job = engine.runJob(key(JobKind.COMPACT, table), Optional.empty());
            store.held.await();
            String written = store.created.getFirst();
            CompletableFuture<?> other = engine.compact(table.id());
            // Who flushes later waits behind it on the shard's context: so does the cancellation
            engine.flush(table.id()).get(120, TimeUnit.SECONDS);
            engine.jobs().cancel(job.id(), Optional.empty());
            job.ended().get(120, TimeUnit.SECONDS);
            store.free();
            other.get(120, TimeUnit.SECONDS);
            assertThat(paths()).contains(written);
        } finally {
            end();
        }
        assertThat(uncaught).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(
            value = Orientation.class,
            names = {"ROW", "COLUMN"})
    void anIndexBuildStopsAndItsIndexIsDropped(Orientation orientation) throws Exception {
        try (StorageEngine engine = open()) {
            TestTable table = TestTable.create(engine, "t", orientation, true, 1);
            fill(engine, table, 0);
            store.holdAfter(1);
            engine.catalog()
                    .setOptions(
                            table.id(),
                            List.of(TableOption.INDEXES),
                            TableOptions.NONE.withIndexes(INDEXES));
            store.held.await();
            Job atWork = build(engine, table, "by_name");
            Job queued = build(engine, table, "by_amount");
            assertThat(atWork.status().state()).isEqualTo(JobState.RUNNING);
            assertThat(atWork.status().total()).isEqualTo(ROWS);
            assertThat(queued.status().state()).isEqualTo(JobState.QUEUED);
            List<String> written = List.copyOf(store.created);

            engine.jobs().cancel(atWork.id(), Optional.empty());
            assertThat(atWork.ended()).as("its step is not over").isNotDone();
            store.free();
            assertThat(atWork.ended().get(120, TimeUnit.SECONDS).state())
                    .isEqualTo(JobState.CANCELLED);
            assertThat(queued.ended().get(120, TimeUnit.SECONDS).state())
                    .isEqualTo(JobState.FINISHED);
            assertThat(queued.status().done()).isEqualTo(ROWS);
            assertThat(engine.catalog().current().table(table.id()).options().indexes())
                    .extracting(IndexSchema::name)
                    .containsExactly("by_amount");
            assertGone(written);
        } finally {
            end();
        }
        assertThat(uncaught).isEmpty();
    }

    @Test
    void anIndexBuildThatIsQueuedNeedsNoTurnToBeCancelled() throws Exception {
        try (StorageEngine engine = open()) {
            TestTable table = TestTable.create(engine, "t", Orientation.ROW, true, 1);
            fill(engine, table, 0);
            store.holdAfter(1);
            engine.catalog()
                    .setOptions(
                            table.id(),
                            List.of(TableOption.INDEXES),
                            TableOptions.NONE.withIndexes(INDEXES));
            store.held.await();
            Job queued = build(engine, table, "by_amount");
            engine.jobs().cancel(queued.id(), Optional.empty());
            assertThat(queued.ended().get(120, TimeUnit.SECONDS).state())
                    .isEqualTo(JobState.CANCELLED);
            assertThat(build(engine, table, "by_name").ended()).isNotDone();
            store.free();
            engine.awaitIndexes(table.id()).get(120, TimeUnit.SECONDS);
            assertThat(engine.catalog().current().table(table.id()).options().indexes())
                    .extracting(IndexSchema::name)
                    .containsExactly("by_name");
        } finally {
            end();
        }
        assertThat(uncaught).isEmpty();
    }

    private StorageEngine open() throws IOException {
        return StorageEngine.open(
                StorageOptions.DEFAULT
                        .withMemTables(1 << 20, 1 << 30, Duration.ofHours(1))
                        .withRetention(Duration.ofMillis(1))
                        .withTargetFileBytes(20_000),
                store,
                new InMemoryLogFiles(CrashPoint.never(), new SplittableRandom(1)),
                new HybridClock(System::currentTimeMillis),
                threads);
    }

    private void end() {
        store.free();
        threads.close();
    }

    private static JobKey key(JobKind kind, TestTable table) {
        return new JobKey(kind, table.id(), Optional.empty());
    }

    private static Job build(StorageEngine engine, TestTable table, String name) {
        long id =
                engine.catalog().current().table(table.id()).options().indexes().stream()
                        .filter(index -> index.name().equals(name))
                        .findFirst()
                        .orElseThrow()
                        .id();
        return engine.runJob(
                new JobKey(JobKind.BUILD_INDEX, table.id(), Optional.of(id)), Optional.empty());
    }

    /** All rows, or so few of them that no compaction begins by itself, in a file. */
    private static void fill(StorageEngine engine, TestTable table, long amount) throws Exception {
        SplittableRandom random = new SplittableRandom(amount);
        WriteBatchBuilder rows = table.batch();
        for (long id = 0; id < (amount == 0 ? ROWS : ROWS / 20); id++) {
            rows.upsert(table.key(id), table.row(id, Long.toHexString(random.nextLong()), amount));
        }
        table.write(engine, table.schema().shard(0), rows).get(120, TimeUnit.SECONDS);
        engine.flush(table.id()).get(120, TimeUnit.SECONDS);
    }

    private static LeasedSnapshot openSnapshot(StorageEngine engine) throws Exception {
        return engine.openSnapshot(Optional.empty(), Duration.ofHours(1))
                .get(120, TimeUnit.SECONDS);
    }

    private List<String> paths() throws IOException {
        return objects.list("data/").stream().map(ObjectEntry::path).toList();
    }

    private void assertGone(List<String> written) throws IOException {
        assertThat(written).isNotEmpty();
        assertThat(paths()).doesNotContainAnyElementsOf(written);
    }

    /** A store that holds up who writes data files, from one file on, until it is told. */
    private static final class HeldStore extends ForwardingObjectStore {
        private final CopyOnWriteArrayList<String> created = new CopyOnWriteArrayList<>();
        private final CountDownLatch held = new CountDownLatch(1);
        private final CountDownLatch freed = new CountDownLatch(1);
        private volatile int filesUntilHeld = Integer.MAX_VALUE;

        HeldStore(ObjectStore store) {
            super(store);
        }

        /** From now on, the writer of this file waits. */
        void holdAfter(int files) {
            created.clear();
            filesUntilHeld = files;
        }

        void free() {
            freed.countDown();
        }

        @Override
        public ObjectWriter create(String path) throws IOException {
            if (path.startsWith("data/")) {
                created.add(path);
                if (created.size() >= filesUntilHeld) {
                    held.countDown();
                    try {
                        freed.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                        throw new IOException(e);
                    }
                }
            }
            return super.create(path);
        }
    }
}
