package io.stele.paimon.merge;

import java.util.List;

/**
 * The merge rule of the engine {@code deduplicate}, by which the newest row of a key stays.
 * Immutable.
 */
final class LastRow implements RowMerger {
    private final boolean ignoresDeletions;

    LastRow(boolean ignoresDeletions) {
        this.ignoresDeletions = ignoresDeletions;
    }

    @Override
    public void merge(List<MergeInput> rows, MergedRows result) {
        for (int i = rows.size() - 1; i >= 0; i--) {
            MergeInput row = rows.get(i);
            if (row.batch().isAdd(row.position())) {
                result.add(row.batch(), row.position(), 1);
                return;
            }
            if (!ignoresDeletions) {
                return;
            }
        }
    }
}
