package io.stele.paimon.merge;

import static com.google.common.base.Preconditions.checkState;
import static java.util.Objects.requireNonNull;

import io.stele.paimon.error.PaimonErrorCode;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.SourcePage;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * One sorted input of a merge, with its current page and its next row. Confined to one driver.
 *
 * <p>Invariant: the keys of its rows never descend.
 */
final class MergeInput {
    private final SortedRows rows;
    private final MergeLayout layout;
    private final int ordinal;
    private @Nullable MergeBatch batch;
    private int position;

    /**
     * @param ordinal its place among the inputs, which decides where nothing else does
     */
    MergeInput(SortedRows rows, MergeLayout layout, int ordinal) {
        this.rows = requireNonNull(rows, "rows is null");
        this.layout = requireNonNull(layout, "layout is null");
        this.ordinal = ordinal;
    }

    /** Reads the next page that has rows; returns false if there are no more. */
    boolean advancePage() throws IOException {
        MergeBatch last = batch;
        while (true) {
            SourcePage page = rows.next();
            if (page == null) {
                batch = null;
                return false;
            }
            if (page.getPositionCount() > 0) {
                MergeBatch next = new MergeBatch(layout, page);
                checkSorted(last, next);
                batch = next;
                position = 0;
                return true;
            }
        }
    }

    private static void checkSorted(@Nullable MergeBatch last, MergeBatch next) {
        boolean isSorted =
                next.compareKeys(0, next, next.count() - 1) <= 0
                        && (last == null || last.compareKeys(last.count() - 1, next, 0) <= 0);
        if (!isSorted) {
            throw new TrinoException(
                    PaimonErrorCode.PAIMON_BAD_DATA,
                    "Expected rows sorted by their key, found a page that is not");
        }
    }

    MergeBatch batch() {
        MergeBatch present = batch;
        checkState(present != null, "the input has ended");
        return present;
    }

    int position() {
        return position;
    }

    /** Moves to a later row of the page; returns false if the page has no more rows. */
    boolean skipTo(int newPosition) {
        position = newPosition;
        return position < batch().count();
    }

    int compareKeys(MergeInput other) {
        return batch().compareKeys(position, other.batch(), other.position);
    }

    /**
     * The position of the first row of the page, from the next row on, whose key is not before that
     * of another input.
     */
    int endBefore(MergeInput other) {
        MergeBatch mine = batch();
        int count = mine.count();
        if (mine.compareKeys(count - 1, other.batch(), other.position) < 0) {
            return count;
        }
        int low = position;
        int step = 1;
        // Gallops, since a run is often short
        while (low + step < count
                && mine.compareKeys(low + step, other.batch(), other.position) < 0) {
            low += step;
            step *= 2;
        }
        if (mine.compareKeys(low, other.batch(), other.position) >= 0) {
            return low;
        }
        int high = Math.min(count - 1, low + step);
        while (high - low > 1) {
            int middle = (low + high) >>> 1;
            if (mine.compareKeys(middle, other.batch(), other.position) < 0) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return high;
    }

    /**
     * The order of two rows of the same key, by Paimon's rules: sequence fields, then sequence
     * numbers. Where both are equal, Paimon does not define the order; here the deeper level is
     * older.
     */
    int compareAge(MergeInput other) {
        int result = batch().compareSequence(position, other.batch(), other.position);
        if (result == 0) {
            result =
                    Long.compare(
                            batch().sequenceNumber(position, rows.sequenceNumber()),
                            other.batch()
                                    .sequenceNumber(other.position, other.rows.sequenceNumber()));
        }
        if (result == 0) {
            result = Integer.compare(other.level(), level());
        }
        return result != 0 ? result : Integer.compare(ordinal, other.ordinal);
    }

    int level() {
        return rows.level();
    }

    /** The bytes of its buffers and its current page. */
    long memoryBytes() {
        MergeBatch present = batch;
        return rows.memoryBytes() + (present == null ? 0 : present.retainedBytes());
    }
}
