package io.stele.connector;

import io.stele.connector.handle.SteleTableHandle;
import io.trino.Session;
import io.trino.spi.connector.ConnectorTableHandle;
import io.trino.spi.connector.SchemaTableName;
import io.trino.testing.AbstractTestDynamicRowFiltering;
import io.trino.testing.QueryRunner;
import java.nio.file.Files;
import java.util.Map;
import org.junit.jupiter.api.Tag;

/**
 * Trino's own suite, on our tables in files: of rows in memory the sidecar sends only those that a
 * dynamic filter wants, so that Trino has nothing left to filter. Our own tests are {@link
 * SteleDynamicFiltersIT}.
 */
@Tag("long")
final class SteleDynamicRowFilteringIT extends AbstractTestDynamicRowFiltering {
    @Override
    protected QueryRunner createQueryRunner() throws Exception {
        SidecarFixture sidecar =
                closeAfterClass(new SidecarFixture(Files.createTempDirectory("stele-suite")));
        // On one node the filter is there when the splits come
        QueryRunner runner = SteleTpch.start(sidecar, 0, Map.of(), REQUIRED_TPCH_TABLES);
        REQUIRED_TPCH_TABLES.forEach(table -> sidecar.flush("s", table.getTableName()));
        return runner;
    }

    /**
     * Rows of splits that did not wait for the filter would not be filtered, and of what workers
     * keep they have left nothing to filter.
     */
    @Override
    protected Session getSession() {
        return Session.builder(super.getSession())
                .setCatalogSessionProperty("stele", "dynamic_filtering_wait_timeout", "1h")
                .setCatalogSessionProperty("stele", "fragment_cache_enabled", "false")
                .build();
    }

    /** The suite looks for tables of the schema tpch. */
    @Override
    protected SchemaTableName getSchemaTableName(ConnectorTableHandle handle) {
        return new SchemaTableName("tpch", ((SteleTableHandle) handle).name().getTableName());
    }
}
