package io.stele.protocol.predicate;

import static java.util.Objects.requireNonNull;

import java.util.List;

/**
 * A set of doubles as intervals, by which filters test values with SQL's comparisons: NaN is in no
 * interval, and -0.0 equals 0.0. Immutable.
 */
public final class DoubleIntervals {
    private final Interval[] intervals;

    /** One interval; a missing bound is infinite and inclusive. */
    public record Interval(double low, boolean lowInclusive, double high, boolean highInclusive) {
        boolean contains(double value) {
            return (lowInclusive ? value >= low : value > low)
                    && (highInclusive ? value <= high : value < high);
        }
    }

    public DoubleIntervals(List<Interval> intervals) {
        this.intervals = requireNonNull(intervals, "intervals is null").toArray(Interval[]::new);
    }

    public boolean contains(double value) {
        for (Interval interval : intervals) {
            if (interval.contains(value)) {
                return true;
            }
        }
        return false;
    }
}
