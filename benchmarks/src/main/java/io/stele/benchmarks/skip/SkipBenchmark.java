package io.stele.benchmarks.skip;

import io.stele.benchmarks.Benchmark;
import io.stele.benchmarks.BenchmarkOptions;
import io.stele.benchmarks.BenchmarkReport;
import io.stele.benchmarks.Machine;
import io.stele.benchmarks.Medians;
import io.stele.benchmarks.Metrics;
import io.stele.benchmarks.Target;
import io.stele.benchmarks.servers.Clients;
import io.stele.benchmarks.servers.Run;
import io.stele.benchmarks.servers.SteleServers;
import io.stele.benchmarks.servers.TrinoSession;
import io.stele.benchmarks.servers.TrinoSession.Measured;
import io.stele.client.flight.FlightClient;
import io.stele.protocol.api.catalog.TableRequest;
import io.stele.protocol.api.maintenance.MaintenanceActions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * A benchmark of the bytes that a query reads with bitmap columns, dictionary columns and a segment
 * key, and without them. The rows and the query are the same; Trino counts the bytes.
 *
 * <p>All tables are loaded by CREATE TABLE AS from TPC-H lineitem and then compacted. Results are
 * compared with those of the table that has none of these designs.
 */
public final class SkipBenchmark implements Benchmark {
    /** Not "skip", which is a word of SQL. */
    private static final String SCHEMA = "skipping";

    /**
     * Rows in no order of part or ship date, as events come from many sources. Decimals, since sums
     * of doubles depend on the order of the rows. Instructions have many values: the first rows of
     * a file hardly repeat one, so a writer that decides by those stores them directly.
     */
    private static final String ROWS =
            """
            SELECT l_orderkey AS orderkey, l_linenumber AS linenumber, l_partkey %% 50000 AS part,
              CAST(l_quantity AS decimal(15, 2)) AS quantity, CAST(l_extendedprice AS decimal(15, 2)) AS extendedprice,
              CAST(l_shipdate AS timestamp(3)) AS shipped,
              'Part ' || to_hex(xxhash64(to_big_endian_64(l_partkey %% 60000))) || ' ' || l_shipmode AS instruction, l_comment AS comment
            FROM tpch.%s.lineitem""";

    /**
     * One design against none.
     *
     * @param table the table that has it
     * @param properties how it is made
     * @param query what shows it; {@code %s} is the table
     */
    private record Design(String table, String properties, String query) {}

    private static final Design NONE = new Design("plain", "", "");

    private static final List<Design> DESIGNS =
            List.of(
                    new Design(
                            "bitmap",
                            "WITH (bitmap_columns = ARRAY['part'])",
                            "SELECT count(*), sum(quantity), sum(extendedprice), max(comment) FROM %s WHERE part = 4711"),
                    new Design(
                            "segment",
                            "WITH (segment_key = ARRAY['shipped'])",
                            "SELECT count(*), sum(quantity), sum(extendedprice), max(comment) FROM %s WHERE shipped BETWEEN TIMESTAMP '1995-03-01 00:00:00' AND TIMESTAMP '1995-03-31 00:00:00'"),
                    new Design(
                            "dictionary",
                            "WITH (dictionary_columns = ARRAY['instruction'])",
                            "SELECT approx_distinct(instruction), max(instruction), min(instruction) FROM %s"));

    @Override
    public String name() {
        return "skip";
    }

    @Override
    public String description() {
        return "Bytes read with bitmap_columns, segment_key and dictionary_columns, and without";
    }

    @Override
    public BenchmarkReport run(BenchmarkOptions options) throws Exception {
        String scale = options.quick() ? "tiny" : "sf1";
        int rounds = options.quick() ? 3 : 9;
        Metrics metrics = new Metrics();
        List<Target> targets = new ArrayList<>();
        Run run = Run.load();
        try (SteleServers servers = new SteleServers(run)) {
            servers.startBoth();
            try (TrinoSession trino = TrinoSession.connect(servers.trinoUri());
                    FlightClient sidecar = Clients.flight(run)) {
                // Otherwise the sidecar would aggregate without a scan, and workers would cache
                // filtered rows
                trino.update("SET SESSION stele.aggregation_pushdown_enabled = false");
                trino.update("SET SESSION stele.fragment_cache_enabled = false");
                trino.update("CREATE SCHEMA stele." + SCHEMA);
                load(trino, sidecar, NONE, scale);
                for (Design design : DESIGNS) {
                    load(trino, sidecar, design, scale);
                    double share = measure(trino, design, rounds, metrics);
                    targets.add(
                            Target.atMost(
                                    design.table() + ": bytes read, times those without it",
                                    1.0,
                                    share));
                }
            }
        }
        return new BenchmarkReport(
                name(), Machine.describe() + ", TPC-H " + scale, metrics.asMap(), targets);
    }

    private static void load(TrinoSession trino, FlightClient sidecar, Design design, String scale)
            throws Exception {
        trino.update(
                "CREATE TABLE stele.%s.%s %s AS %s"
                        .formatted(
                                SCHEMA,
                                design.table(),
                                design.properties(),
                                ROWS.formatted(scale)));
        sidecar.action(
                MaintenanceActions.COMPACT,
                TableRequest.of(SCHEMA, design.table()),
                Duration.ofMinutes(5));
    }

    private static double measure(TrinoSession trino, Design design, int rounds, Metrics metrics)
            throws Exception {
        String without = design.query().formatted("stele." + SCHEMA + "." + NONE.table());
        String with = design.query().formatted("stele." + SCHEMA + "." + design.table());
        List<Double> bytesWithout = new ArrayList<>();
        List<Double> bytesWith = new ArrayList<>();
        List<Double> millisWithout = new ArrayList<>();
        List<Double> millisWith = new ArrayList<>();
        for (int round = 0; round < rounds; round++) {
            Measured plain = trino.measure(without);
            Measured designed = trino.measure(with);
            if (!plain.rows().equals(designed.rows())) {
                throw new IllegalStateException(
                        "Expected %s to give %s, found %s"
                                .formatted(design.table(), plain.rows(), designed.rows()));
            }
            bytesWithout.add((double) plain.physicalInputBytes());
            bytesWith.add((double) designed.physicalInputBytes());
            millisWithout.add(plain.millis());
            millisWith.add(designed.millis());
        }
        // The most: later rounds may find columns in the worker's memory
        double most = Collections.max(bytesWithout);
        double found = Collections.max(bytesWith);
        metrics.put(design.table() + " without: bytes read", most);
        metrics.put(design.table() + " with: bytes read", found);
        metrics.put(design.table() + " without: median ms", Medians.median(millisWithout));
        metrics.put(design.table() + " with: median ms", Medians.median(millisWith));
        return most == 0 ? 1 : found / most;
    }
}
