package io.stele.columnfile;

import io.stele.testing.ModuleFloor;
import io.stele.testing.PackageOrder;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The module columnfile has one file, read and written: it sees itself, protocol, cache and the
 * contract of object stores, and never the engine.
 */
final class TestFloors {
    /** The packages of this module, lower ones first: each sees only those before it. */
    private static final PackageOrder PACKAGES =
            new PackageOrder(
                    "io.stele.columnfile",
                    List.of(".bytes", ".metadata", ".index", ".orc", ".orc.write"));

    private static final ModuleFloor FLOOR =
            new ModuleFloor(
                    "io.stele.columnfile",
                    List.of(
                            "io.stele.columnfile..",
                            "io.stele.objectstore",
                            "io.stele.objectstore.retrieval",
                            "io.stele.protocol..",
                            "io.stele.cache.."),
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
    void orcIsInItsPackageOnly() {
        FLOOR.checkOnlyIn("org.apache..", "io.stele.columnfile.orc..");
    }

    @Test
    void packagesSeeOnlyLowerOnes() {
        PACKAGES.checkDependencies(FLOOR.classes());
    }
}
