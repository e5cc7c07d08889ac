package io.stele.connector;

import static io.stele.connector.SameRows.assertSameRows;
import static org.assertj.core.api.Assertions.assertThat;

import io.trino.Session;
import io.trino.testing.MaterializedRow;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Joins and aggregations on the distribution key stay where the rows are; results do not change.
 */
@ExtendWith(SteleCluster.OfTwoNodes.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class SteleBucketingIT {
    private static final String BY_SHARD = "stele:shard[4]";

    private final SteleCluster cluster;
    private final SteleQueries queries;

    SteleBucketingIT(SteleCluster cluster) {
        this.cluster = cluster;
        this.queries = new SteleQueries(cluster);
    }

    /** Files of workers, files of flushes, deleted rows and rows in memory. */
    @BeforeAll
    void load() {
        queries.run("CREATE SCHEMA stele.buckets");
        queries.run(
                "CREATE TABLE stele.buckets.orders WITH (primary_key = ARRAY['orderkey'], table_group = 'buckets', shard_count = 4) AS SELECT * FROM tpch.tiny.orders");
        queries.run(
                "CREATE TABLE stele.buckets.lineitem WITH (primary_key = ARRAY['orderkey', 'linenumber'], distribution_key = ARRAY['orderkey'], table_group = 'buckets') AS SELECT * FROM tpch.tiny.lineitem");
        queries.run(
                "CREATE TABLE stele.buckets.three WITH (primary_key = ARRAY['orderkey'], shard_count = 3) AS SELECT * FROM tpch.tiny.orders");
        for (String table : List.of("orders", "lineitem", "three")) {
            cluster.sidecar().flush("buckets", table);
        }
        queries.run("DELETE FROM stele.buckets.lineitem WHERE orderkey % 7 = 0");
        queries.run("UPDATE stele.buckets.orders SET custkey = 0 WHERE orderkey % 5 = 0");
    }

    private Session session(boolean enabled) {
        return Session.builder(cluster.runner().getDefaultSession())
                .setCatalog("stele")
                .setSchema("buckets")
                .setSystemProperty("join_distribution_type", "PARTITIONED")
                .setCatalogSessionProperty(
                        "stele", "bucket_execution_enabled", Boolean.toString(enabled))
                .build();
    }

    private String explain(boolean enabled, String sql) {
        return (String)
                cluster.runner()
                        .execute(session(enabled), "EXPLAIN (TYPE DISTRIBUTED) " + sql)
                        .getOnlyValue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT o.orderkey, l.linenumber FROM orders o JOIN lineitem l ON o.orderkey = l.orderkey",
                "SELECT orderkey, sum(quantity) FROM lineitem GROUP BY orderkey",
                "SELECT orderkey, suppkey, count(*) FROM lineitem GROUP BY suppkey, orderkey",
                "SELECT o.orderkey, o.custkey, count(l.tax) FROM orders o LEFT JOIN lineitem l ON o.orderkey = l.orderkey GROUP BY 1, 2",
                "SELECT orderkey FROM orders WHERE orderkey IN (SELECT orderkey FROM lineitem WHERE quantity > 49)",
                "SELECT orderkey, rank() OVER (PARTITION BY orderkey ORDER BY linenumber) FROM lineitem"
            })
    void noExchangeOnTheDistributionKey(String sql) {
        String plan = explain(true, sql);
        assertThat(plan).contains(BY_SHARD).doesNotContain("RemoteSource");
        assertThat(explain(false, sql)).contains("RemoteSource").doesNotContain(BY_SHARD);
        assertSame(sql);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT custkey, count(*) FROM orders GROUP BY custkey",
                "SELECT t.orderkey, l.linenumber FROM three t JOIN lineitem l ON t.orderkey = l.orderkey",
                "SELECT o.orderkey, l.linenumber FROM orders o JOIN lineitem l ON o.custkey = l.orderkey",
                "SELECT count(*) FROM orders o FULL JOIN lineitem l ON o.orderkey = l.orderkey AND o.custkey = l.partkey",
                "SELECT orderkey, count(*) FROM (SELECT orderkey FROM orders UNION ALL SELECT orderkey FROM lineitem) GROUP BY orderkey",
                "SELECT o.orderkey FROM orders o JOIN lineitem l ON o.orderkey = l.orderkey WHERE o.orderkey = 5",
                "SELECT o.orderkey, c.name FROM orders o JOIN tpch.tiny.customer c ON o.orderkey = c.custkey"
            })
    void othersGiveTheSameRows(String sql) {
        assertSame(sql);
    }

    /** Rows go from one table into another of as many shards without an exchange, too. */
    @Test
    void copiesStayInTheirShards() {
        String copy = SteleQueries.newTable("copy");
        String sql =
                "CREATE TABLE %s WITH (primary_key = ARRAY['orderkey'], table_group = 'buckets') AS SELECT * FROM orders"
                        .formatted(copy);
        cluster.runner().execute(session(true), sql);
        assertSameRows(
                copy, rows(true, "SELECT * FROM " + copy), rows(false, "SELECT * FROM orders"));
    }

    private void assertSame(String sql) {
        assertSameRows(sql, rows(true, sql), rows(false, sql));
    }

    private List<MaterializedRow> rows(boolean enabled, String sql) {
        return cluster.runner().execute(session(enabled), sql).getMaterializedRows();
    }
}
