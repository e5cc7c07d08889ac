package io.stele.benchmarks.s3keys;

import io.stele.benchmarks.Benchmark;
import io.stele.benchmarks.BenchmarkOptions;
import io.stele.benchmarks.BenchmarkReport;
import io.stele.benchmarks.Machine;
import io.stele.benchmarks.Metrics;
import io.stele.benchmarks.Target;
import io.stele.benchmarks.servers.Run;
import io.stele.benchmarks.servers.S3Catalogs;
import io.stele.benchmarks.servers.SteleServers;
import io.stele.benchmarks.servers.TrinoSession;
import io.stele.testing.DelayingS3Proxy;
import io.stele.testing.InjectedDelays;
import io.stele.testing.VersityGateway;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * A benchmark of rows read and replaced by key through Trino on S3 with its latency, beside Iceberg
 * without a cache and with {@code fs.cache}. All have their defaults, and so Stele has its caches.
 * Parts are {@code keys}: queries of one order or twenty and an upsert of 2,500, in column and row
 * tables; {@code writes}: an UPDATE and an upsert of few of 6 million rows; {@code files}: starts
 * of the sidecar over 171 and over 10,000 files.
 *
 * <p>Cold means that the sidecar was killed and started just before, that its cache on disk was
 * deleted, and that the catalogs were not used before; before the measurement, queries of other
 * tables open the connections. Then other keys are queried. Of each statement the reads are
 * counted, and how many of them came one after the other.
 */
public final class S3KeysBenchmark implements Benchmark {
    @Override
    public String name() {
        return "s3-keys";
    }

    @Override
    public String description() {
        return "rows by key through Trino from S3 with its latency, read and written, cold and again, and starts over many files, beside Iceberg; --only takes keys, writes or files";
    }

    @Override
    public BenchmarkReport run(BenchmarkOptions options) throws Exception {
        String scale = options.quick() ? "tiny" : "sf1";
        int rounds = options.quick() ? 1 : 7;
        int fewRounds = options.quick() ? 1 : 3;
        Run run = Run.load();
        Metrics metrics = new Metrics();
        List<Target> targets = new ArrayList<>();
        String machine = Machine.describe();
        try (VersityGateway gateway = VersityGateway.start(run.path("state").resolve("s3"));
                DelayingS3Proxy proxy = DelayingS3Proxy.start(gateway.port(), InjectedDelays.NONE);
                SteleServers servers = new SteleServers(run)) {
            S3Catalogs catalogs =
                    new S3Catalogs(run, proxy.properties(gateway), VersityGateway.BUCKET);
            catalogs.configureSidecar();
            KeyServers.configureTrino(
                    catalogs,
                    KeyLookups.starts(rounds)
                            + ColdWrites.starts(fewRounds)
                            + ManyFiles.starts(fewRounds));
            servers.startBoth();
            try (TrinoSession trino = TrinoSession.connect(servers.trinoUri())) {
                KeyServers measured = new KeyServers(run, servers, trino, proxy);
                createSchemas(measured, catalogs);
                KeyLookups keys = new KeyLookups(measured, scale, rounds);
                ColdWrites writes =
                        new ColdWrites(measured, scale, options.quick() ? 960 : 96_000, fewRounds);
                boolean hasKeys = isWanted("keys", options);
                boolean hasWrites = isWanted("writes", options);
                if (hasKeys) {
                    keys.load();
                }
                if (hasWrites) {
                    writes.load();
                }
                if (hasKeys) {
                    keys.compileCode();
                }
                proxy.newRound(InjectedDelays.S3);
                if (hasKeys) {
                    keys.run();
                }
                if (hasWrites) {
                    writes.run();
                }
                ManyFiles files = new ManyFiles(measured, options.quick(), fewRounds);
                if (isWanted("files", options)) {
                    files.run();
                }
                measured.report(metrics);
                if (hasKeys) {
                    targets.addAll(KeyLookups.targets(metrics));
                }
                if (hasWrites) {
                    targets.addAll(ColdWrites.targets(metrics));
                }
                if (isWanted("files", options)) {
                    targets.addAll(files.targets(metrics));
                }
            }
        }
        return new BenchmarkReport(
                name(),
                machine + ", TPC-H " + scale + ", reads of 30 ms + 20 ms/MiB",
                metrics.asMap(),
                targets);
    }

    private static boolean isWanted(String part, BenchmarkOptions options) {
        return part.contains(options.only().orElse(""));
    }

    /** With the tables by whose queries connections are opened. */
    private static void createSchemas(KeyServers servers, S3Catalogs catalogs) throws SQLException {
        TrinoSession trino = servers.trino();
        String schema = KeyServers.SCHEMA;
        trino.update("CREATE SCHEMA stele_0." + schema);
        trino.update(
                "CREATE SCHEMA iceberg_0.%s WITH (location = '%s')"
                        .formatted(schema, catalogs.icebergLocation(schema)));
        trino.update(
                "CREATE TABLE %s (k bigint, v bigint) WITH (primary_key = ARRAY['k'], orientation = 'row')"
                        .formatted(servers.table("stele", "touched")));
        trino.update("INSERT INTO %s VALUES (1, 1)".formatted(servers.table("stele", "touched")));
        trino.update(
                "CREATE TABLE %s AS SELECT 1 AS k".formatted(servers.table("iceberg", "touched")));
    }

    static Target atMost(Metrics metrics, String what, String unit, double target) {
        String name = what + ": " + unit;
        return Target.atMost(name, target, metrics.value(name));
    }
}
