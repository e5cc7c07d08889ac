package io.stele.paimon;

import io.stele.testing.ModuleFloor;
import io.stele.testing.PackageOrder;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The module paimon is a front end: it sees itself, cache, object stores and column files, never
 * the engine or another front end.
 */
final class TestFloors {
    /** The packages of this module, lower ones first: each sees only those before it. */
    private static final PackageOrder PACKAGES =
            new PackageOrder(
                    "io.stele.paimon",
                    List.of(
                            ".error",
                            ".handle",
                            ".config",
                            ".type",
                            ".field",
                            ".store",
                            ".table",
                            ".lease",
                            ".image",
                            ".merge",
                            ".read",
                            ".plan",
                            ".write",
                            ".metadata",
                            ".procedure",
                            ""));

    private static final ModuleFloor FLOOR =
            new ModuleFloor(
                    "io.stele.paimon",
                    List.of(
                            "io.stele.paimon..",
                            "io.stele.cache..",
                            "io.stele.objectstore..",
                            "io.stele.columnfile.."),
                    List.of(
                            "org.apache.flink..",
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
