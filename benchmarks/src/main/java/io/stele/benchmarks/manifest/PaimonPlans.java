package io.stele.benchmarks.manifest;

import io.stele.benchmarks.Machine;
import io.stele.benchmarks.Metrics;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.function.BooleanSupplier;
import org.apache.paimon.table.FileStoreTable;

/** The peer's part of the benchmark, in this process: plans of a table of Apache Paimon. */
final class PaimonPlans {
    static final int PARTITIONS = 100;
    private static final int BUCKETS = 4;
    private static final int COLUMNS = 8;
    private static final int LOOKS_OF_PAIMON = 100; // of milliseconds

    private PaimonPlans() {}

    /**
     * As many files in Paimon: all shards' in one table, of which one partition and bucket is
     * planned. It reads with several threads, so the processor time is that of the process.
     */
    static void measure(int files, int rounds, Metrics metrics) throws Exception {
        String name = "Paimon 1.4.2, %,d".formatted(files);
        long expected = files / BUCKETS / PARTITIONS;
        int partition = PARTITIONS / 2;
        try (PaimonManifests paimon = PaimonManifests.write(files, PARTITIONS, BUCKETS, COLUMNS)) {
            for (boolean keeps : new boolean[] {true, false}) {
                String cold = keeps ? "to find a partition" : "to find a partition, nothing kept";
                double[] millis = new double[rounds];
                for (int round = 0; round < millis.length; round++) {
                    FileStoreTable table = paimon.open(keeps);
                    paimon.reset();
                    long start = processCpuNanos();
                    check(
                            PaimonManifests.plan(table, partition, 0) == expected,
                            expected + " files of Paimon");
                    millis[round] = (processCpuNanos() - start) / 1e6;
                }
                Arrays.sort(millis);
                metrics.put(name + ": ms CPU " + cold, millis[millis.length / 2]);
                metrics.put(name + ": requests " + cold, (double) paimon.requests());
                metrics.put(name + ": MB read " + cold, paimon.bytes() / 1e6);
                if (keeps) {
                    measureKept(name, paimon, partition, expected, files, metrics);
                }
            }
        }
    }

    /** With all manifests of the table in its cache. */
    private static void measureKept(
            String name,
            PaimonManifests paimon,
            int partition,
            long expected,
            int size,
            Metrics metrics)
            throws IOException {
        FileStoreTable table = paimon.open(true);
        check(PaimonManifests.plan(table, partition, 0) == expected, "the same from its cache");
        metrics.put(
                name + ": ms to find a partition in memory",
                median(
                        LOOKS_OF_PAIMON,
                        () -> PaimonManifests.plan(table, partition, 0) == expected));
        paimon.reset();
        check(PaimonManifests.plan(table, partition, 0) == expected, "the same again");
        metrics.put(name + ": requests to find a partition in memory", (double) paimon.requests());
        long before = Machine.heapBytes();
        FileStoreTable another = paimon.open(true);
        check(PaimonManifests.plan(another, partition, 0) == expected, "the same elsewhere");
        metrics.put(name + ": B heap an entry", (double) (Machine.heapBytes() - before) / size);
        check(PaimonManifests.plan(another, partition, 0) == expected, "the same still");
    }

    private static long processCpuNanos() {
        return ((com.sun.management.OperatingSystemMXBean)
                        ManagementFactory.getOperatingSystemMXBean())
                .getProcessCpuTime();
    }

    /** The median time of the lookups, in milliseconds; checks each result. */
    private static double median(int looks, BooleanSupplier look) throws IOException {
        double[] millis = new double[looks];
        for (int round = 0; round < looks; round++) {
            long start = System.nanoTime();
            check(look.getAsBoolean(), "what a walk finds");
            millis[round] = (System.nanoTime() - start) / 1e6;
        }
        Arrays.sort(millis);
        return millis[looks / 2];
    }

    private static void check(boolean condition, String expected) throws IOException {
        if (!condition) {
            throw new IOException("Expected " + expected);
        }
    }
}
