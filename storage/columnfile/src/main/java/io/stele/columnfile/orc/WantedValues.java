package io.stele.columnfile.orc;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.predicate.LongIntervals;
import io.stele.protocol.schema.ColumnSchema;

/**
 * The filter of a reader on one column, as intervals of wanted values, by which it skips chunks and
 * row groups; null is never wanted.
 *
 * @param column in the reader's schema, of whole numbers, dates or times of 64 bits
 */
public record WantedValues(ColumnSchema column, LongIntervals values) {
    public WantedValues {
        requireNonNull(column, "column is null");
        requireNonNull(values, "values is null");
    }
}
