package io.stele.benchmarks.encryption;

import io.stele.benchmarks.Medians;
import io.stele.benchmarks.Metrics;
import io.stele.benchmarks.servers.ProcessCpu;
import io.stele.benchmarks.servers.Run;
import io.stele.benchmarks.servers.SteleServers;
import io.stele.benchmarks.servers.TpchQueries;
import io.stele.benchmarks.servers.TrinoSession;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The phase of the encryption benchmark that scans an unencrypted and an encrypted table by TPC-H
 * Q1 and Q6 through Trino. Both tables have the same rows in one warehouse; one was loaded before
 * the warehouse was switched to encryption, one after. Column caches are off, so every scan reads
 * and decodes its files.
 */
final class ScanPhase {
    private static final Map<String, String> QUERIES =
            Map.of("q1", TpchQueries.Q1, "q6", TpchQueries.Q6);
    private static final List<String> TABLES = List.of("plain", "encrypted");

    private final Run run;
    private final String scale;
    private final int warmUpRounds;
    private final int rounds;
    private final Metrics metrics;

    ScanPhase(Run run, String scale, int warmUpRounds, int rounds, Metrics metrics) {
        this.run = run;
        this.scale = scale;
        this.warmUpRounds = warmUpRounds;
        this.rounds = rounds;
        this.metrics = metrics;
    }

    /**
     * @param masterKeys in the form of the configuration
     */
    void run(String masterKeys) throws Exception {
        Path sidecar = run.path("sidecar.etc").resolve("config.properties");
        Path catalog = run.path("trino.etc").resolve("catalog").resolve("stele.properties");
        append(catalog, "stele.scan.column-cache-size=0B");
        try (SteleServers servers = new SteleServers(run)) {
            servers.startBoth();
            try (TrinoSession trino = TrinoSession.connect(servers.trinoUri())) {
                trino.update("CREATE SCHEMA stele.bench");
                load(trino, "plain");
            }
        }
        append(sidecar, "stele.encryption.master-keys=" + masterKeys);
        append(catalog, "stele.encryption.master-keys=" + masterKeys);
        try (SteleServers servers = new SteleServers(run)) {
            servers.startBoth();
            try (TrinoSession trino = TrinoSession.connect(servers.trinoUri())) {
                load(trino, "encrypted");
                scan(trino, servers.trinoPid(), warmUpRounds);
                scan(trino, servers.trinoPid(), rounds)
                        .forEach((name, values) -> metrics.put(name, Medians.median(values)));
            }
        }
        for (String query : QUERIES.keySet().stream().sorted().toList()) {
            metrics.put(
                    query + " encrypted: CPU times plain",
                    metrics.value(query + " encrypted: CPU ms")
                            / metrics.value(query + " plain: CPU ms"));
        }
    }

    private static void append(Path file, String line) throws IOException {
        Files.writeString(file, "\n" + line + "\n", StandardOpenOption.APPEND);
    }

    private void load(TrinoSession trino, String table) throws SQLException {
        long start = System.nanoTime();
        trino.update(
                "CREATE TABLE stele.bench.%s AS SELECT * FROM tpch.%s.lineitem"
                        .formatted(table, scale));
        metrics.put("load " + table + ": s", (System.nanoTime() - start) / 1e9);
    }

    private static Map<String, List<Double>> scan(TrinoSession trino, long trinoPid, int rounds)
            throws SQLException, IOException, InterruptedException {
        Map<String, List<Double>> found = new LinkedHashMap<>();
        for (int round = 0; round < rounds; round++) {
            for (String query : QUERIES.keySet().stream().sorted().toList()) {
                List<List<Object>> expected = List.of();
                for (String table : round % 2 == 0 ? TABLES : TABLES.reversed()) {
                    long cpu = ProcessCpu.nanos(trinoPid);
                    TrinoSession.Measured measured = trino.measure(sql(query, table));
                    double cpuMillis = (ProcessCpu.nanos(trinoPid) - cpu) / 1e6;
                    if (!expected.isEmpty() && !TpchQueries.agree(expected, measured.rows())) {
                        throw new IllegalStateException(
                                "Expected %s of both tables to be %s, found %s"
                                        .formatted(query, expected, measured.rows()));
                    }
                    expected = measured.rows();
                    String name = query + " " + table;
                    put(found, name + ": ms", measured.millis());
                    put(found, name + ": CPU ms", cpuMillis);
                    put(
                            found,
                            name + ": MiB/s",
                            measured.physicalInputBytes() / 1048.576 / measured.millis());
                }
            }
        }
        return found;
    }

    private static String sql(String query, String table) {
        return QUERIES.getOrDefault(query, "").replace("%s.lineitem", "stele.bench." + table);
    }

    private static void put(Map<String, List<Double>> found, String name, double value) {
        found.computeIfAbsent(name, _ -> new ArrayList<>()).add(value);
    }
}
