package io.stele.connector;

import static org.assertj.core.api.Assertions.assertThat;

import io.trino.Session;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What joins find out about the rows they need, in the splits of scans. */
@ExtendWith(SteleCluster.Shared.class)
final class SteleDynamicFiltersIT {
    private final SteleCluster cluster;
    private final SteleQueries queries;

    SteleDynamicFiltersIT(SteleCluster cluster) {
        this.cluster = cluster;
        this.queries = new SteleQueries(cluster);
    }

    @ParameterizedTest
    @ValueSource(strings = {"row", "column", "row,column"})
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
