package io.stele.benchmarks.s3keys;

import static java.util.Objects.requireNonNull;

import io.stele.benchmarks.Medians;
import io.stele.benchmarks.Metrics;
import io.stele.benchmarks.servers.Run;
import io.stele.benchmarks.servers.S3Catalogs;
import io.stele.benchmarks.servers.SteleServers;
import io.stele.benchmarks.servers.TrinoSession;
import io.stele.testing.DelayingS3Proxy;
import io.stele.testing.RequestSpan;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The servers of the benchmark, and its measurements of statements and starts: time, reads of the
 * store, and how many of them came one after the other. Confined to one thread.
 */
final class KeyServers {
    static final String SCHEMA = "keys";

    /** The catalogs that load, and whose caches may be warm. */
    private static final int LOADING = 0;

    private final SteleServers servers;
    private final TrinoSession trino;
    private final DelayingS3Proxy proxy;
    private final Path trace;
    private final Map<String, List<Double>> values = new LinkedHashMap<>();
    private int present = LOADING; // the number of the present catalogs

    KeyServers(Run run, SteleServers servers, TrinoSession trino, DelayingS3Proxy proxy) {
        this.servers = requireNonNull(servers, "servers is null");
        this.trino = requireNonNull(trino, "trino is null");
        this.proxy = requireNonNull(proxy, "proxy is null");
        this.trace = run.path("state").resolve("log").resolve("requests.tsv");
    }

    /** Writes the files of some catalogs of each kind, which have caches of their own. */
    static void configureTrino(S3Catalogs catalogs, int starts) throws IOException {
        for (int number = LOADING; number <= starts; number++) {
            catalogs.write("stele_" + number, catalogs.stele());
            catalogs.write("iceberg_" + number, new TreeMap<>(catalogs.iceberg()));
            String cached = "iceberg_cached_" + number;
            catalogs.write(cached, catalogs.cachedIceberg(cached));
        }
    }

    TrinoSession trino() {
        return trino;
    }

    /** A table of the present catalog of a kind. */
    String table(String catalogs, String name) {
        return "%s_%d.%s.%s".formatted(catalogs, present, SCHEMA, name);
    }

    /**
     * Kills the sidecar, deletes its cache on disk, starts it, and goes on with new catalogs, so
     * that no cache has anything. A query of a row in the sidecar's log opens connections.
     *
     * @param what the name of the start in the report; empty: it is not measured
     */
    void startCold(String what) throws SQLException, IOException, InterruptedException {
        servers.killSidecar();
        servers.emptySidecarCache();
        if (what.isEmpty()) {
            servers.startSidecar();
        } else {
            timed(
                    what,
                    () -> {
                        servers.startSidecar();
                        return List.of();
                    });
        }
        present++;
        trino.query("SELECT v FROM %s WHERE k = 1".formatted(table("stele", "touched")));
        trino.query("SELECT k FROM %s".formatted(table("iceberg", "touched")));
        trino.query("SELECT k FROM %s".formatted(table("iceberg_cached", "touched")));
    }

    /** After an end in order a sidecar has the cache of classes that an installation has. */
    void endInOrder() throws IOException, InterruptedException {
        servers.restartSidecar();
    }

    /** What is measured. */
    @FunctionalInterface
    interface Work {
        List<List<Object>> run() throws SQLException, IOException, InterruptedException;
    }

    /** Measures a query, and returns its rows. */
    List<List<Object>> query(String what, String sql)
            throws SQLException, IOException, InterruptedException {
        return timed(what, () -> trino.query(sql));
    }

    /** Measures a change, and returns the number of its rows. */
    long update(String what, String sql) throws SQLException, IOException, InterruptedException {
        return (long) timed(what, () -> List.of(List.of(trino.update(sql)))).getFirst().getFirst();
    }

    private List<List<Object>> timed(String what, Work work)
            throws SQLException, IOException, InterruptedException {
        proxy.takeSpans(); // those of what reads in the background
        long start = System.nanoTime();
        List<List<Object>> found = new ArrayList<>(work.run());
        add(what + ": ms", (System.nanoTime() - start) / 1e6);
        List<RequestSpan> reads = proxy.takeSpans().stream().filter(RequestSpan::isRead).toList();
        add(what + ": requests", reads.size());
        add(what + ": rounds", RequestSpan.rounds(reads));
        trace(what, start, reads);
        return found;
    }

    private void add(String name, double value) {
        values.computeIfAbsent(name, _ -> new ArrayList<>()).add(value);
    }

    /** Drops what was measured before. */
    void forget() {
        values.clear();
    }

    /** Medians of the rounds, and the first one by itself. */
    void report(Metrics metrics) {
        values.forEach(
                (name, found) -> {
                    metrics.put(name, Medians.median(found));
                    metrics.put(name + ", first round", found.getFirst());
                });
    }

    /** One line a read: of what, from when to when (ms), of which object and bytes. */
    private void trace(String what, long start, List<RequestSpan> reads) throws IOException {
        StringBuilder lines = new StringBuilder();
        for (RequestSpan read : reads) {
            lines.append(
                    "%s\t%.1f\t%.1f\t%s\t%s%n"
                            .formatted(
                                    what,
                                    (read.startNanos() - start) / 1e6,
                                    (read.endNanos() - start) / 1e6,
                                    read.target(),
                                    read.range()));
        }
        Files.writeString(trace, lines, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }
}
