package io.stele.connector;

import com.google.common.collect.ImmutableMap;
import com.google.inject.Module;
import io.trino.operator.RetryPolicy;
import io.trino.plugin.tpch.TpchPlugin;
import io.trino.testing.BaseFailureRecoveryTest;
import io.trino.testing.DistributedQueryRunner;
import io.trino.testing.QueryRunner;
import io.trino.testing.TestingSession;
import io.trino.tpch.TpchTable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Trino's own tests of retries after failures of tasks and requests, with our tables. */
abstract class SteleFailureRecovery extends BaseFailureRecoveryTest {
    SteleFailureRecovery(RetryPolicy retryPolicy) {
        super(retryPolicy);
    }

    @Override
    protected QueryRunner createQueryRunner(
            List<TpchTable<?>> requiredTpchTables,
            Map<String, String> configProperties,
            Map<String, String> coordinatorProperties,
            Module failureInjectionModule)
            throws Exception {
        Path directory = Files.createTempDirectory("stele-recovery");
        SidecarFixture sidecar = closeAfterClass(new SidecarFixture(directory.resolve("sidecar")));
        DistributedQueryRunner runner =
                DistributedQueryRunner.builder(
                                TestingSession.testSessionBuilder()
                                        .setCatalog("stele")
                                        .setSchema("recovery")
                                        .build())
                        .setExtraProperties(configProperties)
                        .setCoordinatorProperties(coordinatorProperties)
                        .setAdditionalModule(failureInjectionModule)
                        .withExchange("filesystem")
                        .setWorkerCount(1)
                        .build();
        runner.installPlugin(new TpchPlugin());
        runner.createCatalog("tpch", "tpch");
        runner.installPlugin(new StelePlugin());
        // Files of workers and rows through the log both
        runner.createCatalog(
                "stele",
                "stele",
                ImmutableMap.<String, String>builder()
                        .putAll(sidecar.catalogProperties())
                        .put("stele.write.direct-threshold", "256kB")
                        .buildOrThrow());
        runner.execute("CREATE SCHEMA stele.recovery");
        for (TpchTable<?> table : requiredTpchTables) {
            runner.execute(
                    "CREATE TABLE %s AS SELECT * FROM tpch.tiny.%s"
                            .formatted(table.getTableName(), table.getTableName()));
        }
        return runner;
    }

    @Override
    protected boolean areWriteRetriesSupported() {
        return true;
    }
}
