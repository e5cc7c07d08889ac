package io.stele.paimon.read;

import static java.util.Objects.requireNonNull;

import java.util.Optional;
import org.apache.paimon.utils.RoaringBitmap32;

/**
 * The rows of a data file that can satisfy a constraint by Paimon's indexes of the file. Immutable.
 *
 * @param selected the numbers of these rows in the file; empty: all rows
 */
record IndexedRows(Optional<RoaringBitmap32> selected) {
    static final IndexedRows ALL = new IndexedRows(Optional.empty());
    static final IndexedRows NONE = new IndexedRows(Optional.of(new RoaringBitmap32()));

    IndexedRows {
        requireNonNull(selected, "selected is null");
    }

    boolean isNone() {
        return selected.isPresent() && selected.get().isEmpty();
    }

    /** Whether one of {@code count} rows from {@code first} on can satisfy the constraint. */
    boolean mayHave(long first, long count) {
        return selected.isEmpty() || selected.get().intersects(first, first + count);
    }
}
