package io.stele.engine.row;

import java.util.function.IntToLongFunction;

/**
 * A binary search by LSN over positions in ascending LSN order, for memtables and deletion vectors.
 */
public final class LsnOrder {
    private LsnOrder() {}

    /**
     * The first position whose LSN is above {@code lsn}; {@code to} if there is none.
     *
     * @param lsnAt the LSN at a position; not lower than at the position before
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
