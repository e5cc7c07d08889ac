package io.stele.paimon;

import static io.trino.testing.TestingSession.testSessionBuilder;

import com.google.common.collect.ImmutableMap;
import io.trino.plugin.tpch.TpchPlugin;
import io.trino.testing.DistributedQueryRunner;
import io.trino.testing.QueryRunner;
import java.nio.file.Path;
import java.util.Map;

/** A Trino with a lake. */
final class TestingTrino {
    private TestingTrino() {}

    /** Its catalog {@code lake} sees each change at once; the schema of queries is {@code d}. */
    static QueryRunner over(Path lake) throws Exception {
        return over(lake, 0, Map.of("stele.paimon.snapshot.max-staleness", "0s"));
    }

    /**
     * The same of several nodes.
     *
     * @param workers beside the coordinator, which works as well
     * @param config further properties of the catalog
     */
    static QueryRunner over(Path lake, int workers, Map<String, String> config) throws Exception {
        QueryRunner trino =
                DistributedQueryRunner.builder(
                                testSessionBuilder().setCatalog("lake").setSchema("d").build())
                        .setWorkerCount(workers)
                        .build();
        trino.installPlugin(new TpchPlugin());
        trino.createCatalog("tpch", "tpch");
        trino.installPlugin(new PaimonPlugin());
        trino.createCatalog(
                "lake",
                "stele_paimon",
                ImmutableMap.<String, String>builder()
                        .put("stele.paimon.warehouse", lake.toString())
                        .putAll(config)
                        .buildOrThrow());
        return trino;
    }
}
