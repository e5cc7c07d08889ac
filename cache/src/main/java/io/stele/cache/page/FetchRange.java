package io.stele.cache.page;

import java.util.ArrayList;
import java.util.List;

/**
 * Pages of one file that are fetched with one request.
 *
 * @param firstPage the first
 * @param pages how many
 */
record FetchRange(long firstPage, int pages) {
    /**
     * Joins pages that lie side by side, up to {@code maxPages} a range.
     *
     * @param missing page numbers, ascending
     */
    static List<FetchRange> join(List<Long> missing, int maxPages) {
        List<FetchRange> ranges = new ArrayList<>();
        long first = -1;
        int count = 0;
        for (long page : missing) {
            if (count > 0 && page == first + count && count < maxPages) {
                count++;
                continue;
            }
            if (count > 0) {
                ranges.add(new FetchRange(first, count));
            }
            first = page;
            count = 1;
        }
        if (count > 0) {
            ranges.add(new FetchRange(first, count));
        }
        return ranges;
    }
}
