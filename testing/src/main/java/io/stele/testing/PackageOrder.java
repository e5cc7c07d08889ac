package io.stele.testing;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The order of the packages of a module: each sees itself and those before it.
 *
 * @param module its root package
 * @param packages all of its packages without the root's name, lower ones first; {@code ""} is the
 *     root itself
 */
public record PackageOrder(String module, List<String> packages) {
    /** A package is a room: with more files nobody sees what is in it. */
    private static final int MAX_FILES = 45;

    public PackageOrder {
        packages = List.copyOf(packages);
    }

    /** Fails if a class of the module depends on one of a higher package. */
    public void checkDependencies(JavaClasses classes) {
        for (JavaClass from : classes) {
            assertThat(packages).contains(packageOf(from));
            for (Dependency dependency : from.getDirectDependenciesFromSelf()) {
                JavaClass to = dependency.getTargetClass().getBaseComponentType();
                if (to.getPackageName().startsWith(module)) {
                    assertThat(packages.indexOf(packageOf(to)))
                            .as(dependency.getDescription())
                            .isLessThanOrEqualTo(packages.indexOf(packageOf(from)));
                }
            }
        }
    }

    /** Fails if a package has too many files, or is not there. */
    public void checkSizes(JavaClasses classes) {
        Map<String, Integer> files = new TreeMap<>();
        for (JavaClass type : classes) {
            if (type.isTopLevelClass()) {
                files.merge(packageOf(type), 1, Integer::sum);
            }
        }
        assertThat(files).hasSize(packages.size());
        assertThat(files.values()).as("files of %s", files).allMatch(count -> count <= MAX_FILES);
    }

    private String packageOf(JavaClass type) {
        return type.getPackageName().substring(module.length());
    }
}
