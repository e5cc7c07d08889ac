package io.stele.connector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.testing.LongRun;
import io.trino.Session;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Queries that give the primary key, or a unique index, values: what plans show and what is read.
 */
@ExtendWith(SteleCluster.Shared.class)
final class SteleLookupsIT {
    private final SteleCluster cluster;
    private final SteleQueries queries;

    SteleLookupsIT(SteleCluster cluster) {
        this.cluster = cluster;
        this.queries = new SteleQueries(cluster);
    }

    static List<String> orientations() {
        return LongRun.combinations(List.of("row", "column"), List.of("row,column"));
    }

    @ParameterizedTest
    @MethodSource("orientations")
    void keysAreLookedUp(String orientation) {
        String table = orders(orientation);
        for (int time = 0; time < 2; time++) {
            checkLookup(table, "orderkey = 7", "primary key, 1 key", 1);
            checkLookup(table, "orderkey IN (1, 2, 3, -5)", "primary key, 4 keys", 3);
            checkLookup(table, "orderkey = 7 OR orderkey = 32", "primary key, 2 keys", 2);
            checkLookup(table, "orderkey BETWEEN 4 AND 7", "primary key, 4 keys", 4);
            checkLookup(table, "orderkey > 3 AND orderkey < 7", "primary key, 3 keys", 3);
            checkLookup(table, "orderkey = -5", "primary key, 1 key", 0);
            checkLookup(table, "orderkey IN (1, 2, 3) AND status = 'O'", "primary key, 3 keys", 2);
            checkLookup(table, "clerk = 'c1'", "by_clerk, 1 key", 1);
            checkLookup(table, "clerk IN ('c1', 'c2', 'x')", "by_clerk, 3 keys", 2);
            checkLookup(table, "clerk = 'c1' AND orderkey = 1", "primary key, 1 key", 1);
            cluster.sidecar().flush("s", table);
        }
    }

    private void checkLookup(String table, String predicate, String lookup, long rows) {
        String sql = "SELECT * FROM %s WHERE %s".formatted(table, predicate);
        assertThat(queries.explain(sql))
                .contains(" lookup=" + lookup)
                .doesNotContain("ScanFilter")
                .doesNotContain("filterPredicate");
        assertThat(queries.scannedRows(sql)).as(sql).isEqualTo(rows);
        assertThat(queries.run(sql).getMaterializedRows())
                .hasSize((int) rows)
                .containsExactlyInAnyOrderElementsOf(
                        cluster.runner().execute(scanning(), sql).getMaterializedRows());
    }

    @Test
    void whatKeysDoNotSayIsChecked() {
        String table = orders("column");
        String sql = "SELECT orderkey FROM %s WHERE orderkey IN (1, 2, 3) AND price * 2 > %s";
        assertThat(queries.explain(sql.formatted(table, "100000")))
                .contains("lookup=primary key, 3 keys")
                .contains("filterPredicate");
        queries.assertSame(
                sql.formatted(table, "100000"),
                sql.formatted("tpch.tiny.orders", "100000").replace("price", "totalprice"));
        String range =
                "SELECT orderkey FROM %s WHERE orderkey IN (1, 2, 3) AND price > 40000e0"
                        .formatted(table);
        // of doubles ranges are left to the engine
        assertThat(queries.explain(range)).contains("lookup=primary key, 3 keys");
        assertThat(queries.explain(range))
                .containsPattern("filterPredicate = \\(double '40000.0' < price\\)");
        queries.assertSame(
                range,
                "SELECT orderkey FROM tpch.tiny.orders WHERE orderkey IN (1, 2, 3) AND totalprice > 40000e0");
    }

    @Test
    void everythingElseIsScanned() {
        String table = orders("column");
        for (String predicate :
                new String[] {
                    "orderkey > 3",
                    "orderkey IN (1, 2) OR orderkey > 50000",
                    "status = 'O'",
                    "clerk = 'c1' OR clerk IS NULL",
                    "clerk IS NULL",
                    "orderkey BETWEEN 1 AND 1001"
                }) {
            assertThat(queries.explain("SELECT * FROM %s WHERE %s".formatted(table, predicate)))
                    .as(predicate)
                    .doesNotContain("lookup=");
        }
        assertThat(
                        queries.count(
                                "SELECT count(*) FROM %s WHERE clerk = 'c1' OR clerk IS NULL"
                                        .formatted(table)))
                .isEqualTo(
                        1
                                + queries.count(
                                        "SELECT count(*) FROM %s WHERE clerk IS NULL"
                                                .formatted(table)));
        String append = SteleQueries.newTable("appended");
        queries.run("CREATE TABLE %s AS SELECT * FROM tpch.tiny.nation".formatted(append));
        assertThat(queries.explain("SELECT * FROM %s WHERE nationkey = 3".formatted(append)))
                .doesNotContain("lookup=");
    }

    @Test
    void theSessionLimitsTheKeys() {
        String table = orders("column");
        String sql = "SELECT * FROM %s WHERE orderkey IN (1, 2, 3, 4)".formatted(table);
        assertThat(explain(keys("4"), sql)).contains("lookup=primary key, 4 keys");
        assertThat(explain(keys("3"), sql)).doesNotContain("lookup=").contains(" enforced");
        assertThat(explain(keys("0"), sql)).doesNotContain("lookup=");
        assertThatThrownBy(() -> cluster.runner().execute(keys("1001"), sql))
                .hasMessageContaining("Expected 0 to 1000 keys for lookup_max_keys, found 1001");
        Session noIndexes = queries.with("index_lookup_enabled", "false");
        assertThat(explain(noIndexes, sql.replace("orderkey IN (1, 2, 3, 4)", "clerk = 'c1'")))
                .doesNotContain("lookup=");
        assertThat(explain(noIndexes, sql)).contains("lookup=primary key, 4 keys");

        StringBuilder list = new StringBuilder("-1");
        for (int key = 1; key < 1_000; key++) {
            list.append(", ").append(key);
        }
        String thousand = "SELECT count(*) FROM %s WHERE orderkey IN (%s)";
        assertThat(queries.explain(thousand.formatted(table, list)))
                .contains("lookup=primary key, 1000 keys");
        assertThat(queries.count(thousand.formatted(table, list))).isEqualTo(255);
        assertThat(queries.explain(thousand.formatted(table, list + ", -2")))
                .doesNotContain("lookup=");
        assertThat(queries.count(thousand.formatted(table, list + ", -2"))).isEqualTo(255);
    }

    @Test
    void aKeyInPartIsScanned() {
        String table = SteleQueries.newTable("lines");
        queries.run(
                "CREATE TABLE %s WITH (primary_key = ARRAY['orderkey', 'linenumber'], distribution_key = ARRAY['linenumber']) AS SELECT orderkey, linenumber, quantity FROM tpch.tiny.lineitem"
                        .formatted(table));
        assertThat(queries.explain("SELECT * FROM %s WHERE orderkey = 1".formatted(table)))
                .doesNotContain("lookup=");
        String both = "SELECT * FROM %s WHERE orderkey IN (1, 2, 3) AND linenumber IN (1, 2)";
        assertThat(queries.explain(both.formatted(table))).contains("lookup=primary key, 6 keys");
        queries.assertSame(
                both.formatted(table),
                both.formatted("tpch.tiny.lineitem")
                        .replace("*", "orderkey, linenumber, quantity"));
        // Row ids of several shards, which the worker finds by the key
        assertThat(
                        queries.update(
                                "UPDATE %s SET quantity = -1 WHERE orderkey IN (1, 2, 3) AND linenumber IN (1, 2, 6)"
                                        .formatted(table)))
                .isEqualTo(7);
        assertThat(queries.count("SELECT count(*) FROM %s WHERE quantity = -1".formatted(table)))
                .isEqualTo(7);
        assertThat(
                        queries.update(
                                "DELETE FROM %s WHERE orderkey IN (1, 2, 3) AND linenumber IN (2, 1)"
                                        .formatted(table)))
                .isEqualTo(5);
        assertThat(
                        queries.count(
                                "SELECT count(*) FROM %s WHERE orderkey IN (1, 2, 3) AND linenumber IN (1, 2, 6)"
                                        .formatted(table)))
                .isEqualTo(2);
    }

    /** Domains and statistics tell the zeros apart, SQL does not. */
    @Test
    void zerosAreEqual() {
        String table = SteleQueries.newTable("zeros");
        queries.run(
                "CREATE TABLE %s (r real, d double, v bigint) WITH (primary_key = ARRAY['r', 'd'])"
                        .formatted(table));
        queries.update("INSERT INTO %s VALUES (REAL '0.0', -0e0, 1)".formatted(table));
        for (int time = 0; time < 2; time++) {
            for (String predicate :
                    new String[] {
                        "r = REAL '-0.0' AND d = 0e0",
                        "r = REAL '0.0' AND d = 0e0",
                        "r = REAL '0.0' AND d = -0e0",
                        "d <= -0e0",
                        "d < -0e0 OR d > 1e0 OR v = 1"
                    }) {
                String sql = "SELECT v FROM %s WHERE %s".formatted(table, predicate);
                assertThat(queries.column(sql)).as(sql).containsExactly("1");
            }
            cluster.sidecar().flush("s", table);
        }
    }

    @Test
    void limitsOfLookupsAreKept() {
        String table = orders("row");
        String sql = "SELECT * FROM %s WHERE orderkey IN (1, 2, 3, 4, 5) LIMIT 2".formatted(table);
        assertThat(queries.explain(sql))
                .containsPattern("lookup=primary key, 5 keys.* limit=2")
                .doesNotContain("Limit[");
        assertThat(queries.run(sql).getRowCount()).isEqualTo(2);
    }

    /** The key is in no place of a file that its value tells. */
    @Test
    void indexJoinsFindKeysOfTablesInAnotherOrder() {
        String table = SteleQueries.newTable("by_customer");
        queries.run(
                "CREATE TABLE %s WITH (primary_key = ARRAY['orderkey'], clustering_key = ARRAY['custkey']) AS SELECT * FROM tpch.tiny.orders"
                        .formatted(table));
        String few = SteleQueries.newTable("few");
        queries.run(
                "CREATE TABLE %s AS SELECT * FROM (VALUES (BIGINT '1', 1), (7, 2), (32, 3), (-1, 4)) t(k, n)"
                        .formatted(few));
        String sql =
                "SELECT o.orderkey, o.comment, f.n FROM %s f JOIN %s o ON o.orderkey = f.k"
                        .formatted(few, table);
        Session joining = queries.with("index_join_enabled", "true");
        assertThat(explain(joining, sql)).contains("IndexJoin");
        assertThat(cluster.runner().execute(joining, sql).getMaterializedRows())
                .hasSize(3)
                .containsExactlyInAnyOrderElementsOf(queries.run(sql).getMaterializedRows());
    }

    /** A table of the sample's orders with a unique index that many rows have no value in. */
    private String orders(String orientation) {
        String table = SteleQueries.newTable("looked_up");
        queries.run(
                """
                CREATE TABLE %s WITH (primary_key = ARRAY['orderkey'], orientation = '%s', shard_count = 1, indexes = ARRAY['unique by_clerk(clerk)']) AS
                SELECT orderkey, orderstatus AS status, totalprice AS price, IF(orderkey < 8, 'c' || CAST(orderkey AS varchar)) AS clerk FROM tpch.tiny.orders"""
                        .formatted(table, orientation));
        return table;
    }

    private String explain(Session session, String sql) {
        return (String) cluster.runner().execute(session, "EXPLAIN " + sql).getOnlyValue();
    }

    private Session scanning() {
        return keys("0");
    }

    private Session keys(String max) {
        return queries.with("lookup_max_keys", max);
    }
}
