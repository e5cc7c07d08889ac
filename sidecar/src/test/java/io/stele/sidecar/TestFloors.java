package io.stele.sidecar;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;

import io.stele.testing.ModuleFloor;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The module sidecar is a front end: it sees itself and the floors below. */
final class TestFloors {
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
}
