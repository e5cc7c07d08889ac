package io.stele.paimon.read;

import static java.util.Objects.requireNonNull;

import io.trino.spi.connector.SourcePage;
import java.util.Arrays;
import java.util.Optional;
import org.apache.paimon.deletionvectors.DeletionVector;
import org.apache.paimon.utils.RoaringBitmap32;
import org.jspecify.annotations.Nullable;

/**
 * A filter that removes from a file's pages, in place, the rows that the file's deletion vector
 * marks, and those that its indexes leave out. Confined to one driver.
 */
final class SelectedRows {
    private final Optional<DeletionVector> deleted;
    private final IndexedRows indexed;
    private int[] positions = new int[0];
    private long unselected;

    SelectedRows(Optional<DeletionVector> deleted, IndexedRows indexed) {
        this.deleted = requireNonNull(deleted, "deleted is null");
        this.indexed = requireNonNull(indexed, "indexed is null");
    }

    /**
     * Narrows a page to the wanted rows.
     *
     * @param firstRow the number in the file of the page's first row
     * @return the page, or null when nothing is left
     */
    @Nullable SourcePage select(SourcePage page, long firstRow) {
        int count = page.getPositionCount();
        if (!indexed.mayHave(firstRow, count)) {
            unselected += count;
            return null;
        }
        if (deleted.isEmpty() && indexed.selected().isEmpty()) {
            return page;
        }
        if (positions.length < count) {
            positions = new int[count];
        }
        int selected = 0;
        if (indexed.selected().isPresent()) {
            RoaringBitmap32 rows = indexed.selected().get();
            for (int i = 0; i < count; i++) {
                positions[selected] = i;
                selected += rows.contains((int) (firstRow + i)) ? 1 : 0;
            }
            unselected += count - selected;
        } else {
            for (int i = 0; i < count; i++) {
                positions[i] = i;
            }
            selected = count;
        }
        if (deleted.isPresent()) {
            selected = visible(deleted.get(), firstRow, selected);
        }
        if (selected == 0) {
            return null;
        }
        if (selected < count) {
            // The page may retain the array
            page.selectPositions(Arrays.copyOf(positions, selected), 0, selected);
        }
        return page;
    }

    /** Narrows the first {@code count} positions to those that are not deleted. */
    private int visible(DeletionVector vector, long firstRow, int count) {
        int visible = 0;
        for (int i = 0; i < count; i++) {
            int position = positions[i];
            positions[visible] = position;
            visible += vector.isDeleted(firstRow + position) ? 0 : 1;
        }
        return visible;
    }

    /** The number of rows of pages that indexes have left out. */
    long unselected() {
        return unselected;
    }
}
