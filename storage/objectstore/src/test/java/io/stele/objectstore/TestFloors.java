package io.stele.objectstore;

import io.stele.testing.ModuleFloor;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The module objectstore has bytes: it sees itself, protocol and cache, and knows no column file
 * and no tablet. Each store's own client is in the package of that store only.
 */
final class TestFloors {
    private static final ModuleFloor FLOOR =
            new ModuleFloor(
                    "io.stele.objectstore",
                    List.of("io.stele.objectstore..", "io.stele.protocol..", "io.stele.cache.."),
                    List.of(
                            "io.trino..",
                            "org.apache.flink..",
                            "org.apache.orc..",
                            "org.apache.hadoop.hive.."));

    @Test
    void looksOnlyDown() {
        FLOOR.checkModules();
    }

    @Test
    void keepsLibrariesOnTheirFloor() {
        FLOOR.checkLibraries();
    }

    @Test
    void hadoopIsInItsPackageOnly() {
        FLOOR.checkOnlyIn("org.apache.hadoop..", "io.stele.objectstore.hadoop..");
    }

    @Test
    void theClientOfS3IsInItsPackageOnly() {
        FLOOR.checkOnlyIn("software.amazon.awssdk..", "io.stele.objectstore.s3..");
    }

    @Test
    void retrievalKnowsNoStore() {
        FLOOR.checkNever(
                "io.stele.objectstore.retrieval..",
                "io.stele.objectstore",
                "io.stele.objectstore.cached..",
                "io.stele.objectstore.encryption..",
                "io.stele.objectstore.hadoop..",
                "io.stele.objectstore.s3..",
                "io.stele.objectstore.warehouse..");
    }

    @Test
    void theContractKnowsNoRemoteStore() {
        FLOOR.checkNever(
                "io.stele.objectstore",
                "io.stele.objectstore.cached..",
                "io.stele.objectstore.encryption..",
                "io.stele.objectstore.hadoop..",
                "io.stele.objectstore.s3..",
                "io.stele.objectstore.warehouse..");
    }
}
