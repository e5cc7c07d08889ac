package io.stele.benchmarks.s3keys;

import static java.util.Objects.requireNonNull;

import io.stele.benchmarks.Metrics;
import io.stele.benchmarks.Target;
import io.stele.benchmarks.servers.TrinoSession;
import java.io.IOException;
import java.sql.SQLException;
import java.util.List;

/**
 * The part of the benchmark that kills the sidecar and starts it over a warehouse with some number
 * of data files, one of each partition of a table, while rows are in its log. Confined to one
 * thread.
 */
final class ManyFiles {
    private static final String START = "start after SIGKILL, %,d files";
    private static final int LOGGED_ROWS = 1_000;

    /** Files, and the most milliseconds of a start. */
    private record Size(int files, double targetMillis) {}

    private static final List<Size> SIZES = List.of(new Size(171, 2_000), new Size(10_000, 3_000));
    private static final List<Size> QUICK = List.of(new Size(171, 2_000));

    private final KeyServers servers;
    private final List<Size> sizes;
    private final int rounds;

    ManyFiles(KeyServers servers, boolean quick, int rounds) {
        this.servers = requireNonNull(servers, "servers is null");
        this.sizes = quick ? QUICK : SIZES;
        this.rounds = rounds;
    }

    /** The starts that it needs. */
    static int starts(int rounds) {
        return SIZES.size() * rounds;
    }

    /** Files add up: those of earlier parts and sizes are there as well. */
    void run() throws SQLException, IOException, InterruptedException {
        TrinoSession trino = servers.trino();
        String logged = servers.table("stele", "logged");
        trino.update(
                "CREATE TABLE %s (k bigint, v bigint) WITH (primary_key = ARRAY['k'])"
                        .formatted(logged));
        for (Size size : sizes) {
            String name = "files_" + size.files();
            String table = servers.table("stele", name);
            trino.update(
                    "CREATE TABLE %s (p bigint, v bigint) WITH (partitioned_by = ARRAY['p'], shard_count = 1)"
                            .formatted(table));
            trino.update(
                    "INSERT INTO %s SELECT p, p FROM UNNEST(sequence(1, %d)) AS a (p)"
                            .formatted(table, size.files()));
            trino.flush(table);
            long files =
                    trino.number(
                            "SELECT count(*) FROM %s"
                                    .formatted(servers.table("stele", "\"" + name + "$files\"")));
            if (files < size.files()) {
                throw new IllegalStateException(
                        "Expected %,d files of %s, found %,d"
                                .formatted(size.files(), table, files));
            }
            for (int round = 0; round < rounds; round++) {
                trino.update(
                        "INSERT INTO %s SELECT k, %d FROM UNNEST(sequence(1, %d)) AS a (k)"
                                .formatted(servers.table("stele", "logged"), round, LOGGED_ROWS));
                servers.startCold(START.formatted(size.files()));
                long rows =
                        trino.number(
                                "SELECT count(*) FROM %s WHERE v = %d"
                                        .formatted(servers.table("stele", "logged"), round));
                if (rows != LOGGED_ROWS) {
                    throw new IllegalStateException(
                            "Expected %,d acknowledged rows after the start, found %,d"
                                    .formatted(LOGGED_ROWS, rows));
                }
            }
        }
    }

    List<Target> targets(Metrics metrics) {
        return sizes.stream()
                .map(
                        size ->
                                S3KeysBenchmark.atMost(
                                        metrics,
                                        START.formatted(size.files()),
                                        "ms",
                                        size.targetMillis()))
                .toList();
    }
}
