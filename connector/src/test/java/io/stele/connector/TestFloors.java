package io.stele.connector;

import io.stele.testing.ModuleFloor;
import io.stele.testing.PackageOrder;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The module connector is a front end: it sees itself, protocol, client, cache, object stores and
 * column files, never the engine.
 */
final class TestFloors {
    /** The packages of this module, lower ones first: each sees only those before it. */
    private static final PackageOrder PACKAGES =
            new PackageOrder(
                    "io.stele.connector",
                    List.of(
                            ".error",
                            ".handle",
                            ".config",
                            ".type",
                            ".sidecar",
                            ".read.affinity",
                            ".read.prune",
                            ".read.page",
                            ".read.file",
                            ".read.cache",
                            ".read.live",
                            ".read.lookup",
                            ".read.opening",
                            ".write",
                            ".metadata.catalog",
                            ".metadata.cache",
                            ".metadata.plan",
                            ".metadata.transaction",
                            ".metadata.view",
                            ".metadata.pushdown",
                            ".metadata.system",
                            ".metadata.procedure",
                            ".metadata",
                            ".read.split",
                            ".access",
                            ""));

    private static final ModuleFloor FLOOR =
            new ModuleFloor(
                    "io.stele.connector",
                    List.of(
                            "io.stele.connector..",
                            "io.stele.protocol..",
                            "io.stele.client..",
                            "io.stele.cache..",
                            "io.stele.objectstore..",
                            "io.stele.columnfile.."),
                    List.of(
                            "org.apache.flink..",
                            "org.apache.hadoop..",
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
