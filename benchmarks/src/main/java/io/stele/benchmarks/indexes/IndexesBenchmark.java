package io.stele.benchmarks.indexes;

import static java.util.Objects.requireNonNull;

import io.stele.benchmarks.Benchmark;
import io.stele.benchmarks.BenchmarkOptions;
import io.stele.benchmarks.BenchmarkReport;
import io.stele.benchmarks.Machine;
import io.stele.benchmarks.Medians;
import io.stele.benchmarks.Metrics;
import io.stele.benchmarks.Target;
import io.stele.benchmarks.ingest.UserTable;
import io.stele.benchmarks.servers.Clients;
import io.stele.benchmarks.servers.Run;
import io.stele.benchmarks.servers.SteleServers;
import io.stele.client.SteleClient;
import io.stele.client.flight.FlightClient;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * A benchmark of upserts into tables with 0, 1, 5 and 10 secondary indexes, and with a unique index
 * beside an index that is not unique. Each batch is acknowledged when it is in the synced log and
 * visible. The tables for unique indexes have one shard, since unique indexes that do not contain
 * the distribution key allow no more.
 *
 * <p>Client and sidecar are processes of their own on the same cores. Rounds rotate the order; what
 * is reported are medians. Hologres reports 8 % less throughput and 25 % more latency with ten
 * indexes, on machines of many cores where indexes are written beside the rows.
 */
public final class IndexesBenchmark implements Benchmark {
    private static final List<Case> CASES =
            List.of(
                    new Case("0 indexes", 0, false, 2),
                    new Case("1 index", 1, false, 2),
                    new Case("5 indexes", 5, false, 2),
                    new Case("10 indexes", 10, false, 2),
                    new Case("1 index, 1 shard", 1, false, 1),
                    new Case("1 unique index, 1 shard", 1, true, 1));
    private static final double TARGET_THROUGHPUT = 0.35;
    private static final double HOLOGRES_THROUGHPUT = 0.92;
    private static final double HOLOGRES_LATENCY = 1.25;

    /** The indexes and shards of a table. */
    private record Case(String name, int indexes, boolean unique, int shards) {
        IndexedTable table(int round) {
            return new IndexedTable(
                    "indexed_%d_%d_%d_%b".formatted(round + 1, indexes, shards, unique),
                    indexes,
                    unique,
                    shards);
        }
    }

    @Override
    public String name() {
        return "indexes";
    }

    @Override
    public String description() {
        return "upserts into a table with 0, 1, 5 and 10 secondary indexes, and with a unique one";
    }

    @Override
    public BenchmarkReport run(BenchmarkOptions options) throws Exception {
        int rows = options.quick() ? 20_000 : 600_000;
        int rounds = options.quick() ? 1 : 5;
        List<Case> cases =
                CASES.stream()
                        .filter(one -> one.name().contains(options.only().orElse("")))
                        .toList();
        Run run = Run.load();
        String machine = Machine.describe();
        Map<String, List<UpsertPhase.Result>> results = new LinkedHashMap<>();
        cases.forEach(one -> results.put(one.name(), new ArrayList<>()));
        try (SteleServers servers = new SteleServers(run);
                SidecarStatus status = new SidecarStatus(run)) {
            servers.startSidecar();
            try (SteleClient client = Clients.stele(run);
                    FlightClient flight = Clients.flight(run)) {
                UserTable.createSchema(flight);
                // Unmeasured: a server that has run for a while has its code compiled.
                UpsertPhase warmUp =
                        new UpsertPhase(
                                client,
                                flight,
                                status,
                                servers.sidecarPid(),
                                Math.min(rows, 200_000));
                for (Case one : cases) {
                    warmUp.run(one.table(-1), -1);
                }
                UpsertPhase phase =
                        new UpsertPhase(client, flight, status, servers.sidecarPid(), rows);
                List<Case> order = new ArrayList<>(cases);
                for (int round = 0; round < rounds; round++) {
                    for (Case one : order) {
                        requireNonNull(results.get(one.name()))
                                .add(phase.run(one.table(round), round));
                    }
                    Collections.rotate(order, 1);
                }
            }
        }
        Metrics metrics = new Metrics();
        results.forEach((name, found) -> put(metrics, name, found));
        List<Target> targets = targets(metrics);
        if (has(metrics, "10 indexes") && has(metrics, "0 indexes")) {
            System.out.println(limit(metrics));
        }
        return new BenchmarkReport(
                name(), machine + ", %,d upserts".formatted(rows), metrics.asMap(), targets);
    }

    private static void put(Metrics metrics, String name, List<UpsertPhase.Result> found) {
        metrics.put(name + ": rows/s", median(found, UpsertPhase.Result::rowsPerSecond));
        metrics.put(name + ": batch p95 ms", median(found, UpsertPhase.Result::p95Millis));
        metrics.put(name + ": batch p99 ms", median(found, UpsertPhase.Result::p99Millis));
        metrics.put(name + ": cores, sidecar", median(found, UpsertPhase.Result::cores));
        metrics.put(name + ": cores, client", median(found, UpsertPhase.Result::clientCores));
        metrics.put(
                name + ": sidecar CPU us/row, in files",
                median(found, UpsertPhase.Result::sidecarMicrosPerRow));
        metrics.put(name + ": bytes logged/row", median(found, UpsertPhase.Result::logBytesPerRow));
        metrics.put(
                name + ": bytes flushed and merged/row",
                median(found, UpsertPhase.Result::fileBytesPerRow));
    }

    private static double median(
            List<UpsertPhase.Result> found, ToDoubleFunction<UpsertPhase.Result> value) {
        return Medians.median(found.stream().mapToDouble(value).boxed().toList());
    }

    private static boolean has(Metrics metrics, String name) {
        return metrics.asMap().containsKey(name + ": rows/s");
    }

    private static List<Target> targets(Metrics metrics) {
        ratioIfThere(metrics, "1 unique index, 1 shard", "1 index, 1 shard");
        ratioIfThere(metrics, "1 index", "0 indexes");
        ratioIfThere(metrics, "5 indexes", "0 indexes");
        if (!has(metrics, "10 indexes") || !has(metrics, "0 indexes")) {
            return List.of();
        }
        double throughput = ratio(metrics, "10 indexes", "0 indexes", "rows/s");
        double p95 = ratio(metrics, "10 indexes", "0 indexes", "batch p95 ms");
        double p99 = ratio(metrics, "10 indexes", "0 indexes", "batch p99 ms");
        return List.of(
                Target.atLeast("10 indexes: rows/s, times none", TARGET_THROUGHPUT, throughput),
                Target.atLeast(
                        "10 indexes: rows/s, times none, as Hologres",
                        HOLOGRES_THROUGHPUT,
                        throughput),
                Target.atMost(
                        "10 indexes: batch p95, times none, as Hologres", HOLOGRES_LATENCY, p95),
                Target.atMost(
                        "10 indexes: batch p99, times none, as Hologres", HOLOGRES_LATENCY, p99));
    }

    private static void ratioIfThere(Metrics metrics, String one, String other) {
        if (has(metrics, one) && has(metrics, other)) {
            ratio(metrics, one, other, "rows/s");
        }
    }

    private static double ratio(Metrics metrics, String one, String other, String what) {
        double ratio = metrics.value(one + ": " + what) / metrics.value(other + ": " + what);
        metrics.put(one + ": " + what + ", times " + other, ratio);
        return ratio;
    }

    private static String limit(Metrics metrics) {
        String name = "10 indexes: ";
        double sidecar = metrics.value(name + "cores, sidecar");
        double client = metrics.value(name + "cores, client");
        int cores = Runtime.getRuntime().availableProcessors();
        double row = metrics.value("0 indexes: sidecar CPU us/row, in files");
        double indexed = metrics.value(name + "sidecar CPU us/row, in files");
        return "10 indexes: %.2f of %d cores busy (sidecar %.2f, client %.2f), limited by %s; an index entry costs %.2f us of CPU, a row without indexes %.2f us"
                .formatted(
                        sidecar + client,
                        cores,
                        sidecar,
                        client,
                        sidecar + client > 0.85 * cores
                                ? "the processor"
                                : "one core of the shards' contexts, the log, or waiting",
                        (indexed - row) / 10,
                        row);
    }
}
