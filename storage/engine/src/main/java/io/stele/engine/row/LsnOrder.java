package io.stele.engine.row;

import java.util.function.IntToLongFunction;

/** A binary search in what is in the order of LSNs. */
public final class LsnOrder {
    private LsnOrder() {}

    /**
     * The first position whose LSN is above another; {@code to} if there is none.
     *
     * @param lsnAt the LSN at a position; not lower than that of the position before
     * @param from the first position
     * @param to the position after the last one
     */
    public static int firstAfter(IntToLongFunction lsnAt, int from, int to, long lsn) {
        int low = from;
        int high = to;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (lsnAt.applyAsLong(middle) <= lsn) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
}
