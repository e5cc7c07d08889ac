package io.stele.connector;

import io.trino.testing.DistributedQueryRunner;
import io.trino.testing.QueryAssertions;
import io.trino.tpch.TpchTable;
import java.util.Map;

/** A Trino with TPC-H's tables in a sidecar: what Trino's suites of queries run on. */
final class SteleTpch {
    private SteleTpch() {}

    /**
     * Starts it.
     *
     * @param more properties of the nodes
     */
    static DistributedQueryRunner start(
            SidecarFixture sidecar, Map<String, String> more, Iterable<TpchTable<?>> tables)
            throws Exception {
        return start(sidecar, 1, more, tables);
    }

    /**
     * Starts it with a coordinator, which also works, and more workers.
     *
     * @param more properties of the nodes
     */
    static DistributedQueryRunner start(
            SidecarFixture sidecar,
            int workers,
            Map<String, String> more,
            Iterable<TpchTable<?>> tables)
            throws Exception {
        DistributedQueryRunner runner = SteleCluster.queryRunner(workers, more);
        try {
            runner.createCatalog("stele", "stele", sidecar.catalogProperties());
            runner.execute("CREATE SCHEMA stele.s");
            QueryAssertions.copyTpchTables(runner, "tpch", "tiny", tables);
            return runner;
        } catch (Throwable e) {
            runner.close();
            throw e;
        }
    }
}
