package io.stele.columnfile.orc;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.predicate.LongIntervals;
import io.stele.protocol.schema.ColumnSchema;

/**
 * The values of a column that a reader wants; null is none of them.
 *
 * @param column in the reader's schema, of whole numbers, dates or times of 64 bits
 */
public record WantedValues(ColumnSchema column, LongIntervals values) {
    public WantedValues {
        requireNonNull(column, "column is null");
        requireNonNull(values, "values is null");
    }
}
