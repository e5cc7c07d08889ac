package io.stele.flink;

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

/** The module flink is a front end: it sees itself, client and protocol only. */
final class TestFloors {
    private static final String MODULE = "io.stele.flink";

    private static final String[] MAY_SEE = {
        "io.stele.flink..", "io.stele.client..", "io.stele.protocol.."
    };
    private static final String[] MAY_NOT_SEE = {
        "io.trino..",
        "io.airlift..",
        "org.apache.hadoop..",
        "org.apache.orc..",
        "software.amazon.awssdk..",
        "org.apache.arrow.vector..",
        "org.apache.arrow.memory.."
    };

    /** The packages of this module, lower ones first: each sees only those before it. */
    private static final PackageOrder PACKAGES =
            new PackageOrder(
                    MODULE,
                    List.of(
                            ".option",
                            ".type",
                            ".table",
                            ".sink",
                            ".lookup",
                            ".source",
                            ".changes",
                            ".script",
                            "",
                            ".catalog"));

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
