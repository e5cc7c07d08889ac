package io.stele.benchmarks;

import static java.util.Objects.requireNonNull;

/**
 * One row of a benchmark's report: a number that an issue required, and the measured value.
 *
 * @param name what the number is of, e.g. {@code "ingest/8 writers: rows per second"}
 * @param target the required value, in the unit that {@code name} has
 * @param measured the value found in this run
 * @param met whether {@code measured} is at least (or, for costs, at most) {@code target}
 */
public record Target(String name, double target, double measured, boolean met) {
    public Target {
        requireNonNull(name, "name is null");
    }

    public static Target atLeast(String name, double target, double measured) {
        return new Target(name, target, measured, measured >= target);
    }

    public static Target atMost(String name, double target, double measured) {
        return new Target(name, target, measured, measured <= target);
    }
}
