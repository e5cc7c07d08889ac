package io.stele.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.node.EngineThreads;
import io.stele.engine.node.StorageOptions;
import io.stele.engine.wal.HybridClock;
import io.stele.engine.wal.InMemoryLogFiles;
import io.stele.engine.wal.LogFiles;
import io.stele.objectstore.ForwardingObjectStore;
import io.stele.objectstore.InMemoryObjectStore;
import io.stele.objectstore.ObjectEntry;
import io.stele.objectstore.ObjectReader;
import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.fault.CrashPoint;
import io.stele.protocol.schema.Orientation;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a start reads of a store, and what it opens then, with pools of real threads. */
class TestStartReads {
    private static final int AT_ONCE = 8;

    private final CopyOnWriteArrayList<Throwable> uncaught = new CopyOnWriteArrayList<>();
    private final InMemoryObjectStore store = new InMemoryObjectStore();
    private final LogFiles log = new InMemoryLogFiles(CrashPoint.never(), new SplittableRandom(1));

    /** Of two tables with four shards each nobody is opened before eight files are asked for. */
    @Test
    @Timeout(300)
    void filesOfAllShardsAndTablesAreOpenedSideBySide() throws Exception {
        List<TestTable> tables = new ArrayList<>();
        try (EngineThreads threads = threads();
                StorageEngine engine = open(store, threads)) {
            for (Orientation orientation : List.of(Orientation.ROW, Orientation.COLUMN)) {
                TestTable table =
                        TestTable.create(engine, "t" + tables.size(), orientation, true, 4);
                for (long id = 0; id < 100; id++) {
                    table.upsert(engine, id, "row", id).get(120, TimeUnit.SECONDS);
                }
                engine.flush(table.id()).get(120, TimeUnit.SECONDS);
                tables.add(table);
            }
        }
        TogetherStore together = new TogetherStore(store);
        try (EngineThreads threads = threads();
                StorageEngine engine = open(together, threads)) {
            assertThat(together.asked.await(120, TimeUnit.SECONDS)).isTrue();
            for (TestTable table : tables) {
                assertThat(table.get(engine, Optional.empty(), 77)).isPresent();
            }
        }
        assertThat(uncaught).isEmpty();
    }

    /** Which tables have data files is asked for before the catalog is known. */
    @Test
    @Timeout(300)
    void foldersOfDataFilesAreListedBesideTheRest() throws Exception {
        try (EngineThreads threads = threads();
                StorageEngine engine = open(store, threads)) {
            TestTable table = TestTable.create(engine, "t", Orientation.ROW, true, 1);
            table.upsert(engine, 1, "row", 1).get(120, TimeUnit.SECONDS);
            engine.flush(table.id()).get(120, TimeUnit.SECONDS);
        }
        CountDownLatch dataAsked = new CountDownLatch(1);
        CountDownLatch catalogRead = new CountDownLatch(1);
        ObjectStore ordered =
                new ForwardingObjectStore(store) {
                    @Override
                    public List<String> folders(String folder) throws IOException {
                        dataAsked.countDown();
                        await(catalogRead);
                        return super.folders(folder);
                    }

                    @Override
                    public void forEach(String prefix, Consumer<ObjectEntry> action)
                            throws IOException {
                        if (prefix.equals("catalog/")) {
                            await(dataAsked);
                            catalogRead.countDown();
                        }
                        super.forEach(prefix, action);
                    }
                };
        try (EngineThreads threads = threads();
                StorageEngine engine = open(ordered, threads)) {
            assertThat(engine.catalog().current().tables()).hasSize(1);
        }
        assertThat(uncaught).isEmpty();
    }

    /** The list of all data files takes minutes for a million of them. */
    @Test
    @Timeout(300)
    void tablesAreServedBeforeDataFilesAreListed() throws Exception {
        try (EngineThreads threads = threads();
                StorageEngine engine = open(store, threads)) {
            TestTable table = TestTable.create(engine, "t", Orientation.ROW, true, 1);
            table.upsert(engine, 1, "row", 1).get(120, TimeUnit.SECONDS);
            engine.flush(table.id()).get(120, TimeUnit.SECONDS);
        }
        CountDownLatch served = new CountDownLatch(1);
        CountDownLatch listed = new CountDownLatch(1);
        ObjectStore slow =
                new ForwardingObjectStore(store) {
                    @Override
                    public void forEach(String prefix, Consumer<ObjectEntry> action)
                            throws IOException {
                        if (prefix.startsWith("data/")) {
                            await(served);
                            listed.countDown();
                        }
                        super.forEach(prefix, action);
                    }
                };
        try (EngineThreads threads = threads();
                StorageEngine engine = open(slow, threads)) {
            TestTable table = TestTable.create(engine, "u", Orientation.ROW, true, 1);
            table.upsert(engine, 1, "row", 1).get(120, TimeUnit.SECONDS);
            engine.flush(table.id()).get(120, TimeUnit.SECONDS);
            served.countDown();
            await(listed);
        }
        assertThat(uncaught).isEmpty();
    }

    private static void await(CountDownLatch latch) throws IOException {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    private EngineThreads threads() {
        return EngineThreads.start(2, 2, System::nanoTime, Thread::new, uncaught::add);
    }

    private StorageEngine open(ObjectStore warehouse, EngineThreads threads) throws IOException {
        return StorageEngine.open(
                StorageOptions.DEFAULT.withMemTables(1 << 20, 1 << 30, Duration.ofHours(1)),
                warehouse,
                log,
                new HybridClock(System::currentTimeMillis),
                threads);
    }

    /** A store that answers about files when enough of them are asked for. */
    private static final class TogetherStore extends ForwardingObjectStore {
        private final CountDownLatch asked = new CountDownLatch(AT_ONCE);

        TogetherStore(ObjectStore store) {
            super(store);
        }

        @Override
        public ObjectReader open(String path, long sizeBytes) throws IOException {
            if (path.startsWith("data/")) {
                asked.countDown();
                await(asked);
            }
            return super.open(path, sizeBytes);
        }
    }
}
