package io.stele.cache.page;

import java.util.ArrayList;
import java.util.List;

/**
 * A range of consecutive units of one file that the page cache fetches with one request.
 *
 * @param firstUnit number of the first unit in the file
 * @param units number of units
 */
record FetchRange(long firstUnit, int units) {
    /** The number of the last unit, inclusive. */
    long lastUnit() {
        return firstUnit + units - 1;
    }

    /**
     * Joins adjacent units to ranges of up to {@code maxBytes} bytes, or one unit.
     *
     * @param missing unit numbers, ascending
     */
    static List<FetchRange> join(List<Long> missing, PageUnits units, int maxBytes) {
        List<FetchRange> ranges = new ArrayList<>();
        long first = -1;
        int count = 0;
        for (long unit : missing) {
            if (count > 0
                    && unit == first + count
                    && units.end(unit) - units.start(first) <= maxBytes) {
                count++;
                continue;
            }
            if (count > 0) {
                ranges.add(new FetchRange(first, count));
            }
            first = unit;
            count = 1;
        }
        if (count > 0) {
            ranges.add(new FetchRange(first, count));
        }
        return ranges;
    }
}
