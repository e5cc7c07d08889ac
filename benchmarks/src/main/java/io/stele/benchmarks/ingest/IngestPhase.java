package io.stele.benchmarks.ingest;

import io.stele.benchmarks.Machine;
import io.stele.benchmarks.servers.Latencies;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One timed load of one store: a number of writer threads take batches of consecutive rows until
 * all rows are written and acknowledged as durable.
 *
 * @param inFlight batches that a thread may have unacknowledged
 */
record IngestPhase(int writers, int inFlight, long rows, int batchRows) {
    /**
     * The measurements of one load.
     *
     * @param rowsPerSecond acknowledged rows by wall time
     * @param p50Millis median time from handing over a batch to its acknowledgement
     * @param p99Millis 99th percentile of the same
     * @param cpuMicrosPerRow CPU time of client and store together, all threads, background work
     *     included
     */
    record Result(
            double rowsPerSecond, double p50Millis, double p99Millis, double cpuMicrosPerRow) {}

    Result run(IngestStore store) throws Exception {
        Latencies latencies = new Latencies();
        AtomicLong next = new AtomicLong();
        long cpuBefore = Machine.processCpuNanos() + store.otherCpuNanos();
        long start = System.nanoTime();
        try (ExecutorService threads = Executors.newFixedThreadPool(writers)) {
            List<Callable<Void>> tasks = new ArrayList<>();
            for (int writer = 0; writer < writers; writer++) {
                tasks.add(
                        () -> {
                            write(store, next, latencies);
                            return null;
                        });
            }
            for (Future<Void> finished : threads.invokeAll(tasks)) {
                finished.get();
            }
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        long cpu = Machine.processCpuNanos() + store.otherCpuNanos() - cpuBefore;
        long count = store.count();
        if (count != rows) {
            throw new IllegalStateException(
                    "Expected %d rows in %s, found %d".formatted(rows, store.name(), count));
        }
        return new Result(
                rows / seconds, latencies.millis(50), latencies.millis(99), cpu / 1e3 / rows);
    }

    private void write(IngestStore store, AtomicLong next, Latencies latencies) throws Exception {
        ArrayDeque<CompletableFuture<?>> unacknowledged = new ArrayDeque<>();
        try (IngestStore.BatchWriter writer = store.writer()) {
            for (long first = next.getAndAdd(batchRows);
                    first < rows;
                    first = next.getAndAdd(batchRows)) {
                int count = (int) Math.min(batchRows, rows - first);
                long start = System.nanoTime();
                unacknowledged.add(
                        writer.write(first, count)
                                .thenRun(() -> latencies.record(System.nanoTime() - start)));
                while (unacknowledged.size() >= inFlight) {
                    unacknowledged.remove().get();
                }
            }
            while (!unacknowledged.isEmpty()) {
                unacknowledged.remove().get();
            }
        }
    }
}
