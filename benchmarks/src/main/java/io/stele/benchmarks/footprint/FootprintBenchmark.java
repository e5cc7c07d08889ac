package io.stele.benchmarks.footprint;

import io.stele.benchmarks.Benchmark;
import io.stele.benchmarks.BenchmarkOptions;
import io.stele.benchmarks.BenchmarkReport;
import io.stele.benchmarks.Machine;
import io.stele.benchmarks.Metrics;
import io.stele.benchmarks.Target;
import io.stele.benchmarks.servers.LoadedTable;
import io.stele.benchmarks.servers.OrderKeys;
import io.stele.benchmarks.servers.ProcessCpu;
import io.stele.benchmarks.servers.Run;
import io.stele.benchmarks.servers.S3Catalogs;
import io.stele.benchmarks.servers.SteleServers;
import io.stele.benchmarks.servers.TrinoSession;
import io.stele.objectstore.retrieval.ListPrices;
import io.stele.testing.DelayingS3Proxy;
import io.stele.testing.InjectedDelays;
import io.stele.testing.RequestCounts;
import io.stele.testing.RequestCounts.Kind;
import io.stele.testing.VersityGateway;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * A benchmark of the storage cost on S3 of TPC-H and of a star schema made of it, beside Iceberg
 * (Parquet, Zstandard). It reports bytes and objects by kind, requests of the load, requests of a
 * lookup, and dollars.
 *
 * <p>Tables of TPC-H have their primary keys, by which their files are sorted. Tables of the star
 * schema are sorted by another column, so that their key indexes hold the positions of rows. Both
 * stores are loaded by CREATE TABLE AS, one after the other, with their connectors' defaults. The
 * store is versitygw over a folder. The whole folder is examined: an object that nothing refers to
 * any more costs as much until it is deleted.
 */
public final class FootprintBenchmark implements Benchmark {
    private static final String SCHEMA = "bench";

    private static final double GIB = 1 << 30;
    private static final double MIB = 1 << 20;

    private static final int LOOKUPS = 40;
    private static final double MILLION = 1_000_000;

    private static final double MOST_TIMES = 1.15;
    private static final double INDEX_BYTES = 3;

    @Override
    public String name() {
        return "footprint";
    }

    @Override
    public String description() {
        return "bytes by kind, objects, requests and dollars of TPC-H and a star schema on S3, beside Iceberg; --only takes a compression";
    }

    @Override
    public BenchmarkReport run(BenchmarkOptions options) throws Exception {
        String scale = options.quick() ? "tiny" : "sf1";
        Run run = Run.load();
        Metrics metrics = new Metrics();
        String machine = Machine.describe();
        Path objects = run.path("state").resolve("s3");
        Path bucket = objects.resolve(VersityGateway.BUCKET);
        try (VersityGateway gateway = VersityGateway.start(objects);
                DelayingS3Proxy proxy = DelayingS3Proxy.start(gateway.port(), InjectedDelays.NONE);
                SteleServers servers = new SteleServers(run)) {
            S3Catalogs catalogs =
                    new S3Catalogs(run, proxy.properties(gateway), VersityGateway.BUCKET);
            catalogs.configureSidecar();
            catalogs.write("stele", catalogs.stele());
            catalogs.write("iceberg", catalogs.iceberg());
            servers.startBoth();
            try (TrinoSession trino = TrinoSession.connect(servers.trinoUri())) {
                trino.update("CREATE SCHEMA stele." + SCHEMA);
                trino.update(
                        "CREATE SCHEMA iceberg.%s WITH (location = '%s')"
                                .formatted(SCHEMA, catalogs.icebergLocation(SCHEMA)));
                Loads loads = new Loads(servers, trino, proxy.requests(), scale, metrics);
                loads.load("stele", options.only());
                loads.load("iceberg", Optional.empty());
                StoredBytes stele = StoredBytes.of(bucket.resolve("stele"));
                report("stele", stele, metrics);
                report("iceberg", StoredBytes.of(bucket.resolve("iceberg")), metrics);
                metrics.put(
                        "stele key indexes: B a row of tables with a key",
                        stele.bytesOf(StoredBytes.KEY_INDEXES) / metrics.value("stele load: rows"));
                List<Long> keys = OrderKeys.some(trino, scale);
                servers.killSidecar();
                servers.emptySidecarCache();
                servers.startSidecar();
                loads.lookups("stele", keys);
                loads.lookups("iceberg", keys);
            }
        }
        return new BenchmarkReport(
                name(), machine + ", " + scale, metrics.asMap(), targets(metrics));
    }

    private static void report(String store, StoredBytes stored, Metrics metrics) {
        stored.bytes()
                .forEach(
                        (kind, bytes) -> {
                            metrics.put("%s %s: MiB".formatted(store, kind), bytes / MIB);
                            metrics.put(
                                    "%s %s: objects".formatted(store, kind),
                                    (double) stored.objects().getOrDefault(kind, 0L));
                        });
        metrics.put(store + " all: MiB", stored.totalBytes() / MIB);
        metrics.put(store + " all: objects", (double) stored.totalObjects());
        metrics.put(store + " all: $ a month", stored.totalBytes() / GIB * ListPrices.GIB_MONTH);
    }

    private static List<Target> targets(Metrics metrics) {
        return List.of(
                Target.atMost(
                        "bytes at rest, times Iceberg's",
                        MOST_TIMES,
                        metrics.value("stele all: MiB") / metrics.value("iceberg all: MiB")),
                Target.atMost(
                        "key index, B a row",
                        INDEX_BYTES,
                        metrics.value("stele key indexes: B a row of tables with a key")),
                Target.atMost(
                        "objects a column file, without bitmaps and deletion vectors",
                        2,
                        (metrics.value("stele column data: objects")
                                        + metrics.value("stele key indexes: objects")
                                        + metrics.value("stele checksums: objects"))
                                / metrics.value("stele column data: objects")));
    }

    /** Loads and lookups, and their requests to the store. Confined to one thread. */
    private static final class Loads {
        private final SteleServers servers;
        private final TrinoSession trino;
        private final RequestCounts requests;
        private final String scale;
        private final Metrics metrics;

        Loads(
                SteleServers servers,
                TrinoSession trino,
                RequestCounts requests,
                String scale,
                Metrics metrics) {
            this.servers = servers;
            this.trino = trino;
            this.requests = requests;
            this.scale = scale;
            this.metrics = metrics;
        }

        /**
         * @param compression of Stele's tables; empty: their default
         */
        void load(String store, Optional<String> compression)
                throws SQLException, IOException, InterruptedException {
            trino.use(store, SCHEMA);
            Map<Kind, Long> before = counts(store);
            long cpuBefore = cpuNanos();
            long start = System.nanoTime();
            double rows = 0;
            for (LoadedTable table : LoadedTable.ALL) {
                rows +=
                        trino.update(
                                "CREATE TABLE %s WITH (%s) AS %s"
                                        .formatted(
                                                table.name(),
                                                store.equals("stele")
                                                        ? properties(table, compression)
                                                        : "format = 'PARQUET', compression_codec = 'ZSTD'",
                                                table.select(scale)));
                if (store.equals("stele")) {
                    trino.update("ALTER TABLE %s EXECUTE flush".formatted(table.name()));
                }
            }
            String load = store + " load: ";
            metrics.put(load + "rows", rows);
            metrics.put(load + "s", (System.nanoTime() - start) / 1e9);
            metrics.put(load + "CPU s", (cpuNanos() - cpuBefore) / 1e9);
            double dollars = report(load, store, before, 1);
            metrics.put(load + "$ of requests", dollars);
        }

        private static String properties(LoadedTable table, Optional<String> compression) {
            return "primary_key = ARRAY[%s]".formatted(table.primaryKey())
                    + (table.isTpch()
                            ? ""
                            : ", clustering_key = ARRAY['%s']".formatted(table.clusteringKey()))
                    + compression.map(", compression = '%s'"::formatted).orElse("");
        }

        /** One row by its key, a key of its own each time; what they find stays in memory. */
        void lookups(String store, List<Long> keys)
                throws SQLException, IOException, InterruptedException {
            trino.use(store, SCHEMA);
            SplittableRandom random = new SplittableRandom(42);
            Map<Kind, Long> before = counts(store);
            for (int i = 0; i < LOOKUPS; i++) {
                long key = keys.get(random.nextInt(keys.size()));
                if (trino.query("SELECT * FROM orders WHERE o_orderkey = " + key).size() != 1) {
                    throw new IllegalStateException(
                            "Expected an order %d in %s, found none".formatted(key, store));
                }
            }
            String lookup = store + " lookup: ";
            double dollars = report(lookup, store, before, LOOKUPS);
            metrics.put(lookup + "$ a million", dollars * MILLION);
        }

        /**
         * @param times how often it was done
         * @return dollars of its requests, each time
         */
        private double report(String what, String store, Map<Kind, Long> before, double times) {
            Map<Kind, Double> found = new EnumMap<>(Kind.class);
            counts(store)
                    .forEach(
                            (kind, count) ->
                                    found.put(
                                            kind, (count - before.getOrDefault(kind, 0L)) / times));
            metrics.put(what + "PUTs", found.getOrDefault(Kind.WRITE, 0.0));
            metrics.put(what + "LISTs", found.getOrDefault(Kind.LIST, 0.0));
            metrics.put(what + "GETs", found.getOrDefault(Kind.READ, 0.0));
            metrics.put(what + "DELETEs", found.getOrDefault(Kind.DELETE, 0.0));
            return (found.getOrDefault(Kind.WRITE, 0.0) + found.getOrDefault(Kind.LIST, 0.0))
                            * ListPrices.PUT
                    + found.getOrDefault(Kind.READ, 0.0) * ListPrices.GET;
        }

        private Map<Kind, Long> counts(String folder) {
            Map<Kind, Long> counts = new EnumMap<>(Kind.class);
            for (Kind kind : Kind.values()) {
                counts.put(kind, requests.count(folder, kind));
            }
            return counts;
        }

        private long cpuNanos() throws IOException, InterruptedException {
            return ProcessCpu.nanos(servers.trinoPid()) + ProcessCpu.nanos(servers.sidecarPid());
        }
    }
}
