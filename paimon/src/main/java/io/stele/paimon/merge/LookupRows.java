package io.stele.paimon.merge;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.List;

/**
 * The merge rule of tables with lookup compaction, which merges rows of level 0 and of the least
 * other level only. The row of that level already contains the rows of deeper levels. Confined to
 * one driver.
 */
final class LookupRows implements RowMerger {
    private final RowMerger merger;
    private final List<MergeInput> wanted = new ArrayList<>();

    LookupRows(RowMerger merger) {
        this.merger = requireNonNull(merger, "merger is null");
    }

    @Override
    public void merge(List<MergeInput> rows, MergedRows result) {
        MergeInput least = null;
        for (MergeInput row : rows) {
            if (row.level() > 0 && (least == null || row.level() < least.level())) {
                least = row;
            }
        }
        wanted.clear();
        for (MergeInput row : rows) {
            if (row.level() == 0 || row == least) {
                wanted.add(row);
            }
        }
        merger.merge(wanted, result);
    }
}
