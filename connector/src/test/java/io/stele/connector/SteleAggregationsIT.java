package io.stele.connector;

import io.trino.testing.AbstractTestAggregations;
import io.trino.testing.QueryRunner;
import io.trino.tpch.TpchTable;
import java.nio.file.Files;
import java.util.Map;
import org.junit.jupiter.api.Tag;

/** Trino's own suite, on our tables; it tests the engine more than us. */
@Tag("long")
final class SteleAggregationsIT extends AbstractTestAggregations {
    @Override
    protected QueryRunner createQueryRunner() throws Exception {
        SidecarFixture sidecar =
                closeAfterClass(new SidecarFixture(Files.createTempDirectory("stele-suite")));
        return SteleTpch.start(sidecar, Map.of(), TpchTable.getTables());
    }
}
