package io.stele.paimon.merge;

import java.util.List;

/**
 * The rule of a merge engine by which several rows of one key become at most one row. Confined to
 * one driver.
 *
 * <p>A row that is the only one of its key does not pass through it; such a row stays as it is, or
 * is dropped if it is a deletion.
 */
interface RowMerger {
    /**
     * Adds at most one row to the result.
     *
     * @param rows inputs, each at its row of the key, from the oldest to the newest
     */
    void merge(List<MergeInput> rows, MergedRows result);
}
