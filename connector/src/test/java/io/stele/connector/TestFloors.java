package io.stele.connector;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.stele.testing.PackageOrder;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The module connector is a front end: it sees itself, protocol, client, cache, object stores and
 * column files, never the engine.
 */
final class TestFloors {
    private static final String MODULE = "io.stele.connector";

    private static final String[] MAY_SEE = {
        "io.stele.connector..",
        "io.stele.protocol..",
        "io.stele.client..",
        "io.stele.cache..",
        "io.stele.objectstore..",
        "io.stele.columnfile.."
    };
    private static final String[] MAY_NOT_SEE = {
        "org.apache.flink..",
        "org.apache.hadoop..",
        "software.amazon.awssdk..",
        "org.apache.arrow.vector..",
        "org.apache.arrow.memory.."
    };

    /** The packages of this module, lower ones first: each sees only those before it. */
    private static final PackageOrder PACKAGES =
            new PackageOrder(
                    MODULE,
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

    private static final JavaClasses CLASSES =
            new ClassFileImporter()
                    .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                    .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_JARS)
                    .importPackages(MODULE);

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
    void packagesSeeOnlyLowerOnes() {
        PACKAGES.checkDependencies(CLASSES);
    }

    @Test
    void packagesAreSmall() {
        PACKAGES.checkSizes(CLASSES);
    }
}
