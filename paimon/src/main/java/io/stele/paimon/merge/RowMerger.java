package io.stele.paimon.merge;

import java.util.List;

/**
 * The rule by which rows of one key become one. Confined to one driver.
 *
 * <p>A row that is alone with its key is not given to it: it stays as it is, or is none if it is a
 * deletion.
 */
interface RowMerger {
    /**
     * Adds at most one row to the result.
     *
     * @param rows inputs, each at its row of the key, from the oldest to the newest
     */
    void merge(List<MergeInput> rows, MergedRows result);
}
