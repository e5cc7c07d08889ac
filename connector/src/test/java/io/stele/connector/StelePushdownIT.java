package io.stele.connector;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.testing.LongRun;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What plans show as pushed down, and how many rows scans really give to the engine. */
@ExtendWith(SteleCluster.Shared.class)
final class StelePushdownIT {
    private final SteleCluster cluster;
    private final SteleQueries queries;

    StelePushdownIT(SteleCluster cluster) {
        this.cluster = cluster;
        this.queries = new SteleQueries(cluster);
    }

    /** Its hash would choose the shard, and a key has none. */
    @Test
    void noRowHasNullInItsKey() {
        String table = SteleQueries.newTable("no_null");
        queries.run(
                "CREATE TABLE %s (id bigint, v bigint) WITH (primary_key = ARRAY['id'])"
                        .formatted(table));
        queries.update("INSERT INTO %s VALUES (1, 1), (2, NULL)".formatted(table));
        assertThat(queries.count("SELECT count(*) FROM %s WHERE id IS NULL".formatted(table)))
                .isZero();
        assertThat(
                        queries.count(
                                "SELECT count(*) FROM %s WHERE id IS NULL OR id = 2"
                                        .formatted(table)))
                .isEqualTo(1);
    }

    @Test
    void explainShowsSnapshotConstraintAndLimit() {
        String table = SteleQueries.newTable("explained");
        queries.run("CREATE TABLE %s AS SELECT * FROM tpch.tiny.nation".formatted(table));

        assertThat(
                        queries.explain(
                                "SELECT name FROM %s WHERE nationkey = 3 AND regionkey > 1"
                                        .formatted(table)))
                .containsPattern(
                        "table = stele:s\\."
                                + table
                                + "@\\d+ constraint on \\[nationkey, regionkey\\]");
        assertThat(queries.explain("SELECT name FROM %s LIMIT 4".formatted(table)))
                .containsPattern("table = stele:s\\." + table + "@\\d+ limit=4");
    }

    @Test
    void aBoundKeyReadsOneShardAndOneRowGroup() {
        String table = SteleQueries.newTable("pruned");
        queries.run(
                "CREATE TABLE %s WITH (primary_key = ARRAY['orderkey']) AS SELECT orderkey, totalprice FROM tpch.tiny.orders"
                        .formatted(table));
        long all = queries.scannedRows("SELECT * FROM " + table);
        assertThat(all).isEqualTo(15_000);

        // From memory the sidecar sends what matches only
        assertThat(queries.scannedRows("SELECT * FROM %s WHERE orderkey = 5".formatted(table)))
                .isEqualTo(1);
        cluster.sidecar().flush("s", table);
        assertThat(queries.scannedRows("SELECT * FROM " + table)).isEqualTo(15_000);
        // From files: the row of the key, or without lookups its shard only, of four
        String byKey = "SELECT * FROM %s WHERE orderkey = 5".formatted(table);
        assertThat(queries.scannedRows(byKey)).isEqualTo(1);
        assertThat(queries.scannedRows(queries.with("lookup_max_keys", "0"), byKey))
                .isPositive()
                .isLessThan(all / 3);
        assertThat(queries.scannedRows("SELECT * FROM %s WHERE orderkey = -1".formatted(table)))
                .isZero();
        assertThat(
                        queries.count(
                                "SELECT count(*) FROM %s WHERE orderkey IN (5, 7, 32)"
                                        .formatted(table)))
                .isEqualTo(3);
    }

    @Test
    void rowGroupsOutsideARangeAreSkipped() {
        String table = SteleQueries.newTable("ranges");
        queries.run(
                "CREATE TABLE %s (k bigint, d date, t timestamp(3)) WITH (primary_key = ARRAY['k'], shard_count = 1)"
                        .formatted(table));
        queries.update(
                """
                INSERT INTO %s SELECT i, date_add('day', i / 100, DATE '2000-01-01'), date_add('second', i, TIMESTAMP '1969-12-31 00:00:00.000')
                FROM UNNEST(sequence(1, 10000)) a(x), UNNEST(sequence(1, 10)) b(y), UNNEST(ARRAY[x * 10 + y]) c(i)
                """
                        .formatted(table));
        cluster.sidecar().flush("s", table);

        for (String predicate :
                new String[] {
                    "k BETWEEN 50000 AND 50010",
                    "d = DATE '2001-05-15'",
                    "t >= TIMESTAMP '1969-12-31 13:53:20.000' AND t < TIMESTAMP '1969-12-31 13:53:30.000'"
                }) {
            String query = "SELECT * FROM %s WHERE %s".formatted(table, predicate);
            long matching =
                    queries.count("SELECT count(*) FROM %s WHERE %s".formatted(table, predicate));
            assertThat(matching).as(predicate).isPositive();
            assertThat(queries.scannedRows(query))
                    .as(predicate)
                    .isLessThanOrEqualTo(30_000)
                    .isGreaterThanOrEqualTo(matching);
        }
    }

    @Test
    void limitsEndSplitsEarly() {
        String table = SteleQueries.newTable("limited");
        queries.run("CREATE TABLE %s AS SELECT * FROM tpch.tiny.lineitem".formatted(table));
        cluster.sidecar().flush("s", table);

        assertThat(queries.run("SELECT * FROM %s LIMIT 7".formatted(table)).getRowCount())
                .isEqualTo(7);
        assertThat(queries.scannedRows("SELECT * FROM %s LIMIT 7".formatted(table)))
                .isLessThan(60_175);
    }

    @Test
    void theOptimizerKnowsRowsNullsAndRanges() {
        String table = SteleQueries.newTable("statistics");
        queries.run(
                "CREATE TABLE %s AS SELECT nationkey, IF(nationkey < 5, NULL, name) AS name FROM tpch.tiny.nation"
                        .formatted(table));
        cluster.sidecar().flush("s", table);

        assertThat(
                        queries.run("SHOW STATS FOR " + table).getMaterializedRows().stream()
                                .map(
                                        row ->
                                                row.getField(0)
                                                        + " "
                                                        + row.getField(3)
                                                        + " "
                                                        + row.getField(4)
                                                        + " "
                                                        + row.getField(5)
                                                        + " "
                                                        + row.getField(6))
                                .toList())
                .containsExactlyInAnyOrder(
                        "nationkey 0.0 null 0 24",
                        "name 0.2 null null null",
                        "null null 25.0 null null");
    }

    @Test
    void bigLoadsGoIntoFilesDirectly() {
        SidecarFixture own =
                cluster.newSidecar(
                        "direct",
                        Map.of(
                                "stele.write.direct-threshold", "0B",
                                "stele.write.sort-buffer-size", "1MB",
                                "stele.scan.max-split-size", "1MB"));
        try {
            for (String properties :
                    LongRun.combinations(
                            List.of(
                                    "",
                                    "WITH (partitioned_by = ARRAY['returnflag'])",
                                    "WITH (primary_key = ARRAY['orderkey', 'linenumber'], clustering_key = ARRAY['shipdate'])"),
                            List.of(
                                    "WITH (distribution_key = ARRAY['orderkey'])",
                                    "WITH (clustering_key = ARRAY['shipdate'])",
                                    "WITH (primary_key = ARRAY['orderkey', 'linenumber'])"))) {
                String table = "direct.s." + SteleQueries.newTable("direct");
                queries.run(
                        "CREATE TABLE %s %s AS SELECT * FROM tpch.tiny.lineitem"
                                .formatted(table, properties));
                queries.assertSame(
                        "SELECT returnflag, count(*), sum(quantity), min(shipdate), max(comment), sum(orderkey) FROM %s GROUP BY 1"
                                .formatted(table),
                        "SELECT returnflag, count(*), sum(quantity), min(shipdate), max(comment), sum(orderkey) FROM tpch.tiny.lineitem GROUP BY 1");
                assertThat(
                                queries.update(
                                        "DELETE FROM %s WHERE orderkey %% 4 = 0".formatted(table)))
                        .as(properties)
                        .isEqualTo(
                                queries.count(
                                        "SELECT count(*) FROM tpch.tiny.lineitem WHERE orderkey % 4 = 0"));
                assertThat(
                                queries.update(
                                        "UPDATE %s SET comment = 'changed' WHERE orderkey < 1000"
                                                .formatted(table)))
                        .as(properties)
                        .isEqualTo(
                                queries.count(
                                        "SELECT count(*) FROM tpch.tiny.lineitem WHERE orderkey % 4 <> 0 AND orderkey < 1000"));
                String actual =
                        "SELECT orderkey, linenumber, IF(orderkey < 1000, 'changed', comment), quantity FROM %s";
                queries.assertSame(
                        "SELECT orderkey, linenumber, comment, quantity FROM %s WHERE orderkey < 3000"
                                .formatted(table),
                        actual.formatted(
                                "tpch.tiny.lineitem WHERE orderkey % 4 <> 0 AND orderkey < 3000"));
            }
        } finally {
            queries.run("DROP CATALOG direct");
            own.close();
        }
    }

    @Test
    void equalKeysInDifferentFilesOfOneLoadLeaveTheLast() {
        SidecarFixture own =
                cluster.newSidecar(
                        "again",
                        Map.of(
                                "stele.write.direct-threshold",
                                "0B",
                                "stele.write.sort-buffer-size",
                                "1MB"));
        try {
            queries.run(
                    "CREATE TABLE again.s.t (k bigint, v bigint, filler varchar) WITH (primary_key = ARRAY['k'], shard_count = 1)");
            // One writer, in order: each key comes ten times
            queries.update(
                    """
                    INSERT INTO again.s.t SELECT x, y, 'filler filler filler filler filler filler filler'
                    FROM UNNEST(sequence(1, 10)) b(y), UNNEST(sequence(1, 9000)) a(x)
                    """);
            queries.assertSame(
                    "SELECT count(*), count(DISTINCT k), min(k), max(k) FROM again.s.t",
                    "VALUES (BIGINT '9000', BIGINT '9000', BIGINT '1', BIGINT '9000')");
        } finally {
            queries.run("DROP CATALOG again");
            own.close();
        }
    }
}
