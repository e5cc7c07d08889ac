package io.stele.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.catalog.TableState;
import io.stele.engine.node.EngineThreads;
import io.stele.engine.node.StorageOptions;
import io.stele.engine.wal.HybridClock;
import io.stele.engine.wal.InMemoryLogFiles;
import io.stele.objectstore.ForwardingObjectStore;
import io.stele.objectstore.InMemoryObjectStore;
import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.fault.CrashPoint;
import io.stele.protocol.Lsn;
import io.stele.protocol.schema.IndexSchema;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableOption;
import io.stele.protocol.schema.TableOptions;
import io.stele.protocol.wire.WriteBatchBuilder;
import io.stele.scheduler.ThreadedBackgroundPool;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Pools of real threads, all of whose threads wait for the store. */
class TestBlockedPools {
    private static final String CATALOG_THREAD = "catalog";

    private final CopyOnWriteArrayList<Throwable> uncaught = new CopyOnWriteArrayList<>();

    @Test
    @Timeout(300)
    void aTransactionIsDecidedWhileNoManifestCanBeStored() throws Exception {
        StuckStore store = new StuckStore(new InMemoryObjectStore());
        EngineThreads threads = threads();
        try (StorageEngine engine = open(store, threads)) {
            TestTable flushed = withRows(engine, "flushed");
            TestTable changed = TestTable.create(engine, "changed", Orientation.ROW, true, 1);
            store.stick("manifest/");
            CompletableFuture<?> flush = engine.flush(flushed.id());
            store.awaitStuck(2); // both threads for short tasks have a manifest in hand
            String transaction = engine.beginTransaction(changed.id(), Optional.empty());
            WriteBatchBuilder batch = changed.batch();
            batch.upsert(changed.key(1), changed.row(1, "row", 1));
            engine.stage(transaction, changed.shard(1), batch.toByteArray(), 0, batch.sizeBytes());

            Lsn lsn = get(engine.commit(transaction, List.of(), Optional.empty()));
            assertThat(lsn).isGreaterThan(Lsn.MIN);
            assertThat(flush).isNotDone();
            store.free();
            get(flush);
        } finally {
            store.free();
            threads.close();
        }
        assertThat(uncaught).isEmpty();
    }

    /** The end of a transaction and the search for the outcome of one wait for the catalog. */
    @Test
    @Timeout(300)
    void aManifestIsStoredWhileNoCatalogVersionCanBe() throws Exception {
        StuckStore store = new StuckStore(new InMemoryObjectStore());
        EngineThreads threads = threads();
        try (StorageEngine engine = open(store, threads)) {
            TestTable flushed = withRows(engine, "flushed");
            TestTable staged = staged(engine, "taken");
            String transaction = engine.beginTransaction(staged.id(), Optional.empty());
            store.stick("catalog/");
            CompletableFuture<TestTable> taking =
                    CompletableFuture.supplyAsync(
                            () -> TestTable.create(engine, "taken", Orientation.ROW, true, 1),
                            task -> Thread.ofVirtual().start(task));
            store.awaitStuck(1);
            CompletableFuture<Lsn> commit =
                    engine.commit(transaction, List.of(), Optional.of(staged.id()));
            store.freeOne();
            get(taking); // the name that the commit, decided by now or later, publishes under
            store.awaitStuck(1); // so its table is being dropped
            List<CompletableFuture<Lsn>> outcomes =
                    List.of(
                            engine.transactions().findOutcome(transaction),
                            engine.transactions().findOutcome(transaction));

            get(engine.flush(flushed.id()));
            assertThat(commit).isNotDone();
            assertThat(outcomes).noneMatch(CompletableFuture::isDone);
            store.free();
            assertThat(commit)
                    .failsWithin(30, TimeUnit.SECONDS)
                    .withThrowableThat()
                    .withMessageContaining("'test.taken' existing");
            for (CompletableFuture<Lsn> outcome : outcomes) {
                assertThat(outcome).failsWithin(30, TimeUnit.SECONDS);
            }
        } finally {
            store.free();
            threads.close();
        }
        assertThat(uncaught).isEmpty();
    }

    @Test
    @Timeout(300)
    void theEnginesOwnStatementsRunInTheirPool() throws Exception {
        Set<String> writers = ConcurrentHashMap.newKeySet();
        ObjectStore store =
                new ForwardingObjectStore(new InMemoryObjectStore()) {
                    @Override
                    public boolean createIfAbsent(String path, byte[] content) throws IOException {
                        if (path.startsWith("catalog/")) {
                            writers.add(Thread.currentThread().getName());
                        }
                        return super.createIfAbsent(path, content);
                    }
                };
        EngineThreads threads = threads();
        try (StorageEngine engine = open(store, threads)) {
            TestTable published = staged(engine, "published");
            TestTable replaced = withRows(engine, "replaced");
            String committed = engine.beginTransaction(published.id(), Optional.empty());
            String aborted =
                    engine.beginTransaction(staged(engine, "aborted").id(), Optional.empty());
            CompletableFuture<Boolean> dropped = new CompletableFuture<>();
            engine.catalog()
                    .addListener(
                            (before, after) -> {
                                if (after.findTable(replaced.id()).isEmpty()) {
                                    dropped.complete(true);
                                }
                            });
            assertThat(writers).containsExactly(Thread.currentThread().getName());
            writers.clear();
            engine.catalog().truncateTable(replaced.id()); // and dropped when a tick finds it old

            get(engine.commit(committed, List.of(), Optional.of(published.id())));
            get(engine.abort(aborted));
            engine.catalog()
                    .setOptions(
                            published.id(),
                            List.of(TableOption.INDEXES),
                            TableOptions.NONE.withIndexes(
                                    List.of(
                                            new IndexSchema(
                                                    1, "by_name", List.of(2), false, false))));
            get(engine.awaitIndexes(published.id()));
            get(dropped);
        } finally {
            threads.close();
        }
        assertThat(uncaught).isEmpty();
        writers.remove(Thread.currentThread().getName());
        assertThat(writers).containsExactly(CATALOG_THREAD);
    }

    private static StorageEngine open(ObjectStore store, EngineThreads threads) throws IOException {
        return StorageEngine.open(
                StorageOptions.DEFAULT
                        .withMemTables(1 << 20, 1 << 30, Duration.ofHours(1))
                        .withRetention(Duration.ofMillis(1)),
                store,
                new InMemoryLogFiles(CrashPoint.never(), new SplittableRandom(1)),
                new HybridClock(System::currentTimeMillis),
                threads);
    }

    /** Those of a sidecar, with a name for the thread of the catalog's pool. */
    private EngineThreads threads() {
        EngineThreads started =
                EngineThreads.start(2, 2, System::nanoTime, Thread::new, uncaught::add);
        started.catalog().close();
        return new EngineThreads(
                started.contexts(),
                started.dataBound(),
                started.background(),
                new ThreadedBackgroundPool(
                        1, 64, task -> new Thread(task, CATALOG_THREAD), uncaught::add),
                started.deciding(),
                started.deleting(),
                started.flushing(),
                started.merging(),
                started.loading(),
                started.lookups(),
                started.opening(),
                started.periodic(),
                started.logThread(),
                started.nanoTime(),
                started.uncaught());
    }

    private static TestTable withRows(StorageEngine engine, String name) throws Exception {
        TestTable table = TestTable.create(engine, name, Orientation.ROW, true, 2);
        for (long id = 0; id < 20; id++) {
            get(table.upsert(engine, id, "row", id));
        }
        return table;
    }

    private static TestTable staged(StorageEngine engine, String name) {
        return TestTable.create(
                engine, name, Orientation.COLUMN, true, 1, List.of(), TableState.STAGED);
    }

    private static <T> T get(CompletableFuture<T> future) throws Exception {
        return future.get(120, TimeUnit.SECONDS);
    }

    /** A store that, when told, answers to no creation of objects of some names. */
    private static final class StuckStore extends ForwardingObjectStore {
        private final Semaphore stuck = new Semaphore(0);
        private final Semaphore freed = new Semaphore(0);
        private volatile String prefix = "nothing";

        StuckStore(ObjectStore store) {
            super(store);
        }

        void stick(String names) {
            prefix = names;
        }

        /** Waits until as many creations more have come. */
        void awaitStuck(int creations) throws InterruptedException {
            stuck.acquire(creations);
        }

        void freeOne() {
            freed.release();
        }

        void free() {
            freed.release(1_000);
        }

        @Override
        public boolean createIfAbsent(String path, byte[] content) throws IOException {
            if (path.startsWith(prefix)) {
                stuck.release();
                freed.acquireUninterruptibly();
            }
            return super.createIfAbsent(path, content);
        }
    }
}
