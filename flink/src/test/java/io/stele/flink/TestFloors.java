package io.stele.flink;

import io.stele.testing.ModuleFloor;
import io.stele.testing.PackageOrder;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The module flink is a front end: it sees itself, client and protocol only. */
final class TestFloors {
    /** The packages of this module, lower ones first: each sees only those before it. */
    private static final PackageOrder PACKAGES =
            new PackageOrder(
                    "io.stele.flink",
                    List.of(
                            ".option",
                            ".type",
                            ".table",
                            ".sink",
                            ".source",
                            ".lookup",
                            ".changes",
                            ".script",
                            "",
                            ".catalog"));

    private static final ModuleFloor FLOOR =
            new ModuleFloor(
                    "io.stele.flink",
                    List.of("io.stele.flink..", "io.stele.client..", "io.stele.protocol.."),
                    List.of(
                            "io.trino..",
                            "io.airlift..",
                            "org.apache.hadoop..",
                            "org.apache.orc..",
                            "software.amazon.awssdk..",
                            "org.apache.arrow.vector..",
                            "org.apache.arrow.memory.."));

    @Test
    void looksOnlyDown() {
        FLOOR.checkModules();
    }

    @Test
    void keepsLibrariesOnTheirFloor() {
        FLOOR.checkLibraries();
    }

    @Test
    void packagesSeeOnlyLowerOnes() {
        PACKAGES.checkDependencies(FLOOR.classes());
    }
}
