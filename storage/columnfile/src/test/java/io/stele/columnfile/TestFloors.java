package io.stele.columnfile;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/**
 * The module columnfile has one file, read and written: it sees itself, protocol, cache and the
 * contract of object stores, and never the engine.
 */
final class TestFloors {
    private static final String[] MAY_SEE = {
        "io.stele.columnfile..",
        "io.stele.objectstore",
        "io.stele.objectstore.retrieval",
        "io.stele.protocol..",
        "io.stele.cache.."
    };
    private static final String[] MAY_NOT_SEE = {
        "io.trino..", "org.apache.flink..", "software.amazon.awssdk.."
    };

    private static final JavaClasses CLASSES =
            new ClassFileImporter()
                    .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                    .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_JARS)
                    .importPackages("io.stele.columnfile");

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
    void orcIsInItsPackageOnly() {
        noClasses()
                .that()
                .resideOutsideOfPackages("io.stele.columnfile.orc..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.apache..")
                .check(CLASSES);
    }

    @Test
    void bytesAreBelowAll() {
        noClasses()
                .that()
                .resideInAnyPackage("io.stele.columnfile.bytes..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.stele.columnfile.metadata..",
                        "io.stele.columnfile.index..",
                        "io.stele.columnfile.orc..")
                .check(CLASSES);
    }

    @Test
    void metadataAndIndexesAreBelowColumns() {
        noClasses()
                .that()
                .resideInAnyPackage("io.stele.columnfile.metadata..", "io.stele.columnfile.index..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.stele.columnfile.orc..")
                .check(CLASSES);
    }
}
