package io.stele.paimon;

import static io.trino.testing.TestingSession.testSessionBuilder;

import io.trino.testing.DistributedQueryRunner;
import io.trino.testing.QueryRunner;
import java.nio.file.Path;
import java.util.Map;

/** A Trino of one node with a lake. */
final class TestingTrino {
    private TestingTrino() {}

    /** Its catalog {@code lake} sees each change at once; the schema of queries is {@code d}. */
    static QueryRunner over(Path lake) throws Exception {
        QueryRunner trino =
                DistributedQueryRunner.builder(
                                testSessionBuilder().setCatalog("lake").setSchema("d").build())
                        .setWorkerCount(0)
                        .build();
        trino.installPlugin(new PaimonPlugin());
        trino.createCatalog(
                "lake",
                "stele_paimon",
                Map.of(
                        "stele.paimon.warehouse",
                        lake.toString(),
                        "stele.paimon.snapshot.max-staleness",
                        "0s"));
        return trino;
    }
}
