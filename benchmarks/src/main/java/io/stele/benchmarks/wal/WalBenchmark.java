package io.stele.benchmarks.wal;

import io.stele.benchmarks.Benchmark;
import io.stele.benchmarks.BenchmarkOptions;
import io.stele.benchmarks.BenchmarkReport;
import io.stele.benchmarks.Machine;
import io.stele.benchmarks.Medians;
import io.stele.benchmarks.Metrics;
import io.stele.benchmarks.servers.Run;
import io.stele.benchmarks.servers.S3Servers;
import io.stele.engine.wal.LogFiles;
import io.stele.engine.wal.LogOptions;
import io.stele.engine.wal.WarehouseLogFiles;
import io.stele.objectstore.hadoop.HadoopConfig;
import io.stele.objectstore.retrieval.RetrievalConfig;
import io.stele.objectstore.s3.S3Config;
import io.stele.objectstore.warehouse.WarehouseAccess;
import io.stele.objectstore.warehouse.WarehouseLocation;
import io.stele.testing.MiniHdfs;
import io.stele.testing.VersityGateway;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;

/**
 * A benchmark of the time from append to durability of 1 KB records, with the log in a folder, on
 * HDFS or on an S3 server. HDFS has one data node; on S3 it runs with and without a pause between
 * objects. All servers are on this machine and its disk, so networks and the services' own
 * latencies are not in the numbers.
 */
public final class WalBenchmark implements Benchmark {
    private static final int RECORD_BYTES = 1_024;
    private static final List<Integer> WRITERS = List.of(1, 64);

    @Override
    public String name() {
        return "wal";
    }

    @Override
    public String description() {
        return "acknowledgements of a log in a folder, on HDFS and on S3 (all on this machine)";
    }

    @Override
    public BenchmarkReport run(BenchmarkOptions options) throws Exception {
        long nanos = TimeUnit.SECONDS.toNanos(options.quick() ? 1 : 8);
        int rounds = options.quick() ? 1 : 3;
        Path folder = Run.load().path("state");
        String machine = Machine.describe();
        Map<String, List<MeasuredLog.Result>> results = new LinkedHashMap<>();
        try (MiniHdfs hdfs = MiniHdfs.start(folder.resolve("hdfs"));
                VersityGateway gateway = VersityGateway.start(folder.resolve("s3"))) {
            WarehouseAccess access =
                    new WarehouseAccess(
                            config(gateway),
                            new HadoopConfig(),
                            new RetrievalConfig(),
                            RandomGenerator.getDefault(),
                            millis -> LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis)),
                            S3Servers.retrievalThreads());
            // The first round warms up
            for (int round = 0; round <= rounds; round++) {
                boolean counts = round > 0;
                for (Place place : places(folder, hdfs, round)) {
                    measure(place, access, nanos, counts ? results : new LinkedHashMap<>());
                }
            }
        }
        return new BenchmarkReport(name(), machine, metrics(results).asMap(), List.of());
    }

    private static S3Config config(VersityGateway gateway) {
        Map<String, String> properties = gateway.properties();
        return new S3Config()
                .setEndpoint(properties.get("s3.endpoint"))
                .setPathStyleAccess(true)
                .setAwsAccessKey(properties.get("s3.aws-access-key"))
                .setAwsSecretKey(properties.get("s3.aws-secret-key"));
    }

    private record Place(String name, String location, LogOptions options) {}

    private static List<Place> places(Path folder, MiniHdfs hdfs, int round) {
        LogOptions plain = LogOptions.DEFAULT;
        LogOptions paused =
                new LogOptions(
                        plain.segmentBytes(),
                        16 << 20,
                        plain.queueBytes(),
                        plain.recordBytes(),
                        Duration.ofMillis(100));
        String bucket = "s3://" + VersityGateway.BUCKET + "/";
        List<Place> places = new ArrayList<>();
        places.add(new Place("folder", folder.resolve("wal-" + round).toString(), plain));
        places.add(new Place("HDFS", hdfs.location("wal-" + round), plain));
        places.add(new Place("S3", bucket + "paused-" + round, paused));
        places.add(new Place("S3 without pause", bucket + "plain-" + round, plain));
        return places;
    }

    private static void measure(
            Place place,
            WarehouseAccess access,
            long nanos,
            Map<String, List<MeasuredLog.Result>> results)
            throws Exception {
        try (LogFiles files =
                        WarehouseLogFiles.open(
                                WarehouseLocation.parse(place.location()),
                                access,
                                _ -> {},
                                Thread::startVirtualThread);
                MeasuredLog log = new MeasuredLog(files, place.options(), RECORD_BYTES)) {
            for (int writers : WRITERS) {
                String name = "%s, %d writers".formatted(place.name(), writers);
                results.computeIfAbsent(name, _ -> new ArrayList<>()).add(log.run(writers, nanos));
            }
        } catch (IOException e) {
            throw new IOException("Cannot measure a log on " + place.location(), e);
        }
    }

    private static Metrics metrics(Map<String, List<MeasuredLog.Result>> results) {
        Metrics metrics = new Metrics();
        results.forEach(
                (name, rounds) -> {
                    metrics.put(name + ": p50 ms", median(rounds, 50));
                    metrics.put(name + ": p99 ms", median(rounds, 99));
                    metrics.put(
                            name + ": records/s",
                            Medians.median(
                                    rounds.stream()
                                            .map(MeasuredLog.Result::recordsPerSecond)
                                            .toList()));
                    metrics.put(
                            name + ": records a group",
                            Medians.median(
                                    rounds.stream()
                                            .map(MeasuredLog.Result::recordsPerGroup)
                                            .toList()));
                });
        return metrics;
    }

    private static double median(List<MeasuredLog.Result> rounds, double percentile) {
        return Medians.median(
                rounds.stream().map(round -> round.latencies().millis(percentile)).toList());
    }
}
