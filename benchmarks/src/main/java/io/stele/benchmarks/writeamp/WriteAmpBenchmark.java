package io.stele.benchmarks.writeamp;

import io.stele.benchmarks.Benchmark;
import io.stele.benchmarks.BenchmarkOptions;
import io.stele.benchmarks.BenchmarkReport;
import io.stele.benchmarks.Machine;
import io.stele.benchmarks.Metrics;
import io.stele.benchmarks.Target;
import io.stele.benchmarks.ingest.UserRows;
import io.stele.benchmarks.servers.Run;
import io.stele.protocol.schema.Orientation;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A benchmark of the bytes written for each byte that comes in, by upserts with uniformly random
 * keys and then flushes and compactions until none is due. Rows have a key and 10 x 100 B that do
 * not compress. Each key is upserted about twice, until ten times the memtable has come in.
 *
 * <p>What comes in is keys and fields, 1,023 bytes a row. What is written is counted where it goes
 * to disk: the log, and every object of the warehouse (SST files, column files, key indexes,
 * deletion vectors, manifests). RocksDB does the same with leveled compaction and the same sizes;
 * it keeps no obsolete versions, so it is compared with Stele without retention.
 */
public final class WriteAmpBenchmark implements Benchmark {
    private static final long SEED = 42;
    private static final double TARGET_TIMES_ROCKSDB = 1.2;

    @Override
    public String name() {
        return "write-amp";
    }

    @Override
    public String description() {
        return "bytes written for each byte that comes in, beside RocksDB";
    }

    @Override
    public BenchmarkReport run(BenchmarkOptions options) throws Exception {
        long memTableBytes = options.quick() ? 1L << 20 : 16L << 20;
        List<Integer> multiples = options.quick() ? List.of(10) : List.of(10, 40);
        Path directory = Run.load().path("state").resolve("write-amp");
        UserRows content = new UserRows(SEED);
        String machine = Machine.describe();
        Metrics metrics = new Metrics();
        List<Target> targets = new ArrayList<>();
        for (int multiple : multiples) {
            Workload workload = new Workload(content, memTableBytes, multiple, SEED);
            String size = multiple + "x memtable, ";
            Written rocks = RocksWrites.run(workload, directory.resolve("rocksdb-" + multiple));
            put(metrics, size + "rocksdb", rocks, workload);
            for (Orientation orientation : Orientation.values()) {
                for (Duration retention : List.of(Duration.ZERO, Duration.ofHours(1))) {
                    String name =
                            "%s, %s"
                                    .formatted(
                                            orientation.text(),
                                            retention.isZero() ? "no history" : "1 h of history");
                    if (options.only().isPresent() && !name.contains(options.only().get())) {
                        continue;
                    }
                    Written written =
                            SteleWrites.run(
                                    workload,
                                    directory.resolve(
                                            "%s-%d-%d"
                                                    .formatted(
                                                            orientation
                                                                    .name()
                                                                    .toLowerCase(Locale.ROOT),
                                                            multiple,
                                                            retention.toMillis())),
                                    orientation,
                                    retention);
                    put(metrics, size + name, written, workload);
                    if (orientation == Orientation.ROW && retention.isZero()) {
                        targets.add(
                                Target.atMost(
                                        size + name + ": bytes written, times RocksDB",
                                        TARGET_TIMES_ROCKSDB,
                                        (double) written.totalBytes() / rocks.totalBytes()));
                    }
                }
            }
        }
        return new BenchmarkReport(name(), machine, metrics.asMap(), targets);
    }

    private static void put(Metrics metrics, String key, Written written, Workload workload) {
        double ingested = workload.ingestedBytes();
        metrics.put(key + ": bytes written a byte", written.totalBytes() / ingested);
        metrics.put(key + ": log", written.logBytes() / ingested);
        metrics.put(key + ": flushes", written.flushBytes() / ingested);
        metrics.put(key + ": merges", written.mergeBytes() / ingested);
        metrics.put(key + ": manifests and delete vectors", written.otherBytes() / ingested);
        metrics.put(key + ": files at the end, times live rows", written.spaceOf(workload));
    }
}
