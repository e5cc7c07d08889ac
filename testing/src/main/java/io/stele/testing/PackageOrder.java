package io.stele.testing;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The order of the packages of a module: each sees itself and those before it.
 *
 * @param module its root package
 * @param packages all of its packages without the root's name, lower ones first; {@code ""} is the
 *     root itself
 */
public record PackageOrder(String module, List<String> packages) {
    public PackageOrder {
        packages = List.copyOf(packages);
    }

    /**
     * Fails if a class of the module depends on one of a higher package, or if the order does not
     * have exactly the packages of the module.
     */
    public void checkDependencies(JavaClasses classes) {
        assertThat(packages).containsExactlyInAnyOrderElementsOf(packagesOf(classes));
        for (JavaClass from : classes) {
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

    private Set<String> packagesOf(JavaClasses classes) {
        return classes.stream().map(this::packageOf).collect(Collectors.toSet());
    }

    private String packageOf(JavaClass type) {
        return type.getPackageName().substring(module.length());
    }
}
