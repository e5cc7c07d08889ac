package io.stele.connector;

import static org.assertj.core.api.Assertions.assertThat;

import io.trino.testing.BaseConnectorSmokeTest;
import io.trino.testing.DistributedQueryRunner;
import io.trino.testing.QueryAssertions;
import io.trino.testing.QueryRunner;
import io.trino.testing.TestingConnectorBehavior;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Trino's own smoke test of a connector, with every behaviour that the connector has. */
final class SteleConnectorSmokeIT extends BaseConnectorSmokeTest {
    @Override
    protected QueryRunner createQueryRunner() throws Exception {
        Path directory = Files.createTempDirectory("stele-smoke");
        SidecarFixture sidecar = closeAfterClass(new SidecarFixture(directory));
        DistributedQueryRunner runner = SteleCluster.queryRunner(2);
        runner.createCatalog("stele", "stele", sidecar.catalogProperties());
        runner.execute("CREATE SCHEMA stele.s");
        QueryAssertions.copyTpchTables(runner, "tpch", "tiny", REQUIRED_TPCH_TABLES);
        return runner;
    }

    @Override
    protected boolean hasBehavior(TestingConnectorBehavior behavior) {
        return switch (behavior) {
            // These mean that the engine's own filter or limit goes away: ours are advisory
            case SUPPORTS_PREDICATE_PUSHDOWN,
                    SUPPORTS_LIMIT_PUSHDOWN,
                    SUPPORTS_TOPN_PUSHDOWN,
                    SUPPORTS_AGGREGATION_PUSHDOWN,
                    SUPPORTS_DEREFERENCE_PUSHDOWN ->
                    false;
            case SUPPORTS_ADD_COLUMN_NOT_NULL_CONSTRAINT, SUPPORTS_NATIVE_QUERY -> false;
            case SUPPORTS_CREATE_OR_REPLACE_TABLE,
                    SUPPORTS_DYNAMIC_FILTER_PUSHDOWN,
                    SUPPORTS_REPORTING_WRITTEN_BYTES ->
                    true;
            default -> super.hasBehavior(behavior);
        };
    }

    /** Our integration tests end in IT. */
    @Test
    @Override
    public void ensureTestNamingConvention() {
        assertThat(getClass().getName()).endsWith("ConnectorSmokeIT");
    }
}
