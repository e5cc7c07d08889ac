package io.stele.protocol.predicate;

import java.util.Arrays;
import java.util.List;
import java.util.function.ToLongFunction;

/**
 * A set of longs as closed, non-empty intervals in ascending order, by which filters test values
 * and statistics. Immutable.
 */
public final class LongIntervals {
    private final long[] lows;
    private final long[] highs;

    private LongIntervals(long[] lows, long[] highs) {
        this.lows = lows;
        this.highs = highs;
    }

    /**
     * An interval with open or closed ends; it may be empty.
     *
     * @param low its least value, or the value below that
     * @param high its greatest value, or the value above that
     */
    public record Interval(long low, boolean lowInclusive, long high, boolean highInclusive) {}

    /**
     * The values of a domain.
     *
     * @param decode decodes a bound to a long
     */
    public static LongIntervals of(ColumnDomain domain, ToLongFunction<byte[]> decode) {
        return of(
                domain.ranges().stream()
                        .map(
                                range ->
                                        new Interval(
                                                range.low()
                                                        .map(decode::applyAsLong)
                                                        .orElse(Long.MIN_VALUE),
                                                range.low().isEmpty() || range.lowInclusive(),
                                                range.high()
                                                        .map(decode::applyAsLong)
                                                        .orElse(Long.MAX_VALUE),
                                                range.high().isEmpty() || range.highInclusive()))
                        .toList());
    }

    /** The values of intervals that are in ascending order and do not overlap. */
    public static LongIntervals of(List<Interval> intervals) {
        long[] lows = new long[intervals.size()];
        long[] highs = new long[intervals.size()];
        int count = 0;
        for (Interval interval : intervals) {
            boolean beyond =
                    (!interval.lowInclusive && interval.low == Long.MAX_VALUE)
                            || (!interval.highInclusive && interval.high == Long.MIN_VALUE);
            if (beyond) {
                continue;
            }
            lows[count] = interval.lowInclusive ? interval.low : interval.low + 1;
            highs[count] = interval.highInclusive ? interval.high : interval.high - 1;
            if (lows[count] <= highs[count]) {
                count++;
            }
        }
        return new LongIntervals(Arrays.copyOf(lows, count), Arrays.copyOf(highs, count));
    }

    public int size() {
        return lows.length;
    }

    /** The least value of an interval. */
    public long low(int interval) {
        return lows[interval];
    }

    /** The greatest value of an interval. */
    public long high(int interval) {
        return highs[interval];
    }

    /** Whether a value from {@code least} to {@code greatest} is in an interval. */
    public boolean overlaps(long least, long greatest) {
        int low = 0;
        int high = lows.length;
        while (low < high) { // finds the first interval that does not end before
            int middle = (low + high) >>> 1;
            if (highs[middle] < least) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low < lows.length && lows[low] <= greatest;
    }

    public boolean contains(long value) {
        int low = 0;
        int high = lows.length - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            if (value < lows[middle]) {
                high = middle - 1;
            } else if (value > highs[middle]) {
                low = middle + 1;
            } else {
                return true;
            }
        }
        return false;
    }
}
