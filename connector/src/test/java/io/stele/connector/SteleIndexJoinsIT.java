package io.stele.connector;

import static org.assertj.core.api.Assertions.assertThat;

import io.trino.Session;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

/** Joins that look keys up in a primary key and in unique indexes, beside joins that scan. */
@ExtendWith(SteleCluster.Shared.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class SteleIndexJoinsIT {
    private static final String SCHEMA = "index_joins";

    private final SteleCluster cluster;
    private final SteleQueries queries;

    SteleIndexJoinsIT(SteleCluster cluster) {
        this.cluster = cluster;
        this.queries = new SteleQueries(cluster);
    }

    @BeforeAll
    void load() {
        queries.run("CREATE SCHEMA " + SCHEMA);
        queries.run(
                "CREATE TABLE %s.lineitem AS SELECT * FROM tpch.tiny.lineitem WHERE orderkey %% 8 = 1"
                        .formatted(SCHEMA));
        queries.run(
                """
                CREATE TABLE %s.orders WITH (primary_key = ARRAY['orderkey'],
                  indexes = ARRAY['unique by_status(orderkey, orderstatus)', 'unique by_customer(custkey, orderkey)'])
                AS SELECT * FROM tpch.tiny.orders"""
                        .formatted(SCHEMA));
        cluster.sidecar().flush(SCHEMA, "orders");
        // Some in memory
        queries.run(
                "UPDATE %s.orders SET comment = comment WHERE orderkey %% 7 = 0".formatted(SCHEMA));
    }

    @AfterAll
    void drop() {
        queries.run("DROP SCHEMA %s CASCADE".formatted(SCHEMA));
    }

    @Test
    void keysAreLookedUpWhereTheSessionSaysSo() {
        for (String condition :
                List.of(
                        "l.orderkey = o.orderkey",
                        "l.orderkey = o.orderkey AND l.linestatus = o.orderstatus",
                        "l.orderkey = o.orderkey AND o.orderstatus = 'F'",
                        "l.orderkey = o.orderkey AND l.suppkey = o.custkey",
                        "l.orderkey = o.orderkey AND o.custkey = 370")) {
            String sql = "SELECT o.comment FROM lineitem l JOIN orders o ON " + condition;
            assertThat(explain(indexJoins(true), sql)).as(condition).contains("IndexJoin");
            assertThat(explain(indexJoins(false), sql)).as(condition).doesNotContain("IndexJoin");
            String content = "SELECT count(*), checksum(comment) FROM (%s)";
            String oracle =
                    sql.replace("lineitem l", "(SELECT * FROM lineitem WHERE orderkey % 8 = 1) l");
            assertThat(rows(indexJoins(true), content.formatted(sql)))
                    .as(condition)
                    .isEqualTo(rows(inTpch(), content.formatted(oracle)));
        }
    }

    @Test
    void otherJoinsAreNot() {
        for (String sql :
                List.of(
                        "SELECT o.comment FROM lineitem l JOIN orders o ON l.suppkey = o.custkey",
                        "SELECT o.comment FROM lineitem l JOIN orders o ON l.orderkey = o.orderkey AND l.comment = o.comment",
                        "SELECT o.comment FROM lineitem l JOIN (SELECT * FROM orders LIMIT 5) o ON l.orderkey = o.orderkey",
                        "SELECT l.comment FROM lineitem l JOIN orders o ON l.orderkey = o.orderkey WHERE o.orderkey IN (1, 5)")) {
            assertThat(explain(indexJoins(true), sql)).as(sql).doesNotContain("IndexJoin");
        }
    }

    private Session indexJoins(boolean enabled) {
        return Session.builder(cluster.runner().getDefaultSession())
                .setSchema(SCHEMA)
                .setCatalogSessionProperty("stele", "index_join_enabled", Boolean.toString(enabled))
                .build();
    }

    /** The oracle. */
    private Session inTpch() {
        return Session.builder(cluster.runner().getDefaultSession())
                .setCatalog("tpch")
                .setSchema("tiny")
                .build();
    }

    private List<?> rows(Session session, String sql) {
        return cluster.runner().execute(session, sql).getMaterializedRows();
    }

    private String explain(Session session, String sql) {
        return (String) cluster.runner().execute(session, "EXPLAIN " + sql).getOnlyValue();
    }
}
