package io.stele.testing;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.PostDiscoveryFilter;

/**
 * A filter that leaves out what {@link LongTests} names, unless the run is a long one. A name that
 * no method has is an error, so that a renamed test is not forgotten. Thread-safe.
 */
public final class LongTestsFilter implements PostDiscoveryFilter {
    @Override
    public FilterResult apply(TestDescriptor test) {
        return switch (test.getSource().orElse(null)) {
            case ClassSource source -> ofClass(source.getJavaClass());
            case MethodSource source -> ofMethod(source);
            case null, default -> FilterResult.included("neither class nor method");
        };
    }

    private static FilterResult ofClass(Class<?> type) {
        LongTests named = type.getAnnotation(LongTests.class);
        if (named != null) {
            Set<String> unknown = new HashSet<>(Arrays.asList(named.value()));
            for (Class<?> each = type; each != null; each = each.getSuperclass()) {
                for (Method method : each.getDeclaredMethods()) {
                    unknown.remove(method.getName());
                }
            }
            if (!unknown.isEmpty()) {
                throw new IllegalStateException(
                        "Expected names of methods of %s, found %s"
                                .formatted(type.getName(), unknown));
            }
        }
        return FilterResult.included("a class");
    }

    private static FilterResult ofMethod(MethodSource source) {
        LongTests named = source.getJavaClass().getAnnotation(LongTests.class);
        return FilterResult.includedIf(
                named == null
                        || LongRun.isOn()
                        || !Arrays.asList(named.value()).contains(source.getMethodName()),
                () -> "runs by default",
                () -> "runs with --long only");
    }
}
