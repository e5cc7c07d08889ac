package io.stele.paimon.merge;

import io.stele.paimon.error.PaimonErrorCode;
import io.trino.spi.TrinoException;
import java.util.List;

/**
 * The merge rule of the engine {@code first-row}, by which the oldest row of a key stays.
 * Immutable.
 */
final class FirstRow implements RowMerger {
    private final boolean ignoresDeletions;

    FirstRow(boolean ignoresDeletions) {
        this.ignoresDeletions = ignoresDeletions;
    }

    @Override
    public void merge(List<MergeInput> rows, MergedRows result) {
        boolean isFound = false;
        for (MergeInput row : rows) {
            if (row.batch().isAdd(row.position())) {
                if (!isFound) {
                    isFound = true;
                    result.add(row.batch(), row.position(), 1);
                }
            } else if (!ignoresDeletions) {
                throw new TrinoException(
                        PaimonErrorCode.PAIMON_BAD_DATA,
                        "Expected no deletions in a table with merge engine first-row and without"
                                + " ignore-delete, found one");
            }
        }
    }
}
