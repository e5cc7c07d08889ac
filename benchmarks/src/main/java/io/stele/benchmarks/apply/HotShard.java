package io.stele.benchmarks.apply;

import static java.util.Objects.requireNonNull;

import io.stele.benchmarks.local.LocalEngine;
import io.stele.engine.StorageEngine;
import io.stele.engine.catalog.TableState;
import io.stele.engine.node.EngineThreads;
import io.stele.engine.node.StorageOptions;
import io.stele.engine.wal.HybridClock;
import io.stele.engine.wal.InMemoryLogFiles;
import io.stele.engine.wal.LocalLogFiles;
import io.stele.engine.wal.LogStatus;
import io.stele.objectstore.InMemoryObjectStore;
import io.stele.objectstore.fault.CrashPoint;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.schema.TableSchema;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** A whole engine with one hot shard in this process, with a fixed number of apply workers. */
final class HotShard implements AutoCloseable {
    private static final int WRITERS = 4;
    private static final int IN_FLIGHT =
            32; // batches of a writer, so that the log's groups are large

    private final EngineThreads threads;
    private final @Nullable LocalLogFiles disk;
    private final StorageEngine engine;
    private final TableSchema schema;

    /**
     * @param wal folder of a log that is synced; empty: the log is in memory, and syncing costs
     *     nothing
     */
    HotShard(StorageOptions options, Optional<Path> wal) throws IOException {
        threads = LocalEngine.startThreads();
        disk = wal.isPresent() ? LocalLogFiles.open(wal.get()) : null;
        engine =
                StorageEngine.open(
                        options,
                        new InMemoryObjectStore(),
                        disk != null
                                ? disk
                                : new InMemoryLogFiles(CrashPoint.never(), new SplittableRandom(1)),
                        new HybridClock(System::currentTimeMillis),
                        threads);
        engine.catalog().createSchema("bench");
        schema = engine.catalog().createTable(HotBatches.definition("hot"), "", TableState.PUBLIC);
    }

    TableSchema schema() {
        return schema;
    }

    /**
     * The times of one run.
     *
     * @param seconds until all batches were acknowledged
     * @param groups of the log
     */
    record Result(double seconds, long groups) {}

    /** Writes all batches, each once. */
    Result write(List<byte[]> batches) throws Exception {
        LogStatus before = engine.status().log();
        long start = System.nanoTime();
        try (ExecutorService writers = Executors.newFixedThreadPool(WRITERS)) {
            List<Future<Void>> done = new ArrayList<>();
            for (int writer = 0; writer < WRITERS; writer++) {
                int of = writer;
                Callable<Void> work =
                        () -> {
                            write(batches, of);
                            return null;
                        };
                done.add(writers.submit(work));
            }
            for (Future<Void> one : done) {
                one.get();
            }
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        return new Result(seconds, engine.status().log().groups() - before.groups());
    }

    private void write(List<byte[]> batches, int writer) {
        UUID id = new UUID(1, writer);
        ShardId shard = schema.shard(0);
        Deque<CompletableFuture<Lsn>> unanswered = new ArrayDeque<>();
        long sequence = 0;
        for (int i = writer; i < batches.size(); i += WRITERS) {
            byte[] batch = batches.get(i);
            if (unanswered.size() == IN_FLIGHT) {
                unanswered.removeFirst().join();
            }
            unanswered.addLast(engine.write(shard, id, ++sequence, batch, 0, batch.length));
        }
        unanswered.forEach(CompletableFuture::join);
    }

    /** Ends the benchmark unless the shard has all rows and uses {@code workers} apply workers. */
    void check(long versions, int workers) {
        long found = engine.status().shards().getFirst().memoryRows();
        int used = requireNonNull(engine.status().applies().get(schema.shard(0))).workers();
        if (found != versions || used != workers) {
            throw new IllegalStateException(
                    "Expected %d versions by %d apply workers, found %d by %d"
                            .formatted(versions, workers, found, used));
        }
    }

    @Override
    public void close() throws IOException {
        engine.close();
        threads.close();
        if (disk != null) {
            disk.close();
        }
    }
}
