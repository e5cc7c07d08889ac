package io.stele.engine;

import io.stele.engine.node.EngineThreads;
import io.stele.engine.node.StorageOptions;
import io.stele.engine.scan.RowCursor;
import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.engine.transaction.Decision;
import io.stele.engine.wal.EncryptedLogFiles;
import io.stele.engine.wal.HybridClock;
import io.stele.engine.wal.InMemoryLogFiles;
import io.stele.engine.wal.LogFaults;
import io.stele.engine.wal.ObjectLogFiles;
import io.stele.objectstore.FarObjectStore;
import io.stele.objectstore.FaultInjectingObjectStore;
import io.stele.objectstore.InMemoryObjectStore;
import io.stele.objectstore.ObjectEntry;
import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.StoreFaults;
import io.stele.objectstore.encryption.Encryption;
import io.stele.objectstore.encryption.TestKeys;
import io.stele.objectstore.fault.CrashPoint;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.TableId;
import io.stele.protocol.api.scan.ScanMode;
import io.stele.protocol.api.write.WrittenFile;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.scheduler.SimulatedPool;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.UnaryOperator;

/**
 * An engine over memory, driven by one thread, one seed and a clock that moves when told: the whole
 * node in a test. Restarting it is a crash: tasks, memory and unsynced bytes are gone.
 */
final class SimulatedNode {
    private static final int TASK_LIMIT = 1_000_000;

    private StorageOptions options;
    private final SplittableRandom random;
    private final List<Throwable> uncaught = new ArrayList<>();
    private FaultInjectingObjectStore store;
    private InMemoryLogFiles log;
    private final boolean logInStore;
    private Encryption encryption;
    private final UnaryOperator<ObjectStore> layer;
    private SimulatedPool pool;
    private long nowMillis = 1_700_000_000_000L;
    private Optional<Long> clockAheadMillis =
            Optional.empty(); // a wall clock beside the steady one
    private CrashPoint crashPoint;
    private StorageEngine engine;

    private SimulatedNode(
            StorageOptions options,
            SplittableRandom random,
            CrashPoint crashPoint,
            StoreFaults faults,
            boolean logInStore,
            boolean isEncrypted,
            UnaryOperator<ObjectStore> layer)
            throws IOException {
        this.options = options;
        this.logInStore = logInStore;
        this.layer = layer;
        this.encryption = isEncrypted ? encryption(random) : Encryption.NONE;
        this.random = random;
        this.crashPoint = crashPoint;
        this.store = new FaultInjectingObjectStore(crashPoint, faults, random.split(), this::spend);
        this.log = new InMemoryLogFiles(crashPoint, random.split());
        this.pool = new SimulatedPool(random.split(), uncaught::add);
        this.engine = open();
    }

    private SimulatedNode(SimulatedNode other, Change change) throws IOException {
        this.options = other.options;
        this.logInStore = other.logInStore;
        this.layer = other.layer;
        this.encryption = other.encryption;
        this.random = new SplittableRandom(1);
        this.crashPoint = CrashPoint.never();
        this.store = other.store.surviving(crashPoint, StoreFaults.NONE);
        this.log = other.log.surviving(crashPoint);
        this.pool = new SimulatedPool(random.split(), uncaught::add);
        this.nowMillis = other.nowMillis + 10;
        change.apply(store, log);
        this.engine = open();
    }

    static SimulatedNode start(StorageOptions options, long seed) throws IOException {
        return start(options, seed, false, false);
    }

    /**
     * @param logInStore whether the log is in the store as well, instead of in files
     * @param isEncrypted whether store and log are
     */
    static SimulatedNode start(
            StorageOptions options, long seed, boolean logInStore, boolean isEncrypted)
            throws IOException {
        return start(options, seed, logInStore, isEncrypted, UnaryOperator.identity());
    }

    /**
     * @param layer through which the engine sees the store; made anew at each start
     */
    static SimulatedNode start(StorageOptions options, long seed, UnaryOperator<ObjectStore> layer)
            throws IOException {
        return start(options, seed, false, false, layer);
    }

    static SimulatedNode start(
            StorageOptions options,
            long seed,
            boolean logInStore,
            boolean isEncrypted,
            UnaryOperator<ObjectStore> layer)
            throws IOException {
        return new SimulatedNode(
                options,
                new SplittableRandom(seed),
                CrashPoint.never(),
                StoreFaults.NONE,
                logInStore,
                isEncrypted,
                layer);
    }

    /** One whose store is far away: what its reads do not wait for is read by other threads. */
    static SimulatedNode startFar(StorageOptions options, long seed) throws IOException {
        return start(
                options,
                seed,
                store -> new FarObjectStore(store, Thread::startVirtualThread, System::nanoTime));
    }

    private static Encryption encryption(SplittableRandom random) {
        return Encryption.of(TestKeys.of("simulated"), random.split(), true);
    }

    /** Whether a write of the log failed in this process. */
    boolean logFailed() {
        return logInStore ? engine.status().log().failed() : log.failures() > 0;
    }

    StorageEngine engine() {
        return engine;
    }

    SimulatedPool pool() {
        return pool;
    }

    InMemoryLogFiles log() {
        return log;
    }

    /** Something that happens to what a node has stored while it is down. */
    @FunctionalInterface
    interface Change {
        void apply(FaultInjectingObjectStore store, InMemoryLogFiles log) throws IOException;
    }

    /** Another node, on a copy of what this one has stored with a change to it. */
    SimulatedNode fork(Change change) throws IOException {
        return new SimulatedNode(this, change);
    }

    /** What is stored, encrypted if it is. */
    FaultInjectingObjectStore store() {
        return store;
    }

    /** The store as the engine and workers see it. */
    ObjectStore objects() {
        return encryption.over(store);
    }

    /** What is encrypted is far away as well: compactions read ahead. */
    private ObjectStore farObjects() {
        return new FarObjectStore(objects(), pool, () -> nowMillis * 1_000_000);
    }

    CrashPoint crashPoint() {
        return crashPoint;
    }

    List<Throwable> uncaught() {
        return uncaught;
    }

    long nowMillis() {
        return nowMillis;
    }

    void advance(long millis) {
        nowMillis += millis;
    }

    // Only the clock moves: whatever is due meanwhile is so at the next tick.
    private void spend(long nanos) {
        nowMillis += nanos / 1_000_000;
    }

    /** From the next start on the engine has a wall clock, which is ahead of its steady one. */
    void setClockAhead(long millis) {
        clockAheadMillis = Optional.of(millis);
    }

    private HybridClock clock() {
        return clockAheadMillis.isEmpty()
                ? new HybridClock(() -> nowMillis)
                : new HybridClock(
                        () -> nowMillis + clockAheadMillis.orElseThrow(), () -> nowMillis);
    }

    /** Lets time pass and everything that is due happen. */
    void tick(long millis) {
        advance(millis);
        pool.tick();
        pool.runUntilIdle(TASK_LIMIT);
    }

    /** The process dies here and starts again; it dies next where {@code next} says. */
    void restart(CrashPoint next, StoreFaults faults) throws IOException {
        restart(next, faults, LogFaults.NONE);
    }

    void restart(CrashPoint next, StoreFaults faults, LogFaults logFaults) throws IOException {
        restart(next, faults, logFaults, (_, _) -> {});
    }

    void restart(CrashPoint next, StoreFaults faults, LogFaults logFaults, Change change)
            throws IOException {
        pool.drop();
        store = store.surviving(next, faults);
        log = log.surviving(next);
        change.apply(store, log);
        log.setFaults(logFaults, this::spend);
        crashPoint = next;
        pool = new SimulatedPool(random.split(), uncaught::add);
        nowMillis += 10;
        engine = open();
    }

    /** A restart with another configuration. */
    void restart(StorageOptions newOptions) throws IOException {
        options = newOptions;
        restart();
    }

    void restart() throws IOException {
        restart(CrashPoint.never(), StoreFaults.NONE);
    }

    /** A restart with other master keys. */
    void restart(Encryption newEncryption) throws IOException {
        encryption = newEncryption;
        restart();
    }

    /** Commits a transaction with files of workers, which may be none. */
    CompletableFuture<Lsn> commit(String transaction, List<WrittenFile> files) {
        return engine().commit(transaction, files, Optional.empty());
    }

    /** Runs a commit until its decision is stored; it is not through then. */
    void runUntilDecided(String transaction, CompletableFuture<?> commit) throws IOException {
        while (!commit.isDone() && store().list(Decision.path(transaction)).isEmpty()) {
            if (!pool().runOne()) {
                tick(500);
            }
        }
        if (commit.isDone()) {
            throw new AssertionError("Expected a commit that is not through, found " + commit);
        }
    }

    /** Runs the node until the future is done. */
    <T> T await(CompletableFuture<T> future) {
        for (int ran = 0; !future.isDone(); ran++) {
            if (!pool.runOne()) {
                nowMillis += 500;
                pool.tick();
            }
            if (ran > TASK_LIMIT) {
                throw new IllegalStateException(
                        "Expected the future to be done after " + ran + " tasks: " + uncaught);
            }
        }
        try {
            return future.join();
        } catch (CompletionException failed) {
            throw failed.getCause() instanceof RuntimeException cause ? cause : failed;
        }
    }

    LeasedSnapshot openSnapshot() {
        return await(
                engine.openSnapshot(java.util.Optional.empty(), java.time.Duration.ofHours(1)));
    }

    LeasedSnapshot openSnapshot(Lsn at) {
        return await(engine.openSnapshot(java.util.Optional.of(at), java.time.Duration.ofHours(1)));
    }

    /** All rows of a table in a shard. */
    RowCursor scan(LeasedSnapshot snapshot, TableId table, ShardId shard) throws IOException {
        return engine.scan(snapshot, table, shard, ScanMode.SNAPSHOT, ScanPredicate.ALL, List.of());
    }

    /** Adds what is stored and logged, byte by byte. */
    void trace(TraceHash hash) throws IOException {
        hash.add(nowMillis);
        InMemoryObjectStore contents = store.contents();
        for (ObjectEntry entry : contents.list("")) {
            hash.add(entry.path());
            hash.add(contents.readFully(entry.path()));
        }
        for (long segment : log.segments()) {
            hash.add(segment);
            hash.add(log.bytes(segment));
        }
    }

    private StorageEngine open() throws IOException {
        return StorageEngine.open(
                options,
                layer.apply(encryption.isEnabled() ? farObjects() : objects()),
                new EncryptedLogFiles(
                        logInStore
                                ? new ObjectLogFiles(store, "log/", Runnable::run, this::advance)
                                : log,
                        encryption),
                clock(),
                EngineThreads.simulated(pool, uncaught::add));
    }
}
