package io.stele.cache.page;

import java.util.ArrayList;
import java.util.List;

/**
 * Units of one file that are fetched with one request.
 *
 * @param firstUnit the first
 * @param units how many
 */
record FetchRange(long firstUnit, int units) {
    /** The last one. */
    long lastUnit() {
        return firstUnit + units - 1;
    }

    /**
     * Joins units that lie side by side, up to {@code maxBytes} a range, or one unit.
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
