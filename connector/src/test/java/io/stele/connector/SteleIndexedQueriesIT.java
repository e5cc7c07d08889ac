package io.stele.connector;

import static org.assertj.core.api.Assertions.assertThat;

import io.trino.Session;
import io.trino.testing.AbstractTestIndexedQueries;
import io.trino.testing.DistributedQueryRunner;
import io.trino.testing.QueryRunner;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Trino's own test of index joins, with the keys that it wants as primary key and unique indexes.
 * Most of it is about the engine's operators; ours is {@link SteleIndexJoinsIT}.
 */
@Tag("long")
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
        return Session.builder(super.getSession())
                .setCatalogSessionProperty("stele", "index_join_enabled", "true")
                .build();
    }

    /** It is about another connector's table. */
    @Test
    @Override
    public void testExampleSystemTable() {
        assertThat(computeActual("SHOW TABLES").getOnlyColumnAsSet()).contains("orders");
    }
}
