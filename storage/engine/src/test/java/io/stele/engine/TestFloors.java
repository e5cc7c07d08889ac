package io.stele.engine;

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
 * The module engine is below the front ends: it sees itself and the floors below, and reaches
 * stores by objectstore alone.
 */
final class TestFloors {
    private static final String MODULE = "io.stele.engine";

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

    /** The packages of this module, lower ones first: each sees only those before it. */
    private static final PackageOrder PACKAGES =
            new PackageOrder(
                    MODULE,
                    List.of(
                            ".job",
                            ".wal",
                            ".manifest",
                            ".manifest.orc",
                            ".catalog",
                            ".row",
                            ".memtable",
                            ".datafile",
                            ".index",
                            ".compaction.policy",
                            ".tablet",
                            ".compaction.output",
                            ".compaction",
                            ".scan",
                            ".aggregate",
                            ".shard.record",
                            ".shard.write",
                            ".shard.apply",
                            ".shard",
                            ".shard.maintenance",
                            ".snapshot",
                            ".garbage",
                            ".node",
                            ".transaction",
                            ".read",
                            ".recovery",
                            ".statistics",
                            ".status",
                            ".maintenance",
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
    void packagesSeeOnlyLowerOnes() {
        PACKAGES.checkDependencies(CLASSES);
    }

    @Test
    void packagesAreSmall() {
        PACKAGES.checkSizes(CLASSES);
    }
}
