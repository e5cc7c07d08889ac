package io.stele.engine;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
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

    /** The packages of this module, lower ones first: each sees only those before it. */
    private static final List<String> PACKAGES =
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
                    "");

    /** A package is a room: with more files nobody sees what is in it. */
    private static final int MAX_FILES = 45;

    private static final String MODULE = "io.stele.engine";

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
        for (JavaClass from : CLASSES) {
            assertThat(PACKAGES).contains(packageOf(from));
            for (Dependency dependency : from.getDirectDependenciesFromSelf()) {
                JavaClass to = dependency.getTargetClass().getBaseComponentType();
                if (to.getPackageName().startsWith(MODULE)) {
                    assertThat(PACKAGES.indexOf(packageOf(to)))
                            .as(dependency.getDescription())
                            .isLessThanOrEqualTo(PACKAGES.indexOf(packageOf(from)));
                }
            }
        }
    }

    @Test
    void packagesAreSmall() {
        Map<String, Integer> files = new TreeMap<>();
        for (JavaClass type : CLASSES) {
            if (type.isTopLevelClass()) {
                files.merge(packageOf(type), 1, Integer::sum);
            }
        }
        assertThat(files).hasSize(PACKAGES.size());
        assertThat(files.values()).as("files of %s", files).allMatch(count -> count <= MAX_FILES);
    }

    private static String packageOf(JavaClass type) {
        return type.getPackageName().substring(MODULE.length());
    }
}
