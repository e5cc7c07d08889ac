package io.stele.sidecar;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** The module sidecar is a front end: it sees itself and the floors below. */
final class TestFloors {
    private static final String[] MAY_SEE = {
        "io.stele.sidecar..",
        "io.stele.protocol..",
        "io.stele.cache..",
        "io.stele.scheduler..",
        "io.stele.objectstore..",
        "io.stele.columnfile..",
        "io.stele.engine.."
    };
    private static final String[] MAY_NOT_SEE = {
        "io.trino..",
        "org.apache.flink..",
        "org.apache.hadoop..",
        "org.apache.orc..",
        "software.amazon.awssdk..",
        "org.apache.arrow.vector..",
        "org.apache.arrow.memory.."
    };

    /** Of PostgreSQL's port, which hands statements on to a Trino server. */
    private static final String TRINO_CLIENT = "io.trino.client..";

    private static final JavaClasses CLASSES =
            new ClassFileImporter()
                    .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                    .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_JARS)
                    .importPackages("io.stele.sidecar");

    @Test
    void looksOnlyDown() {
        noClasses()
                .should()
                .dependOnClassesThat(
                        resideInAPackage("io.stele..").and(not(resideInAnyPackage(MAY_SEE))))
                .check(CLASSES);
    }

    @Test
    void keepsLibrariesOnTheirFloor() {
        noClasses()
                .should()
                .dependOnClassesThat(
                        resideInAnyPackage(MAY_NOT_SEE).and(not(resideInAPackage(TRINO_CLIENT))))
                .check(CLASSES);
        noClasses()
                .that(not(resideInAPackage("io.stele.sidecar.postgresql.trino")))
                .should()
                .dependOnClassesThat(resideInAPackage(TRINO_CLIENT))
                .check(CLASSES);
    }
}
