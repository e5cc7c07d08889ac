package io.stele.protocol.predicate;

import java.util.Arrays;
import java.util.List;
import java.util.function.ToLongFunction;

/** Closed intervals of longs in ascending order, none of them empty. Immutable. */
public final class LongIntervals {
    private final long[] lows;
    private final long[] highs;

    private LongIntervals(long[] lows, long[] highs) {
        this.lows = lows;
        this.highs = highs;
    }

    /**
     * The values of a domain.
     *
     * @param decode the long that an encoded bound stands for
     */
    public static LongIntervals of(ColumnDomain domain, ToLongFunction<byte[]> decode) {
        List<ValueRange> ranges = domain.ranges();
        long[] lows = new long[ranges.size()];
        long[] highs = new long[ranges.size()];
        int count = 0;
        for (ValueRange range : ranges) {
            long low = range.low().map(decode::applyAsLong).orElse(Long.MIN_VALUE);
            long high = range.high().map(decode::applyAsLong).orElse(Long.MAX_VALUE);
            boolean excludesLow = range.low().isPresent() && !range.lowInclusive();
            boolean excludesHigh = range.high().isPresent() && !range.highInclusive();
            boolean beyond =
                    (excludesLow && low == Long.MAX_VALUE)
                            || (excludesHigh && high == Long.MIN_VALUE);
            if (beyond) {
                continue;
            }
            lows[count] = excludesLow ? low + 1 : low;
            highs[count] = excludesHigh ? high - 1 : high;
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
