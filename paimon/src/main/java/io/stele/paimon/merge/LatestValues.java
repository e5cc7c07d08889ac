package io.stele.paimon.merge;

import io.stele.paimon.error.PaimonErrorCode;
import io.trino.spi.TrinoException;
import java.util.Arrays;
import java.util.List;
import org.apache.paimon.types.RowKind;

/**
 * The merge rule of the engine {@code partial-update} without sequence groups and aggregations, by
 * which the newest value of each column that is not null stays. Confined to one driver.
 */
final class LatestValues implements RowMerger {
    /** The effect of a deletion on the row of its key. */
    enum OnDeletion {
        IGNORE,
        REMOVE_ROW,
        REFUSE
    }

    private final int columnCount;
    private final OnDeletion onDeletion;
    private final MergeInput[] sources;

    LatestValues(int columnCount, OnDeletion onDeletion) {
        this.columnCount = columnCount;
        this.onDeletion = onDeletion;
        this.sources = new MergeInput[columnCount];
    }

    @Override
    public void merge(List<MergeInput> rows, MergedRows result) {
        boolean isFilled = false;
        boolean isAdded = false;
        boolean isDeleted = false;
        for (MergeInput row : rows) {
            boolean isAdd = row.batch().isAdd(row.position());
            isDeleted = false;
            if (!isFilled) {
                // As Paimon does, also with the values of a deletion
                Arrays.fill(sources, row);
                isFilled = true;
            } else if (isAdd) {
                replaceNulls(row);
            }
            isAdded |= isAdd;
            if (!isAdd && removes(row)) {
                Arrays.fill(sources, row);
                isDeleted = true;
            }
        }
        if (isAdded && !isDeleted) {
            if (columnCount == 0) {
                MergeInput last = rows.getLast();
                result.add(last.batch(), last.position(), 1);
            } else {
                result.add(sources);
            }
        }
    }

    private void replaceNulls(MergeInput row) {
        for (int column = 0; column < columnCount; column++) {
            if (!row.batch().block(column).isNull(row.position())) {
                sources[column] = row;
            }
        }
    }

    private boolean removes(MergeInput deletion) {
        return switch (onDeletion) {
            case IGNORE -> false;
            case REMOVE_ROW -> deletion.batch().kind(deletion.position()) == RowKind.DELETE;
            case REFUSE ->
                    throw new TrinoException(
                            PaimonErrorCode.PAIMON_BAD_DATA,
                            "Expected no deletions in a table with merge engine partial-update that"
                                    + " says nothing of them, found one");
        };
    }
}
