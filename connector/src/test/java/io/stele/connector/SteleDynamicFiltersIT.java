package io.stele.connector;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.testing.LongRun;
import io.trino.Session;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What joins find out about the rows they need, in the splits of scans. */
@ExtendWith(SteleCluster.OfTwoNodes.class)
final class SteleDynamicFiltersIT {
    private final SteleCluster cluster;
    private final SteleQueries queries;

    SteleDynamicFiltersIT(SteleCluster cluster) {
        this.cluster = cluster;
        this.queries = new SteleQueries(cluster);
    }

    static List<String> orientations() {
        return LongRun.combinations(List.of("row", "column"), List.of("row,column"));
    }

    @ParameterizedTest
    @MethodSource("orientations")
    void fewKeysOfAJoinAreLookedUp(String orientation) {
        String orders =
                orders(
                        "primary_key = ARRAY['orderkey'], orientation = '%s'"
                                .formatted(orientation));
        String few = few();
        String sql =
                "SELECT o.orderkey, o.comment, f.n FROM %s o JOIN %s f ON o.orderkey = f.k"
                        .formatted(orders, few);
        queries.assertSame(
                sql,
                "SELECT o.orderkey, o.comment, f.n FROM tpch.tiny.orders o JOIN %s f ON o.orderkey + 0 = f.k"
                        .formatted(few));
        // Of the 15,000 orders those of the six keys that are there, and the six rows with keys
        assertThat(queries.scannedRows(waiting(), sql)).isEqualTo(6 + 8);
        Session scanning = queries.with("lookup_max_keys", "0");
        assertThat(cluster.runner().execute(scanning, sql).getRowCount()).isEqualTo(6);

        String semi = "SELECT count(*) FROM %s WHERE orderkey IN (SELECT k FROM %s WHERE n > 2)";
        assertThat(queries.count(semi.formatted(orders, few))).isEqualTo(4);
        assertThat(
                        queries.update(
                                "MERGE INTO %s o USING %s f ON o.orderkey = f.k WHEN MATCHED THEN UPDATE SET comment = 'merged'"
                                        .formatted(orders, few)))
                .isEqualTo(6);
        assertThat(
                        queries.count(
                                "SELECT count(*) FROM %s WHERE comment = 'merged'"
                                        .formatted(orders)))
                .isEqualTo(6);
    }

    /** Whether the store is far away shows in the location: no file needs to be read for that. */
    @Test
    void fewKeysAreLookedUpBeforeAnyFileWasRead() {
        String table = orders("primary_key = ARRAY['orderkey']");
        cluster.runner().createCatalog("unopened", "stele", cluster.sidecar().catalogProperties());
        String sql =
                "SELECT o.orderkey, o.comment, f.n FROM unopened.s.%s o JOIN unopened.s.%s f ON o.orderkey = f.k"
                        .formatted(table, few());
        Session waiting =
                Session.builder(cluster.runner().getDefaultSession())
                        .setCatalogSessionProperty(
                                "unopened", "dynamic_filtering_wait_timeout", "1h")
                        .setCatalogSessionProperty("unopened", "bucket_execution_enabled", "false")
                        .build();
        // The first one does not know what files there are, and looks up without an estimate
        for (int round = 1; round <= 2; round++) {
            assertThat(queries.statistics(waiting, sql).getPhysicalInputPositions())
                    .isEqualTo(6 + 8);
        }
        assertThat(
                        (String)
                                cluster.runner()
                                        .execute(waiting, "EXPLAIN ANALYZE VERBOSE " + sql)
                                        .getOnlyValue())
                .contains("'Keys looked up' = LongCount{total=7}");
    }

    /** Of 15,000 rows, in files sorted by something else, all row groups would be read. */
    @Test
    void manyKeysOfFewRowsAreScannedFor() {
        String orders =
                orders("primary_key = ARRAY['orderkey'], clustering_key = ARRAY['totalprice']");
        String many = SteleQueries.newTable("many");
        queries.run(
                "CREATE TABLE %s AS SELECT orderkey AS k FROM tpch.tiny.orders WHERE custkey %% 17 = 1"
                        .formatted(many));
        long keys = queries.count("SELECT count(*) FROM " + many);
        assertThat(keys).isBetween(500L, 1_000L);
        String sql =
                "SELECT o.orderkey, o.comment FROM %s o JOIN %s m ON o.orderkey = m.k"
                        .formatted(orders, many);
        // The first one does not know what files there are, and does not ask
        assertThat(queries.run(sql).getRowCount()).isEqualTo((int) keys);
        assertThat(queries.scannedRows(waiting(), sql)).isEqualTo(15_000 + keys);
        assertThat(queries.run(sql).getRowCount()).isEqualTo((int) keys);
        Session always =
                Session.builder(waiting())
                        .setCatalogSessionProperty("stele", "cost_based_lookups_enabled", "false")
                        .build();
        assertThat(queries.scannedRows(always, sql)).isEqualTo(keys + keys);
        assertThat(
                        (String)
                                cluster.runner()
                                        .execute(waiting(), "EXPLAIN ANALYZE VERBOSE " + sql)
                                        .getOnlyValue())
                .contains(
                        "'Keys scanned for' = LongCount{total=%d}".formatted(keys),
                        "'Lookup estimated ms'",
                        "'Scan estimated ms'");
    }

    /** Where a query names the keys itself, the choice is the same, and so are the rows. */
    @Test
    void manyKeysInAQuerysTextAreScannedFor() {
        String orders =
                orders("primary_key = ARRAY['orderkey'], clustering_key = ARRAY['totalprice']");
        String keys =
                cluster.runner()
                        .execute(
                                "SELECT orderkey FROM tpch.tiny.orders WHERE custkey % 17 = 1 AND orderkey <> 1")
                        .getOnlyColumn()
                        .map(Object::toString)
                        .collect(Collectors.joining(", "));
        int count = keys.split(", ", -1).length;
        assertThat(count).isBetween(500, 1_000);
        String sql = "SELECT orderkey, comment FROM %s WHERE orderkey IN (" + keys + ", -5) %s";
        String sameSql = "SELECT orderkey, comment FROM %s WHERE orderkey + 0 IN (" + keys + ") %s";
        for (String and : List.of("", "AND totalprice > 100000", "AND comment LIKE '%a%'")) {
            for (int round = 1; round <= 3; round++) {
                queries.assertSame(
                        sql.formatted(orders, and), sameSql.formatted("tpch.tiny.orders", and));
            }
        }
        String explain = "EXPLAIN ANALYZE VERBOSE " + sql.formatted(orders, "");
        assertThat((String) cluster.runner().execute(waiting(), explain).getOnlyValue())
                .contains("'Keys scanned for' = LongCount{total=%d}".formatted(count + 1));
        String plan = "EXPLAIN " + sql.formatted(orders, "");
        assertThat((String) cluster.runner().execute(waiting(), plan).getOnlyValue())
                .containsPattern(
                        "lookup=primary key, %d keys, estimated lookup \\d+ ms \\(\\d+ requests, [0-9.]+ MiB\\), scan \\d+ ms \\([1-9]\\d* files, [0-9.]+ MiB\\): scan"
                                .formatted(count + 1));
        Session always =
                Session.builder(waiting())
                        .setCatalogSessionProperty("stele", "cost_based_lookups_enabled", "false")
                        .build();
        assertThat((String) cluster.runner().execute(always, explain).getOnlyValue())
                .doesNotContain("'Keys scanned for'");
        assertThat((String) cluster.runner().execute(always, plan).getOnlyValue())
                .contains("lookup=primary key, %d keys".formatted(count + 1))
                .doesNotContain("estimated lookup");
        // A limit holds for the one split of a lookup
        assertThat(queries.run(sql.formatted(orders, "LIMIT 7")).getRowCount()).isEqualTo(7);
        assertThat(
                        queries.update(
                                "UPDATE %s SET comment = 'changed' WHERE orderkey IN (%s, -5)"
                                        .formatted(orders, keys)))
                .isEqualTo(count);
        assertThat(
                        queries.count(
                                "SELECT count(*) FROM %s WHERE comment = 'changed'"
                                        .formatted(orders)))
                .isEqualTo(count);
    }

    /** Rows that are stored by key are looked up however few there are. */
    @Test
    void manyKeysOfARowTableAreLookedUp() {
        String orders = orders("primary_key = ARRAY['orderkey'], orientation = 'row'");
        String many = SteleQueries.newTable("many");
        queries.run(
                "CREATE TABLE %s AS SELECT orderkey AS k FROM tpch.tiny.orders WHERE custkey %% 17 = 1"
                        .formatted(many));
        long keys = queries.count("SELECT count(*) FROM " + many);
        String sql =
                "SELECT o.orderkey, o.comment FROM %s o JOIN %s m ON o.orderkey = m.k"
                        .formatted(orders, many);
        assertThat(queries.scannedRows(waiting(), sql)).isEqualTo(keys + keys);
    }

    @Test
    void filesOutsideAJoinAreNotRead() {
        String orders = orders("partitioned_by = ARRAY['orderstatus'], shard_count = 2");
        String sql =
                "SELECT count(*) FROM %s o JOIN (SELECT 'P' AS s UNION ALL SELECT 'Q') f ON o.orderstatus = f.s"
                        .formatted(orders);
        long wanted =
                queries.count("SELECT count(*) FROM tpch.tiny.orders WHERE orderstatus = 'P'");
        assertThat(queries.count(sql)).isEqualTo(wanted);
        assertThat(queries.scannedRows(waiting(), sql)).isEqualTo(wanted);
        String nothing =
                "SELECT count(*) FROM %s o JOIN %s f ON o.orderkey = f.k WHERE f.n > 100"
                        .formatted(orders, few());
        assertThat(queries.count(nothing)).isZero();
    }

    @Test
    void shardsOutsideAJoinAreNotRead() {
        String orders =
                orders(
                        "primary_key = ARRAY['orderkey', 'custkey'], distribution_key = ARRAY['orderkey'], shard_count = 8");
        String one = SteleQueries.newTable("one");
        queries.run("CREATE TABLE %s AS SELECT BIGINT '7' AS k".formatted(one));
        String sql =
                "SELECT o.comment FROM %s o JOIN %s f ON o.orderkey = f.k".formatted(orders, one);
        assertThat(queries.run(sql).getRowCount()).isEqualTo(1);
        assertThat(queries.scannedRows(waiting(), sql)).isPositive().isLessThan(15_000 / 4);
    }

    /**
     * However slow this machine is, splits come after the filter; but those of scans by shard never
     * wait for a join of their own stage.
     */
    private Session waiting() {
        return Session.builder(queries.with("dynamic_filtering_wait_timeout", "1h"))
                .setCatalogSessionProperty("stele", "bucket_execution_enabled", "false")
                .build();
    }

    private String orders(String properties) {
        String table = SteleQueries.newTable("joined");
        queries.run(
                "CREATE TABLE %s WITH (%s) AS SELECT * FROM tpch.tiny.orders"
                        .formatted(table, properties));
        cluster.sidecar().flush("s", table);
        return table;
    }

    /** Six keys of orders, one of none, and null. */
    private String few() {
        String table = SteleQueries.newTable("few");
        queries.run(
                "CREATE TABLE %s AS SELECT * FROM (VALUES (BIGINT '1', 1), (2, 2), (3, 3), (7, 4), (32, 5), (60000, 6), (-1, 7), (NULL, 8)) t(k, n)"
                        .formatted(table));
        return table;
    }
}
