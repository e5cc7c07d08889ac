package io.stele.testing;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.List;

/**
 * The rules of ArchUnit for the place of one module among the others: which of them it may depend
 * on, and which libraries it may not.
 */
public final class ModuleFloor {
    private final List<String> maySee;
    private final List<String> mayNotSee;
    private final JavaClasses classes;

    /**
     * @param module its root package, such as {@code io.stele.cache}
     * @param maySee packages of Stele that the module may depend on, itself included
     * @param mayNotSee packages of libraries that it may not
     */
    public ModuleFloor(String module, List<String> maySee, List<String> mayNotSee) {
        this.maySee = List.copyOf(maySee);
        this.mayNotSee = List.copyOf(mayNotSee);
        this.classes =
                new ClassFileImporter()
                        .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                        .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_JARS)
                        .importPackages(module);
    }

    /** The classes of the module, without its tests. */
    public JavaClasses classes() {
        return classes;
    }

    /** Fails if a class depends on another module of Stele than those it may see. */
    public void checkModules() {
        noClasses()
                .should()
                .dependOnClassesThat(
                        resideInAPackage("io.stele..").and(not(resideInAnyPackage(anyOf(maySee)))))
                .check(classes);
    }

    /** Fails if a class depends on a library that the module may not see. */
    public void checkLibraries() {
        checkLibrariesExcept(DescribedPredicate.alwaysFalse());
    }

    /** As {@link #checkLibraries}, but for some classes of these libraries. */
    public void checkLibrariesExcept(DescribedPredicate<JavaClass> allowed) {
        noClasses()
                .should()
                .dependOnClassesThat(resideInAnyPackage(anyOf(mayNotSee)).and(not(allowed)))
                .check(classes);
    }

    /** Fails if a class outside of one package depends on a library. */
    public void checkOnlyIn(String library, String... packages) {
        noClasses()
                .that()
                .resideOutsideOfPackages(packages)
                .should()
                .dependOnClassesThat()
                .resideInAPackage(library)
                .check(classes);
    }

    /** Fails if a class of a package depends on one of other packages. */
    public void checkNever(String from, String... packages) {
        noClasses()
                .that()
                .resideInAPackage(from)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(packages)
                .check(classes);
    }

    private static String[] anyOf(List<String> packages) {
        return packages.toArray(String[]::new);
    }
}
