package io.stele.connector;

import static org.assertj.core.api.Assertions.assertThat;

import io.trino.Session;
import io.trino.testing.AbstractTestIndexedQueries;
import io.trino.testing.DistributedQueryRunner;
import io.trino.testing.QueryRunner;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Trino's own test of index joins, with the keys that it wants as primary key and unique indexes.
 */
final class SteleIndexedQueriesIT extends AbstractTestIndexedQueries {
    @Override
    protected QueryRunner createQueryRunner() throws Exception {
        Path directory = Files.createTempDirectory("stele-indexed");
        SidecarFixture sidecar = closeAfterClass(new SidecarFixture(directory));
        DistributedQueryRunner runner = SteleCluster.queryRunner(SteleCluster.workersOfSuites());
        runner.createCatalog("stele", "stele", sidecar.catalogProperties());
        runner.execute("CREATE SCHEMA stele.s");
        for (String table : List.of("lineitem", "customer", "nation")) {
            runner.execute("CREATE TABLE %1$s AS SELECT * FROM tpch.tiny.%1$s".formatted(table));
        }
        runner.execute(
                """
                CREATE TABLE orders WITH (primary_key = ARRAY['orderkey'],
                  indexes = ARRAY['unique by_status(orderkey, orderstatus)', 'unique by_customer(custkey, orderkey)'])
                AS SELECT * FROM tpch.tiny.orders""");
        sidecar.flush("s", "orders");
        runner.execute(
                "UPDATE orders SET comment = comment WHERE orderkey % 7 = 0"); // some in memory
        return runner;
    }

    @Override
    protected Session getSession() {
        return indexJoins(true);
    }

    private Session indexJoins(boolean enabled) {
        return Session.builder(super.getSession())
                .setCatalogSessionProperty("stele", "index_join_enabled", Boolean.toString(enabled))
                .build();
    }

    /** It is about another connector's table. */
    @Test
    @Override
    public void testExampleSystemTable() {
        assertThat(computeActual("SHOW TABLES").getOnlyColumnAsSet()).contains("orders");
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
            assertQuery(sql);
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

    private String explain(Session session, String sql) {
        return (String) computeActual(session, "EXPLAIN " + sql).getOnlyValue();
    }
}
