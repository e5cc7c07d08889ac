package io.stele.connector;

import static org.assertj.core.api.Assertions.assertThat;

import io.trino.testing.BaseConnectorSmokeTest;
import io.trino.testing.QueryRunner;
import io.trino.testing.TestingConnectorBehavior;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Trino's own smoke test of a connector, with every behaviour that the connector has. {@link
 * SteleConnectorIT} tries all of it as well.
 */
@Tag("long")
final class SteleConnectorSmokeIT extends BaseConnectorSmokeTest {
    @Override
    protected QueryRunner createQueryRunner() throws Exception {
        Path directory = Files.createTempDirectory("stele-smoke");
        SidecarFixture sidecar = closeAfterClass(new SidecarFixture(directory));
        return SteleTpch.start(
                sidecar, SteleCluster.workersOfSuites(), Map.of(), REQUIRED_TPCH_TABLES);
    }

    @Override
    protected boolean hasBehavior(TestingConnectorBehavior behavior) {
        return ConnectorBehaviors.of(behavior).orElseGet(() -> super.hasBehavior(behavior));
    }

    /** Our integration tests end in IT. */
    @Test
    @Override
    public void ensureTestNamingConvention() {
        assertThat(getClass().getName()).endsWith("ConnectorSmokeIT");
    }
}
