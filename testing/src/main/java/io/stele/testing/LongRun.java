package io.stele.testing;

import java.util.List;
import java.util.stream.Stream;

/**
 * How much of a test runs: a part by default, all of it in {@code bin/stele test --long}, which
 * sets {@code -Dtest.long=true}. For tests of many seeds or of many combinations of the same
 * statements; whole tests are tagged {@code long} instead. Thread-safe.
 */
public final class LongRun {
    private LongRun() {}

    /** Whether this is one. */
    public static boolean isOn() {
        return Boolean.getBoolean("test.long");
    }

    /** How many seeds a test runs, or queries, from the first on. */
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
