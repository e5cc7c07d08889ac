package io.stele.benchmarks.paimon;

import static java.util.Objects.requireNonNull;

import io.stele.benchmarks.Medians;
import io.stele.benchmarks.Metrics;
import io.stele.benchmarks.servers.Run;
import io.stele.benchmarks.servers.S3Catalogs;
import io.stele.benchmarks.servers.SteleServers;
import io.stele.benchmarks.servers.TpchRounds;
import io.stele.benchmarks.servers.TpchRounds.Place;
import io.stele.benchmarks.servers.TrinoSession;
import io.stele.testing.InjectedDelays;
import io.stele.testing.TpchQuery;
import io.stele.testing.VersityGateway;
import java.io.IOException;
import java.nio.file.Files;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The phase of the Paimon benchmark that runs the 22 TPC-H queries through Trino over a lake,
 * beside Iceberg in the same server. They run on the local disk, and on S3 with its latency, where
 * both have a cache of pages. Confined to one thread.
 */
final class TpchPhase {
    static final String ORC_RATIO = "TPC-H ORC: speed, times Iceberg";
    static final String PARQUET_RATIO = "TPC-H Parquet: speed, times Iceberg";
    static final String UPDATED_RATIO = "TPC-H 5 % updated: speed, times the same without";
    static final String S3_RATIO = "TPC-H S3 warm: speed, times Iceberg";

    private static final String LAKE = "lake";
    private static final String LAKE_S3 = "lake_s3";
    private static final String ICEBERG = "iceberg";
    private static final String ICEBERG_S3 = "iceberg_s3";
    private static final Place ORC = new Place("orc", LAKE, TpchLake.ORC);
    private static final Place PARQUET = new Place("parquet", LAKE, TpchLake.PARQUET);
    private static final Place KEYED = new Place("keyed", LAKE, TpchLake.KEYED);
    private static final Place UPDATED = new Place("updated", LAKE, TpchLake.UPDATED);
    private static final Place S3 = new Place("s3", LAKE_S3, TpchLake.PARQUET);
    private static final Place OF_ORC = new Place("iceberg orc", ICEBERG, "tpch_orc");
    private static final Place OF_PARQUET = new Place("iceberg parquet", ICEBERG, "tpch_parquet");
    private static final Place OF_S3 = new Place("iceberg s3", ICEBERG_S3, "tpch");

    private final Run run;
    private final BenchmarkLake lake;
    private final double scale;
    private final List<TpchQuery> queries;
    private final int warmUpRounds;
    private final int rounds;
    private final boolean onDisk;
    private final boolean onS3;
    private final Metrics metrics;

    /**
     * @param onDisk whether to query on the local disk
     * @param onS3 whether to query on S3
     */
    TpchPhase(
            Run run,
            BenchmarkLake lake,
            double scale,
            List<TpchQuery> queries,
            int warmUpRounds,
            int rounds,
            boolean onDisk,
            boolean onS3,
            Metrics metrics) {
        this.run = requireNonNull(run, "run is null");
        this.lake = requireNonNull(lake, "lake is null");
        this.scale = scale;
        this.queries = List.copyOf(requireNonNull(queries, "queries is null"));
        this.warmUpRounds = warmUpRounds;
        this.rounds = rounds;
        this.onDisk = onDisk;
        this.onS3 = onS3;
        this.metrics = requireNonNull(metrics, "metrics is null");
    }

    void run() throws Exception {
        S3Catalogs catalogs = new S3Catalogs(run, lake.s3(), VersityGateway.BUCKET);
        configureTrino(catalogs);
        lake.proxy().newRound(InjectedDelays.NONE);
        try (LakeWriter writer = LakeWriter.open(lake.folder(), lake.spill());
                SteleServers servers = new SteleServers(run)) {
            TpchLake tables = new TpchLake(writer, lake.folder(), scale);
            timed("TPC-H: load of the lake s", tables::write);
            servers.startTrino();
            try (TrinoSession trino = TrinoSession.connect(servers.trinoUri())) {
                timed("TPC-H: load of Iceberg s", () -> loadIceberg(trino, catalogs));
                Place analyzed = onDisk ? OF_PARQUET : OF_S3;
                tables.analyze(trino, analyzed.catalog() + "." + analyzed.schema());
                TpchRounds asked = new TpchRounds(trino);
                if (onDisk) {
                    queryDisk(asked);
                }
                if (onS3) {
                    queryS3(asked);
                }
            }
        }
    }

    private interface Step {
        void run() throws Exception;
    }

    private void timed(String name, Step step) throws Exception {
        long start = System.nanoTime();
        step.run();
        metrics.put(name, (System.nanoTime() - start) / 1e9);
    }

    /** The server needs no sidecar without the catalog of Stele's own tables. */
    private void configureTrino(S3Catalogs catalogs) throws IOException {
        Files.deleteIfExists(run.path("trino.etc").resolve("catalog").resolve("stele.properties"));
        Map<String, String> local = new TreeMap<>(lake.local());
        local.put("connector.name", "stele_paimon");
        catalogs.write(LAKE, local);
        Map<String, String> remote = new TreeMap<>(lake.remote());
        remote.put("connector.name", "stele_paimon");
        catalogs.write(LAKE_S3, remote);
        catalogs.write(ICEBERG_S3, catalogs.cachedIceberg(ICEBERG_S3));
    }

    private void loadIceberg(TrinoSession trino, S3Catalogs catalogs) throws SQLException {
        if (onDisk) {
            load(trino, OF_ORC, "", "ORC");
            load(trino, OF_PARQUET, "", "PARQUET");
        }
        if (onS3) {
            String location = catalogs.icebergLocation(OF_S3.schema());
            load(trino, OF_S3, " WITH (location = '%s')".formatted(location), "PARQUET");
        }
    }

    private void load(TrinoSession trino, Place place, String schemaProperties, String format)
            throws SQLException {
        trino.update(
                "CREATE SCHEMA %s.%s%s"
                        .formatted(place.catalog(), place.schema(), schemaProperties));
        trino.use(place.catalog(), place.schema());
        for (String table : TpchQuery.TABLES) {
            trino.update(
                    "CREATE TABLE %s WITH (format = '%s') AS SELECT * FROM tpch.\"sf%s\".%s"
                            .formatted(table, format, scaleName(), table));
        }
    }

    /** As Trino names schemas of scale factors. */
    private String scaleName() {
        return scale == Math.rint(scale) ? "" + (long) scale : "" + scale;
    }

    private void queryDisk(TpchRounds asked) throws SQLException {
        List<Place> places = List.of(ORC, OF_ORC, PARQUET, OF_PARQUET, KEYED, UPDATED);
        query(asked, places, InjectedDelays.NONE);
        putRatio(asked, ORC_RATIO, ORC, OF_ORC);
        putRatio(asked, PARQUET_RATIO, PARQUET, OF_PARQUET);
        putRatio(asked, UPDATED_RATIO, UPDATED, KEYED);
    }

    private void queryS3(TpchRounds asked) throws SQLException {
        query(asked, List.of(S3, OF_S3), InjectedDelays.S3);
        metrics.put(
                "TPC-H S3 warm: requests a round, both", lake.proxy().reads() / (double) rounds);
        putRatio(asked, S3_RATIO, S3, OF_S3);
    }

    private void query(TpchRounds asked, List<Place> places, InjectedDelays delays)
            throws SQLException {
        asked.run(warmUpRounds, queries, places);
        lake.proxy().newRound(delays);
        asked.run(rounds, queries, places);
        for (Place place : places) {
            double total = 0;
            for (TpchQuery query : queries) {
                double median = Medians.median(asked.millis(query, place));
                metrics.put("%s %s median ms".formatted(query.name(), place.label()), median);
                total += median;
            }
            metrics.put("all queries %s ms".formatted(place.label()), total);
        }
    }

    /** Geometric mean. */
    private void putRatio(TpchRounds asked, String name, Place place, Place other) {
        double logarithms = 0;
        for (TpchQuery query : queries) {
            logarithms +=
                    Math.log(
                            Medians.median(asked.millis(query, other))
                                    / Medians.median(asked.millis(query, place)));
        }
        metrics.put(name, Math.exp(logarithms / queries.size()));
    }
}
