package io.stele.engine;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/**
 * The module engine is below the front ends: it sees itself and the floors below, and reaches
 * stores by objectstore alone.
 */
final class TestFloors {
    private static final String[] MAY_SEE = {
        "io.stele.engine..",
        "io.stele.columnfile..",
        "io.stele.objectstore..",
        "io.stele.protocol..",
        "io.stele.cache..",
        "io.stele.scheduler.."
    };
    private static final String[] MAY_NOT_SEE = {
        "io.trino..", "org.apache.flink..", "software.amazon.awssdk.."
    };

    private static final JavaClasses CLASSES =
            new ClassFileImporter()
                    .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                    .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_JARS)
                    .importPackages("io.stele.engine");

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
        noClasses().should().dependOnClassesThat().resideInAnyPackage(MAY_NOT_SEE).check(CLASSES);
    }

    @Test
    void hadoopIsWhereALogIsOnHdfsAndAManifestIsOrc() {
        noClasses()
                .that()
                .resideOutsideOfPackages("io.stele.engine.wal..", "io.stele.engine.manifest.orc..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.apache.hadoop..")
                .check(CLASSES);
    }

    @Test
    void orcIsInManifestsOnly() {
        noClasses()
                .that()
                .resideOutsideOfPackages("io.stele.engine.manifest.orc..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.apache.orc..")
                .check(CLASSES);
    }

    @Test
    void jobsKnowNoWork() {
        noClasses()
                .that()
                .resideInAnyPackage("io.stele.engine.job..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.stele.engine",
                        "io.stele.engine.aggregate..",
                        "io.stele.engine.catalog..",
                        "io.stele.engine.datafile..",
                        "io.stele.engine.manifest..",
                        "io.stele.engine.scan..",
                        "io.stele.engine.shard..",
                        "io.stele.engine.tablet..",
                        "io.stele.engine.wal..")
                .check(CLASSES);
    }

    @Test
    void logAndManifestsAreBelowTablets() {
        noClasses()
                .that()
                .resideInAnyPackage(
                        "io.stele.engine.wal..",
                        "io.stele.engine.manifest..",
                        "io.stele.engine.datafile..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.stele.engine",
                        "io.stele.engine.aggregate..",
                        "io.stele.engine.catalog..",
                        "io.stele.engine.scan..",
                        "io.stele.engine.shard..",
                        "io.stele.engine.tablet..")
                .check(CLASSES);
    }

    @Test
    void tabletsAreBelowShards() {
        noClasses()
                .that()
                .resideInAnyPackage("io.stele.engine.tablet..", "io.stele.engine.scan..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.stele.engine",
                        "io.stele.engine.aggregate..",
                        "io.stele.engine.catalog..",
                        "io.stele.engine.shard..")
                .check(CLASSES);
    }
}
