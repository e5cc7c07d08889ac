package io.stele.engine;

import io.stele.testing.ModuleFloor;
import io.stele.testing.PackageOrder;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The module engine is below the front ends: it sees itself and the floors below, and reaches
 * stores by objectstore alone.
 */
final class TestFloors {
    /** The packages of this module, lower ones first: each sees only those before it. */
    private static final PackageOrder PACKAGES =
            new PackageOrder(
                    "io.stele.engine",
                    List.of(
                            ".job",
                            ".wal",
                            ".manifest",
                            ".manifest.orc",
                            ".catalog",
                            ".row",
                            ".memtable",
                            ".datafile",
                            ".index",
                            ".compaction.policy",
                            ".tablet",
                            ".compaction.output",
                            ".compaction",
                            ".scan",
                            ".aggregate",
                            ".shard.record",
                            ".shard.write",
                            ".shard.apply",
                            ".shard",
                            ".shard.maintenance",
                            ".snapshot",
                            ".garbage",
                            ".node",
                            ".transaction",
                            ".read",
                            ".recovery",
                            ".statistics",
                            ".status",
                            ".maintenance",
                            ""));

    private static final ModuleFloor FLOOR =
            new ModuleFloor(
                    "io.stele.engine",
                    List.of(
                            "io.stele.engine..",
                            "io.stele.columnfile..",
                            "io.stele.objectstore..",
                            "io.stele.protocol..",
                            "io.stele.cache..",
                            "io.stele.scheduler.."),
                    List.of("io.trino..", "org.apache.flink..", "software.amazon.awssdk.."));

    @Test
    void looksOnlyDown() {
        FLOOR.checkModules();
    }

    @Test
    void keepsLibrariesOnTheirFloor() {
        FLOOR.checkLibraries();
    }

    @Test
    void hadoopIsWhereALogIsOnHdfsAndAManifestIsOrc() {
        FLOOR.checkOnlyIn(
                "org.apache.hadoop..", "io.stele.engine.wal..", "io.stele.engine.manifest.orc..");
    }

    @Test
    void orcIsInManifestsOnly() {
        FLOOR.checkOnlyIn("org.apache.orc..", "io.stele.engine.manifest.orc..");
    }

    @Test
    void packagesSeeOnlyLowerOnes() {
        PACKAGES.checkDependencies(FLOOR.classes());
    }
}
