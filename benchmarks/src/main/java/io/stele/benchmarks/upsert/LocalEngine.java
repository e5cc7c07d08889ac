package io.stele.benchmarks.upsert;

import io.stele.storage.engine.EngineThreads;
import io.stele.storage.engine.StorageEngine;
import io.stele.storage.engine.StorageOptions;
import io.stele.storage.objectstore.LocalObjectStore;
import io.stele.storage.wal.HybridClock;
import io.stele.storage.wal.LocalLogFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** An engine in this process on files of the local disk, with the defaults of a node. */
final class LocalEngine implements AutoCloseable {
    private static final int THREADS = 2; // as many as cores, as the other benchmarks have

    private final EngineThreads threads;
    private final LocalLogFiles log;
    private final StorageEngine engine;

    LocalEngine(Path directory) throws IOException {
        Path warehouse = Files.createDirectories(directory.resolve("warehouse"));
        Path wal = Files.createDirectories(directory.resolve("wal"));
        threads =
                EngineThreads.start(
                        THREADS,
                        THREADS,
                        System::nanoTime,
                        Thread.ofPlatform().daemon().name("engine-", 0).factory(),
                        failure -> {
                            throw new IllegalStateException(failure);
                        });
        log = LocalLogFiles.open(wal);
        engine =
                StorageEngine.open(
                        StorageOptions.DEFAULT,
                        LocalObjectStore.forOwner(warehouse),
                        log,
                        new HybridClock(System::currentTimeMillis),
                        threads);
        engine.catalog().createSchema("bench");
    }

    StorageEngine engine() {
        return engine;
    }

    @Override
    public void close() throws IOException {
        engine.close();
        threads.close();
        log.close();
    }
}
