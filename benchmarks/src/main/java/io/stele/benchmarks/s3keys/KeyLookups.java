package io.stele.benchmarks.s3keys;

import static java.util.Objects.requireNonNull;

import io.stele.benchmarks.Metrics;
import io.stele.benchmarks.Target;
import io.stele.benchmarks.servers.OrderKeys;
import io.stele.benchmarks.servers.TrinoSession;
import java.io.IOException;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;

/**
 * The part of the benchmark that queries one order or twenty by key, cold and then others, and
 * replaces 2,500. Confined to one thread.
 */
final class KeyLookups {
    private static final String CHANGES = "memory.default.s3_keys_changes_";
    private static final int KEYS = 20;

    /** Every 601st order, 2,496 of 1.5 million; others in each round, since those are in memory. */
    private static final int CHANGED = 601;

    private final KeyServers servers;
    private final String scale;
    private final int rounds;
    private final SplittableRandom random = new SplittableRandom(42);
    private List<Long> keys = List.of();

    KeyLookups(KeyServers servers, String scale, int rounds) {
        this.servers = requireNonNull(servers, "servers is null");
        this.scale = requireNonNull(scale, "scale is null");
        this.rounds = rounds;
    }

    /** The starts that it needs, with those of a round that compiles code. */
    static int starts(int rounds) {
        return 3 * (rounds + 1);
    }

    void load() throws SQLException {
        TrinoSession trino = servers.trino();
        for (KeyTable table : KeyTable.written()) {
            String name = servers.table(table.catalogs(), table.table());
            trino.update(
                    "CREATE TABLE %s%s AS SELECT * FROM tpch.%s.orders"
                            .formatted(name, table.properties(), scale));
            if (table.isStele()) {
                trino.flush(name);
            }
        }
        for (int round = 0; round < rounds; round++) {
            trino.update(
                    "CREATE TABLE %s AS SELECT * FROM tpch.%s.orders WHERE o_orderkey %% %d = %d"
                            .formatted(CHANGES + round, scale, CHANGED, round));
        }
        keys = OrderKeys.some(trino, scale);
    }

    /** Of queries. */
    void compileCode() throws SQLException, IOException, InterruptedException {
        queries();
        servers.endInOrder();
        servers.forget();
    }

    void run() throws SQLException, IOException, InterruptedException {
        List<String> columns =
                servers.trino().query("SHOW COLUMNS FROM tpch.tiny.orders").stream()
                        .map(row -> (String) row.getFirst())
                        .toList();
        for (int round = 0; round < rounds; round++) {
            queries();
            servers.startCold("restart after SIGKILL");
            for (KeyTable table : KeyTable.written()) {
                servers.update(
                        table.label() + " upsert cold",
                        Upsert.sql(
                                table.isStele(),
                                servers.table(table.catalogs(), table.table()),
                                CHANGES + round,
                                List.of("o_orderkey"),
                                columns));
            }
        }
    }

    private void queries() throws SQLException, IOException, InterruptedException {
        for (int count : new int[] {1, KEYS}) {
            servers.startCold("restart after SIGKILL");
            String what = count == 1 ? " 1 key" : " " + count + " keys";
            for (String when : List.of(" cold", " again", " once more")) {
                List<Long> wanted = some(count);
                List<List<Object>> expected = List.of();
                for (KeyTable table : KeyTable.values()) {
                    List<List<Object>> found =
                            servers.query(
                                    table.label() + what + when,
                                    KeyTable.query(
                                            servers.table(table.catalogs(), table.table()),
                                            wanted));
                    found.sort(Comparator.comparing(row -> ((Number) row.getFirst()).longValue()));
                    if (found.size() != count || !(expected.isEmpty() || expected.equals(found))) {
                        throw new IllegalStateException(
                                "Expected orders %s of %s to be %s, found %s"
                                        .formatted(wanted, table.label(), expected, found));
                    }
                    expected = found;
                }
            }
        }
    }

    private List<Long> some(int count) {
        TreeSet<Long> some = new TreeSet<>();
        while (some.size() < count) {
            some.add(keys.get(random.nextInt(keys.size())));
        }
        return List.copyOf(some);
    }

    /**
     * Of upserts the first round counts: later starts replay those before, and have the indexes of
     * keys in memory by that.
     */
    static List<Target> targets(Metrics metrics) {
        return List.of(
                S3KeysBenchmark.atMost(metrics, "column 1 key cold", "ms", 120),
                S3KeysBenchmark.atMost(metrics, "column 1 key cold", "requests", 3),
                S3KeysBenchmark.atMost(metrics, "column 1 key again", "ms", 60),
                S3KeysBenchmark.atMost(metrics, "column 20 keys cold", "ms", 200),
                S3KeysBenchmark.atMost(metrics, "row 20 keys cold", "ms", 120),
                S3KeysBenchmark.atMost(metrics, "column upsert cold", "ms, first round", 1_000),
                Target.atMost(
                        "column upsert cold: ms, times Iceberg's MERGE",
                        1.0,
                        metrics.value("column upsert cold: ms, first round")
                                / metrics.value("iceberg upsert cold: ms, first round")));
    }
}
