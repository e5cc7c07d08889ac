package io.stele.protocol.predicate;

import io.stele.protocol.row.BinaryValues;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.schema.ColumnSchema;
import java.util.ArrayList;
import java.util.List;

/**
 * A filter of binary rows of one layout by a {@link ScanPredicate}, which allocates nothing for
 * each row. It ignores domains of columns that the layout does not have, or that have no order. It
 * reuses a buffer, so it is confined to one thread.
 */
public final class RowMatcher {
    private final ColumnMatcher[] matchers;

    RowMatcher(ScanPredicate predicate, RowLayout layout) {
        List<ColumnMatcher> found = new ArrayList<>();
        for (int index = 0; index < layout.columns().size(); index++) {
            ColumnSchema column = layout.columns().get(index);
            ColumnDomain domain = predicate.domains().get(column.id());
            if (domain != null) {
                found.add(ColumnMatcher.of(index, column.type(), domain));
            }
        }
        this.matchers = found.toArray(ColumnMatcher[]::new);
    }

    /** Whether all columns of a row are in their domains. */
    public boolean matches(BinaryValues row) {
        for (ColumnMatcher matcher : matchers) {
            if (!matcher.matches(row)) {
                return false;
            }
        }
        return true;
    }
}
