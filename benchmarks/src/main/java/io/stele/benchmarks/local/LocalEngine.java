package io.stele.benchmarks.local;

import static java.util.Objects.requireNonNull;

import io.stele.engine.StorageEngine;
import io.stele.engine.catalog.TableState;
import io.stele.engine.node.EngineThreads;
import io.stele.engine.node.StorageOptions;
import io.stele.engine.status.TableStatus;
import io.stele.engine.wal.HybridClock;
import io.stele.engine.wal.LocalLogFiles;
import io.stele.objectstore.LocalObjectStore;
import io.stele.objectstore.ObjectStore;
import io.stele.protocol.schema.TableSchema;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/**
 * Stele's engine on folders of the local disk, with the threads that a sidecar on two cores has.
 */
public final class LocalEngine implements AutoCloseable {
    private static final String SCHEMA = "bench";
    private static final int THREADS = 2; // as many as cores
    private static final Duration IDLE = Duration.ofMillis(1_500); // three ticks of the engine
    private static final Duration IDLE_TIMEOUT = Duration.ofMinutes(5);

    private final EngineThreads threads;
    private final LocalLogFiles log;
    private final StorageEngine engine;

    private LocalEngine(EngineThreads threads, LocalLogFiles log, StorageEngine engine) {
        this.threads = requireNonNull(threads, "threads is null");
        this.log = requireNonNull(log, "log is null");
        this.engine = requireNonNull(engine, "engine is null");
    }

    /**
     * Opens the engine in {@code directory}.
     *
     * @param store what to put around the warehouse's store
     */
    public static LocalEngine open(
            Path directory, StorageOptions options, UnaryOperator<ObjectStore> store)
            throws IOException {
        EngineThreads threads = startThreads();
        Path warehouse = Files.createDirectories(directory.resolve("warehouse"));
        LocalLogFiles log = LocalLogFiles.open(Files.createDirectories(directory.resolve("wal")));
        return new LocalEngine(
                threads,
                log,
                StorageEngine.open(
                        options,
                        store.apply(LocalObjectStore.forOwner(warehouse)),
                        log,
                        new HybridClock(System::currentTimeMillis),
                        threads));
    }

    /** The threads of an engine, two of each kind as benchmarks have everywhere. */
    public static EngineThreads startThreads() {
        return EngineThreads.start(
                THREADS,
                THREADS,
                System::nanoTime,
                Thread.ofPlatform().daemon().name("engine-", 0).factory(),
                failure -> {
                    throw new IllegalStateException(failure);
                });
    }

    public StorageEngine engine() {
        return engine;
    }

    /** Creates a table in a schema that there is for benchmarks; names in {@code definition}. */
    public TableSchema createTable(TableSchema definition) {
        if (!engine.catalog().current().schemas().contains(definition.schemaName())) {
            engine.catalog().createSchema(definition.schemaName());
        }
        return engine.catalog().createTable(definition, "", TableState.PUBLIC);
    }

    /** The schema that benchmarks' tables are in. */
    public static String schemaName() {
        return SCHEMA;
    }

    public TableStatus status(TableSchema table) {
        return engine.status().tables().stream()
                .filter(status -> status.tableId().equals(table.id()))
                .findFirst()
                .orElseThrow();
    }

    /** Flushes, and waits until no compaction is due any more. */
    public void settle(TableSchema table) throws InterruptedException {
        engine.flush(table.id()).join();
        long deadline = System.nanoTime() + IDLE_TIMEOUT.toNanos();
        long idleSince = System.nanoTime();
        long merges = -1;
        while (System.nanoTime() - idleSince < IDLE.toNanos()) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException(
                        "Expected merges to end within " + IDLE_TIMEOUT + ": " + status(table));
            }
            TableStatus status = status(table);
            long seen = status.traffic().merges() + status.traffic().moves();
            if (seen != merges || status.pendingCompactionBytes() > 0) {
                merges = seen;
                idleSince = System.nanoTime();
            }
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    @Override
    public void close() throws IOException {
        engine.close();
        threads.close();
        log.close();
    }
}
