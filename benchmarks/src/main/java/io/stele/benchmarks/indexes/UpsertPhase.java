package io.stele.benchmarks.indexes;

import static java.util.Objects.requireNonNull;

import io.stele.benchmarks.Machine;
import io.stele.benchmarks.indexes.SidecarStatus.Written;
import io.stele.benchmarks.ingest.UserTable;
import io.stele.benchmarks.servers.Latencies;
import io.stele.benchmarks.servers.ProcessCpu;
import io.stele.client.SteleClient;
import io.stele.client.TableWriter;
import io.stele.client.flight.FlightClient;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * One timed phase of upserts of uniformly random keys into a fresh table, by two threads with four
 * batches of 1,000 rows in flight each. At the end the table must have as many rows as there were
 * keys.
 */
record UpsertPhase(
        SteleClient client, FlightClient flight, SidecarStatus status, long sidecarPid, int rows) {
    private static final int WRITERS = 2;
    private static final int IN_FLIGHT = 4;
    private static final int BATCH_ROWS = 1_000;

    UpsertPhase {
        requireNonNull(client, "client is null");
        requireNonNull(flight, "flight is null");
        requireNonNull(status, "status is null");
    }

    /**
     * The measurements of one table. Until acknowledged: rate and latencies. Until all is in files:
     * the CPU time and bytes.
     *
     * @param cores of the sidecar, until acknowledged
     * @param clientCores of this process, until acknowledged
     */
    record Result(
            double rowsPerSecond,
            double p95Millis,
            double p99Millis,
            double cores,
            double clientCores,
            double sidecarMicrosPerRow,
            double logBytesPerRow,
            double fileBytesPerRow) {}

    Result run(IndexedTable table, long seed) throws Exception {
        table.create(flight);
        Latencies latencies = new Latencies();
        Written writtenBefore = status.written(table.name());
        long cpuBefore = ProcessCpu.nanos(sidecarPid);
        long clientBefore = Machine.processCpuNanos();
        long start = System.nanoTime();
        BitSet keys = write(table, seed, latencies);
        double seconds = (System.nanoTime() - start) / 1e9;
        double cpu = (ProcessCpu.nanos(sidecarPid) - cpuBefore) / 1e9;
        double clientCpu = (Machine.processCpuNanos() - clientBefore) / 1e9;
        table.flush(flight);
        double wholeCpu = (ProcessCpu.nanos(sidecarPid) - cpuBefore) / 1e9;
        Written written = status.written(table.name()).since(writtenBefore);
        long count = table.count(flight);
        if (count != keys.cardinality()) {
            throw new IllegalStateException(
                    "Expected %,d rows in %s, found %,d"
                            .formatted(keys.cardinality(), table.name(), count));
        }
        table.drop(flight);
        return new Result(
                rows / seconds,
                latencies.millis(95),
                latencies.millis(99),
                cpu / seconds,
                clientCpu / seconds,
                wholeCpu * 1e6 / rows,
                (double) written.logBytes() / rows,
                (double) written.fileBytes() / rows);
    }

    private BitSet write(IndexedTable table, long seed, Latencies latencies) throws Exception {
        BitSet keys = new BitSet(rows);
        try (ExecutorService threads = Executors.newFixedThreadPool(WRITERS)) {
            List<Callable<BitSet>> tasks = new ArrayList<>();
            for (int writer = 0; writer < WRITERS; writer++) {
                SplittableRandom random = new SplittableRandom(seed * WRITERS + writer);
                tasks.add(() -> write(table, random, latencies));
            }
            for (Future<BitSet> finished : threads.invokeAll(tasks)) {
                keys.or(finished.get());
            }
        }
        return keys;
    }

    private BitSet write(IndexedTable table, SplittableRandom random, Latencies latencies)
            throws Exception {
        BitSet keys = new BitSet(rows);
        ArrayDeque<CompletableFuture<?>> unacknowledged = new ArrayDeque<>();
        try (TableWriter writer = client.writer(UserTable.SCHEMA, table.name())) {
            for (int written = 0; written < rows / WRITERS; written += BATCH_ROWS) {
                List<Object[]> batch = new ArrayList<>(BATCH_ROWS);
                for (int i = 0; i < BATCH_ROWS; i++) {
                    int id = random.nextInt(rows);
                    keys.set(id);
                    batch.add(IndexedTable.row(id, random));
                }
                long start = System.nanoTime();
                unacknowledged.add(
                        writer.writeBatch(batch)
                                .thenRun(() -> latencies.record(System.nanoTime() - start)));
                while (unacknowledged.size() >= IN_FLIGHT) {
                    unacknowledged.remove().get();
                }
            }
            while (!unacknowledged.isEmpty()) {
                unacknowledged.remove().get();
            }
        }
        return keys;
    }
}
