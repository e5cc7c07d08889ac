package io.stele.benchmarks.s3keys;

import static java.util.Objects.requireNonNull;

import io.stele.benchmarks.Metrics;
import io.stele.benchmarks.Target;
import io.stele.benchmarks.servers.LoadedTable;
import io.stele.benchmarks.servers.TrinoSession;
import java.io.IOException;
import java.sql.SQLException;
import java.util.List;

/**
 * The part of the benchmark that changes few rows of a table of 6 million that nothing has read
 * since the start: an UPDATE of some 250 rows of 62 orders all over lineitem, and an upsert of
 * 10,000 of its rows, chosen by a hash of the key. Beside Iceberg's UPDATE and MERGE. Confined to
 * one thread.
 */
final class ColdWrites {
    private static final String TABLE = "lineitem";
    private static final String CHANGES = "memory.default.lineitem_changes_";
    private static final String UPDATE = "%s UPDATE of 250 of 6 M rows, cold";
    private static final String UPSERT = "%s upsert of 10,000 of 6 M rows, cold";

    private final KeyServers servers;
    private final String scale;
    private final int orderDistance;
    private final int rounds;

    /**
     * @param orderDistance of the keys of changed orders, a multiple of 32
     */
    ColdWrites(KeyServers servers, String scale, int orderDistance, int rounds) {
        this.servers = requireNonNull(servers, "servers is null");
        this.scale = requireNonNull(scale, "scale is null");
        this.orderDistance = orderDistance;
        this.rounds = rounds;
    }

    /** The starts that it needs. */
    static int starts(int rounds) {
        return 2 * rounds;
    }

    void load() throws SQLException {
        TrinoSession trino = servers.trino();
        LoadedTable lineitem = LoadedTable.TPCH.getFirst();
        String stele = servers.table("stele", TABLE);
        trino.update(
                "CREATE TABLE %s WITH (primary_key = ARRAY[%s], clustering_key = ARRAY['%s']) AS %s"
                        .formatted(
                                stele,
                                lineitem.primaryKey(),
                                lineitem.clusteringKey(),
                                lineitem.select(scale)));
        trino.flush(stele);
        trino.update(
                "CREATE TABLE %s WITH (format = 'PARQUET') AS %s"
                        .formatted(servers.table("iceberg", TABLE), lineitem.select(scale)));
        for (int round = 0; round < rounds; round++) {
            trino.update(
                    "CREATE TABLE %s AS %s WHERE bitwise_and(from_big_endian_64(xxhash64(to_big_endian_64(l_orderkey * 8 + l_linenumber))), 9223372036854775807) %% 600 = %d"
                            .formatted(CHANGES + round, lineitem.select(scale), round));
        }
    }

    void run() throws SQLException, IOException, InterruptedException {
        List<String> columns =
                servers.trino().query("SHOW COLUMNS FROM tpch.tiny.lineitem").stream()
                        .map(row -> (String) row.getFirst())
                        .toList();
        for (int round = 0; round < rounds; round++) {
            int residue = 32 * round + 1; // orders have eight keys in each 32
            servers.startCold("");
            both(
                    UPDATE,
                    table ->
                            "UPDATE %s SET l_comment = 'changed' WHERE l_orderkey %% %d = %d"
                                    .formatted(
                                            servers.table(table, TABLE), orderDistance, residue));
            String changes = CHANGES + round;
            servers.startCold("");
            both(
                    UPSERT,
                    table ->
                            Upsert.sql(
                                    table.equals("stele"),
                                    servers.table(table, TABLE),
                                    changes,
                                    List.of("l_orderkey", "l_linenumber"),
                                    columns));
        }
    }

    /** The statement on a table of a kind of catalogs. */
    private interface Statement {
        String of(String catalogs);
    }

    private void both(String what, Statement statement)
            throws SQLException, IOException, InterruptedException {
        long stele = servers.update(what.formatted("stele"), statement.of("stele"));
        long iceberg = servers.update(what.formatted("iceberg"), statement.of("iceberg"));
        if (stele == 0 || stele != iceberg) {
            throw new IllegalStateException(
                    "Expected the same number of rows of %s, found %d in Stele and %d in Iceberg"
                            .formatted(what, stele, iceberg));
        }
    }

    static List<Target> targets(Metrics metrics) {
        return List.of(
                Target.atMost(
                        UPDATE.formatted("stele") + ": ms, times Iceberg",
                        1.0,
                        metrics.value(UPDATE.formatted("stele") + ": ms")
                                / metrics.value(UPDATE.formatted("iceberg") + ": ms")),
                S3KeysBenchmark.atMost(metrics, UPSERT.formatted("stele"), "ms", 3_000));
    }
}
