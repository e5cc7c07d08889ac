package io.stele.testing;

import java.util.List;
import java.util.stream.Stream;

/**
 * The switch between short and long runs of a test: part of its cases by default, all of them in
 * {@code bin/stele test --long}, which sets {@code -Dtest.long=true}. It is for tests of many seeds
 * or of many combinations of the same statements. Tests that are long as a whole are tagged {@code
 * long} instead. Thread-safe.
 */
public final class LongRun {
    private LongRun() {}

    /** Whether this is one. */
    public static boolean isOn() {
        return Boolean.getBoolean("test.long");
    }

    /** The number of seeds that a test runs, or queries, from the first on. */
    public static int count(int byDefault, int all) {
        return isOn() ? all : byDefault;
    }

    /**
     * The combinations that a test runs.
     *
     * @param byDefault so chosen that each value of each kind is in one of them
     * @param others what a long run adds
     */
    public static <T> List<T> combinations(List<T> byDefault, List<T> others) {
        if (!isOn()) {
            return List.copyOf(byDefault);
        }
        return Stream.concat(byDefault.stream(), others.stream()).toList();
    }
}
