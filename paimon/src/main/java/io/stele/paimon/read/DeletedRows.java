package io.stele.paimon.read;

import static java.util.Objects.requireNonNull;

import io.trino.spi.connector.SourcePage;
import java.util.Arrays;
import org.apache.paimon.deletionvectors.DeletionVector;
import org.jspecify.annotations.Nullable;

/**
 * A filter that removes from a file's pages, in place, the rows that the file's deletion vector
 * marks. Confined to one driver.
 */
final class DeletedRows {
    private final DeletionVector deleted;
    private int[] positions = new int[0];

    DeletedRows(DeletionVector deleted) {
        this.deleted = requireNonNull(deleted, "deleted is null");
    }

    /**
     * Narrows a page to the rows that are not deleted.
     *
     * @param firstRow the number in the file of the page's first row
     * @return the page, or null when nothing is left
     */
    @Nullable SourcePage select(SourcePage page, long firstRow) {
        int count = page.getPositionCount();
        if (positions.length < count) {
            positions = new int[count];
        }
        int selected = 0;
        for (int i = 0; i < count; i++) {
            positions[selected] = i;
            selected += deleted.isDeleted(firstRow + i) ? 0 : 1;
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
}
