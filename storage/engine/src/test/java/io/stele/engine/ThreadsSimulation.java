package io.stele.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.node.EngineThreads;
import io.stele.engine.node.StorageOptions;
import io.stele.engine.wal.HybridClock;
import io.stele.engine.wal.InMemoryLogFiles;
import io.stele.engine.wal.LogOptions;
import io.stele.objectstore.FaultInjectingObjectStore;
import io.stele.objectstore.StoreFaults;
import io.stele.objectstore.fault.CrashPoint;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.wire.OperationKind;
import io.stele.protocol.wire.WriteBatchBuilder;
import io.stele.testing.LongRun;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * An engine on the pools of real threads that a sidecar has, with a log and memory that are always
 * full, under writers, transactions, flushes and compactions while the store goes away and comes
 * back. The other simulations have one thread, for which nothing ever waits: this one finds tasks
 * of bounded pools that wait for tasks behind them. When the store is back for good, everything
 * that was asked for has to end.
 *
 * <p>The seed decides what is done; the threads decide when.
 */
class ThreadsSimulation {
    private static final int CLIENTS = 4;
    private static final int SHARDS = 6;
    private static final int ROWS_A_TRANSACTION = 5;
    private static final int OPERATIONS = 1000;
    private static final int KEYS = 20;
    private static final int UPDATED_KEYS = 20; // from KEYS on
    private static final int MAX_NAME = 4_000;
    private static final long END_SECONDS = 300;

    private static final StorageOptions OPTIONS =
            StorageOptions.DEFAULT
                    .withMemTables(64 << 10, 1 << 20, Duration.ofSeconds(10))
                    .withLog(new LogOptions(1 << 16, 8 << 10, 16 << 10, 64 << 10))
                    .withRetention(Duration.ofMillis(1));

    /** Nearly every call takes a while, and one in twenty fails. */
    private static final StoreFaults USUAL = new StoreFaults(0.04, 0.01, 0, 10_000_000);

    /** What a client may be told while the store is away. */
    private static final Set<ErrorCode> EXPECTED =
            Set.of(
                    ErrorCode.BUSY,
                    ErrorCode.STORE_FAILED,
                    ErrorCode.UNAVAILABLE,
                    ErrorCode.OUTCOME_UNKNOWN,
                    ErrorCode.TRANSACTION_ABORTED,
                    ErrorCode.TRANSACTION_CONFLICT);

    @Test
    void everythingEndsWhenTheStoreIsBack() throws Exception {
        int held = 0;
        for (long seed = 0; seed < LongRun.count(2, 60); seed++) {
            try {
                held += new Run(seed).run();
            } catch (Exception | AssertionError failed) {
                throw new AssertionError("Failed with seed " + seed, failed);
            }
        }
        // Where no write was ever held back, nothing could wait
        assertThat(held).as("writes held back").isPositive();
    }

    private static final class Run {
        private final SplittableRandom random;
        private final FaultInjectingObjectStore store;
        private final ConcurrentLinkedQueue<Throwable> uncaught = new ConcurrentLinkedQueue<>();
        private final CountDownLatch clientsDone = new CountDownLatch(CLIENTS);
        private final ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
        private final InMemoryLogFiles log;

        Run(long seed) {
            this.random = new SplittableRandom(seed);
            this.store =
                    new FaultInjectingObjectStore(
                            CrashPoint.never(),
                            StoreFaults.NONE,
                            random.split(),
                            LockSupport::parkNanos);
            this.log = new InMemoryLogFiles(CrashPoint.never(), random.split());
        }

        /** Returns how many writes were held back. */
        int run() throws Exception {
            AtomicInteger threadIds = new AtomicInteger();
            try (EngineThreads threads =
                            EngineThreads.start(
                                    2,
                                    2,
                                    System::nanoTime,
                                    task ->
                                            Thread.ofPlatform()
                                                    .daemon()
                                                    .name("engine-" + threadIds.incrementAndGet())
                                                    .unstarted(task),
                                    uncaught::add);
                    StorageEngine engine =
                            StorageEngine.open(
                                    OPTIONS,
                                    store,
                                    log,
                                    new HybridClock(System::currentTimeMillis),
                                    threads)) {
                TestTable shared =
                        TestTable.create(engine, "shared", Orientation.ROW, true, SHARDS);
                List<Client> clients = new ArrayList<>();
                for (int id = 0; id < CLIENTS; id++) {
                    clients.add(new Client(id, engine, shared, random.split()));
                }
                for (Client client : clients) {
                    client.writeUpdated();
                }
                store.setFaults(USUAL);
                clients.forEach(Client::start);
                disturb();
                store.setFaults(StoreFaults.NONE);
                assertThat(clientsDone.await(END_SECONDS, TimeUnit.SECONDS))
                        .as("clients have asked for everything; threads: %s", stacks())
                        .isTrue();
                for (Client client : clients) {
                    client.awaitAll();
                }
                for (Client client : clients) {
                    client.check();
                }
                assertThat(failures).isEmpty();
                assertThat(uncaught).allMatch(Run::isOfOutage, "tells of an outage");
                return Math.toIntExact(engine.status().gates().heldWrites());
            }
        }

        /**
         * Outages of some length until the clients have asked for everything, but for no longer.
         */
        private void disturb() throws InterruptedException {
            for (int outage = 0; outage < 40 && clientsDone.getCount() > 0; outage++) {
                clientsDone.await(random.nextLong(100, 400), TimeUnit.MILLISECONDS);
                store.setFaults(StoreFaults.OUTAGE);
                clientsDone.await(random.nextLong(20, 200), TimeUnit.MILLISECONDS);
                store.setFaults(USUAL);
            }
        }

        /** Writes to a table of its own and, in transactions, to one that all have. */
        private final class Client {
            private final int id;
            private final StorageEngine engine;
            private final TestTable own;
            private final TestTable shared;
            private final SplittableRandom random;
            private final Map<Long, CompletableFuture<?>> commits = new HashMap<>();
            private final Map<Long, List<CompletableFuture<?>>> writes = new HashMap<>();
            private final List<CompletableFuture<?>> others = new ArrayList<>();

            Client(int id, StorageEngine engine, TestTable shared, SplittableRandom random) {
                this.id = id;
                this.engine = engine;
                this.shared = shared;
                this.random = random;
                this.own =
                        TestTable.create(
                                engine,
                                "own_" + id,
                                id % 2 == 0 ? Orientation.ROW : Orientation.COLUMN,
                                true,
                                SHARDS);
            }

            /** The rows that transactions change a column of, which makes them read. */
            void writeUpdated() throws Exception {
                for (long key = KEYS; key < KEYS + UPDATED_KEYS; key++) {
                    own.upsert(engine, key, "updated", 0).get(END_SECONDS, TimeUnit.SECONDS);
                }
                engine.flush(own.id()).get(END_SECONDS, TimeUnit.SECONDS);
            }

            void start() {
                Thread.ofPlatform().daemon().name("client-" + id).start(this::work);
            }

            private void work() {
                try {
                    for (int version = 1; version <= OPERATIONS; version++) {
                        step(version);
                    }
                } catch (Throwable failed) {
                    failures.add(failed);
                } finally {
                    clientsDone.countDown();
                }
            }

            private void step(int version) throws IOException {
                switch (random.nextInt(20)) {
                    case 0 -> others.add(engine.flush(own.id()));
                    case 1 -> others.add(engine.compact(own.id()));
                    case 2 -> read();
                    case 3, 4 -> transact(version);
                    default -> write(version);
                }
            }

            private void write(int version) {
                long key = random.nextInt(KEYS);
                String name = "x".repeat(random.nextInt(MAX_NAME));
                List<CompletableFuture<?>> ofKey =
                        writes.computeIfAbsent(key, _ -> new ArrayList<>());
                try {
                    CompletableFuture<?> write = own.upsert(engine, key, name, version);
                    ofKey.add(write.thenApply(_ -> version));
                } catch (SteleException refused) {
                    check(refused);
                }
            }

            /** Rows of numbers of their own in each of two tables, and a change, or none of it. */
            private void transact(int version) {
                long key = key(version);
                try {
                    String transaction = engine.beginTransaction(shared.id(), Optional.empty());
                    for (TestTable table : List.of(shared, own)) {
                        for (long row = key; row < key + ROWS_A_TRANSACTION; row++) {
                            WriteBatchBuilder batch = table.batch();
                            batch.upsert(table.key(row), table.row(row, "t", version));
                            stage(transaction, table.shard(row), batch);
                        }
                    }
                    long updated = (long) KEYS + random.nextInt(UPDATED_KEYS);
                    WriteBatchBuilder update = own.batch();
                    own.update(update, OperationKind.UPDATE, updated, Optional.empty(), version);
                    stage(transaction, own.shard(updated), update);
                    if (random.nextInt(8) == 0) {
                        others.add(engine.abort(transaction));
                    } else {
                        commits.put(key, engine.commit(transaction, List.of(), Optional.empty()));
                    }
                } catch (SteleException refused) {
                    check(refused);
                }
            }

            private void stage(String transaction, ShardId shard, WriteBatchBuilder batch) {
                engine.stage(transaction, shard, batch.toByteArray(), 0, batch.sizeBytes());
            }

            private long key(int version) {
                return 1_000_000L * (id + 1) + (long) version * ROWS_A_TRANSACTION;
            }

            private void read() throws IOException {
                try {
                    own.get(engine, Optional.empty(), random.nextInt(KEYS));
                } catch (SteleException refused) {
                    check(refused);
                } catch (IOException away) {
                    // the store
                }
            }

            private void check(SteleException refused) {
                if (!EXPECTED.contains(refused.code())) {
                    failures.add(refused);
                }
            }

            void awaitAll() throws InterruptedException {
                List<CompletableFuture<?>> all = new ArrayList<>(others);
                all.addAll(commits.values());
                writes.values().forEach(all::addAll);
                long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(END_SECONDS);
                for (CompletableFuture<?> one : all) {
                    try {
                        one.handle((_, failed) -> failed)
                                .thenAccept(this::checkFailure)
                                .get(end - System.nanoTime(), TimeUnit.NANOSECONDS);
                    } catch (TimeoutException hangs) {
                        throw new AssertionError(
                                "Expected all of client %d to end, found something that has not: %s; threads: %s"
                                        .formatted(id, engine.status(), stacks()),
                                hangs);
                    } catch (ExecutionException failed) {
                        throw new AssertionError(failed);
                    }
                }
            }

            private void checkFailure(Throwable failed) {
                Throwable cause =
                        failed instanceof CompletionException && failed.getCause() != null
                                ? failed.getCause()
                                : failed;
                if (cause instanceof SteleException refused) {
                    check(refused);
                } else if (cause != null && !(cause instanceof IOException)) {
                    failures.add(cause);
                }
            }

            /** What was acknowledged is there, and of a transaction all or nothing. */
            void check() throws IOException {
                for (long key = KEYS; key < KEYS + UPDATED_KEYS; key++) {
                    assertThat(own.get(engine, Optional.empty(), key).orElse("nothing"))
                            .startsWith("updated:");
                }
                for (Map.Entry<Long, List<CompletableFuture<?>>> ofKey : writes.entrySet()) {
                    long acknowledged =
                            ofKey.getValue().stream()
                                    .filter(write -> !write.isCompletedExceptionally())
                                    .mapToLong(write -> (Integer) write.join())
                                    .max()
                                    .orElse(0);
                    if (acknowledged > 0) {
                        assertThat(version(own, ofKey.getKey()))
                                .as("version of key %s of client %s", ofKey.getKey(), id)
                                .isGreaterThanOrEqualTo(acknowledged);
                    }
                }
                for (Map.Entry<Long, CompletableFuture<?>> commit : commits.entrySet()) {
                    long first = version(shared, commit.getKey());
                    if (!commit.getValue().isCompletedExceptionally()) {
                        assertThat(first).as("commit of %s", commit.getKey()).isPositive();
                    }
                    for (int row = 0; row < ROWS_A_TRANSACTION; row++) {
                        for (TestTable table : List.of(shared, own)) {
                            assertThat(version(table, commit.getKey() + row)).isEqualTo(first);
                        }
                    }
                }
            }

            /** 0: absent. */
            private long version(TestTable table, long key) throws IOException {
                return table.get(engine, Optional.empty(), key)
                        .map(row -> Long.parseLong(row.substring(row.lastIndexOf(':') + 1)))
                        .orElse(0L);
            }
        }

        private static boolean isOfOutage(Throwable reported) {
            return reported instanceof IOException
                    || (reported instanceof SteleException told && EXPECTED.contains(told.code()));
        }

        private static String stacks() {
            return Thread.getAllStackTraces().entrySet().stream()
                    .filter(
                            thread ->
                                    thread.getKey().getName().startsWith("engine-")
                                            || thread.getKey().getName().startsWith("client-"))
                    .map(
                            thread ->
                                    thread.getKey().getName()
                                            + Arrays.stream(thread.getValue())
                                                    .map(frame -> "\n    " + frame)
                                                    .collect(Collectors.joining()))
                    .collect(Collectors.joining("\n"));
        }
    }
}
