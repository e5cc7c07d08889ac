package io.stele.protocol.predicate;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Arrays;

/**
 * The distinct-value sketch of one column in a file, with the total length of the values, for
 * optimizer statistics. Sketches of several files can be merged. Immutable: the array is not copied
 * and must not be changed.
 *
 * @param distinct the sketch of all values that are not null, made by {@code SketchBuilder} in the
 *     storage
 * @param valueBytes bytes of all values of variable length; 0 for other types
 */
public record ColumnSketch(
        @JsonProperty("distinct") byte[] distinct, @JsonProperty("valueBytes") long valueBytes) {
    public ColumnSketch {
        requireNonNull(distinct, "distinct is null");
        if (valueBytes < 0) {
            throw new IllegalArgumentException("Expected value bytes >= 0, found " + valueBytes);
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ColumnSketch sketch
                && valueBytes == sketch.valueBytes
                && Arrays.equals(distinct, sketch.distinct);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(distinct) + Long.hashCode(valueBytes);
    }
}
