package io.stele.objectstore;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/**
 * The module objectstore has bytes: it sees itself, protocol and cache, and knows no column file
 * and no tablet. Each store's own client is in the package of that store only.
 */
final class TestFloors {
    private static final String[] MAY_SEE = {
        "io.stele.objectstore..", "io.stele.protocol..", "io.stele.cache.."
    };
    private static final String[] MAY_NOT_SEE = {
        "io.trino..", "org.apache.flink..", "org.apache.orc..", "org.apache.hadoop.hive.."
    };

    private static final JavaClasses CLASSES =
            new ClassFileImporter()
                    .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                    .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_JARS)
                    .importPackages("io.stele.objectstore");

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
    void hadoopIsInItsPackageOnly() {
        noClasses()
                .that()
                .resideOutsideOfPackages("io.stele.objectstore.hadoop..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.apache.hadoop..")
                .check(CLASSES);
    }

    @Test
    void theClientOfS3IsInItsPackageOnly() {
        noClasses()
                .that()
                .resideOutsideOfPackages("io.stele.objectstore.s3..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("software.amazon.awssdk..")
                .check(CLASSES);
    }

    @Test
    void retrievalKnowsNoStore() {
        noClasses()
                .that()
                .resideInAnyPackage("io.stele.objectstore.retrieval..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.stele.objectstore",
                        "io.stele.objectstore.cached..",
                        "io.stele.objectstore.encryption..",
                        "io.stele.objectstore.hadoop..",
                        "io.stele.objectstore.s3..",
                        "io.stele.objectstore.warehouse..")
                .check(CLASSES);
    }

    @Test
    void theContractKnowsNoRemoteStore() {
        noClasses()
                .that()
                .resideInAnyPackage("io.stele.objectstore")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.stele.objectstore.cached..",
                        "io.stele.objectstore.encryption..",
                        "io.stele.objectstore.hadoop..",
                        "io.stele.objectstore.s3..",
                        "io.stele.objectstore.warehouse..")
                .check(CLASSES);
    }
}
