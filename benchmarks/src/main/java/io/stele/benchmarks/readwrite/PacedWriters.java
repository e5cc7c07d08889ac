package io.stele.benchmarks.readwrite;

import static java.util.Objects.requireNonNull;

import io.stele.benchmarks.local.ShardBatches;
import io.stele.engine.StorageEngine;
import io.stele.protocol.schema.TableSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A background load of threads that upsert random rows at a given total rate. Each thread writes a
 * batch, waits for its acknowledgement, and waits until its next batch is due.
 */
final class PacedWriters implements AutoCloseable {
    private static final int BATCH_ROWS = 100;

    private final StorageEngine engine;
    private final TableSchema table;
    private final int rows;
    private final long periodNanos;
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicLong written = new AtomicLong();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private volatile boolean stopped;

    /**
     * @param rows ids are below
     * @param rowsPerSecond of all writers together; infinite: each writes as fast as it can
     */
    PacedWriters(
            StorageEngine engine, TableSchema table, int rows, int writers, double rowsPerSecond) {
        this.engine = requireNonNull(engine, "engine is null");
        this.table = requireNonNull(table, "table is null");
        this.rows = rows;
        this.periodNanos = (long) (1e9 * BATCH_ROWS * writers / rowsPerSecond);
        for (int writer = 0; writer < writers; writer++) {
            int number = writer;
            threads.add(Thread.ofPlatform().name("writer-" + writer).start(() -> run(number)));
        }
    }

    long written() {
        return written.get();
    }

    private void run(int number) {
        try {
            SplittableRandom random = new SplittableRandom(number);
            ShardBatches batches =
                    new ShardBatches(engine, table, System.nanoTime(), BATCH_ROWS, 2);
            long next = System.nanoTime() + random.nextLong(periodNanos + 1);
            while (!stopped) {
                for (int i = 0; i < BATCH_ROWS; i++) {
                    batches.upsert(Events.row(random.nextLong(rows), random));
                }
                batches.flush();
                written.addAndGet(BATCH_ROWS);
                next += periodNanos;
                while (!stopped && System.nanoTime() < next) {
                    LockSupport.parkNanos(next - System.nanoTime());
                }
            }
        } catch (RuntimeException | Error failed) {
            failure.set(failed);
        }
    }

    @Override
    public void close() throws InterruptedException {
        stopped = true;
        for (Thread thread : threads) {
            LockSupport.unpark(thread);
            thread.join();
        }
        Throwable failed = failure.get();
        if (failed != null) {
            throw new IllegalStateException("A writer failed: " + failed, failed);
        }
    }
}
