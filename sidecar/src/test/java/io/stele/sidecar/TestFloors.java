package io.stele.sidecar;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;

import io.stele.testing.ModuleFloor;
import io.stele.testing.PackageOrder;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The module sidecar is a front end: it sees itself and the floors below. */
final class TestFloors {
    /** The packages of this module, lower ones first: each sees only those before it. */
    private static final PackageOrder PACKAGES =
            new PackageOrder(
                    "io.stele.sidecar",
                    List.of(
                            ".metrics",
                            ".process",
                            ".settings",
                            ".tls",
                            ".auth",
                            ".scheduling",
                            ".access",
                            ".engine",
                            ".postgresql.catalog.relation",
                            ".postgresql.wire",
                            ".postgresql.auth",
                            ".postgresql.copy",
                            ".postgresql.type",
                            ".postgresql.sql",
                            ".statement",
                            ".postgresql.catalog",
                            ".postgresql.plan",
                            ".postgresql.run",
                            ".postgresql.trino",
                            ".postgresql.session",
                            ".postgresql",
                            ".flight.sql",
                            ".flight.call",
                            ".action",
                            ".flight",
                            ".framed",
                            ".http",
                            ""));

    /** Of PostgreSQL's port, which hands statements on to a Trino server. */
    private static final String TRINO_CLIENT = "io.trino.client..";

    private static final ModuleFloor FLOOR =
            new ModuleFloor(
                    "io.stele.sidecar",
                    List.of(
                            "io.stele.sidecar..",
                            "io.stele.protocol..",
                            "io.stele.cache..",
                            "io.stele.scheduler..",
                            "io.stele.objectstore..",
                            "io.stele.columnfile..",
                            "io.stele.engine.."),
                    List.of(
                            "io.trino..",
                            "org.apache.flink..",
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
        FLOOR.checkLibrariesExcept(resideInAPackage(TRINO_CLIENT));
        FLOOR.checkOnlyIn(TRINO_CLIENT, "io.stele.sidecar.postgresql.trino");
    }

    @Test
    void packagesSeeOnlyLowerOnes() {
        PACKAGES.checkDependencies(FLOOR.classes());
    }
}
