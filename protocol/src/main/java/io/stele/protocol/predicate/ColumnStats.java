package io.stele.protocol.predicate;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Arrays;
import java.util.Optional;

/**
 * The statistics of one column's values in a file or table, by which scans skip files: bounds, null
 * count and NaN. Immutable: the arrays are not copied and must not be changed.
 *
 * <p>Invariant: every value that is neither null nor NaN lies in {@code min..max}. The bounds may
 * be wider than the values (long text is truncated).
 *
 * @param min lower bound, inclusive, in the form of {@link io.stele.protocol.row.ValueCodec};
 *     absent if unknown, or if there is no such value
 * @param max upper bound, inclusive, in the form of {@code min}; absent if unknown, or if there is
 *     no such value
 * @param nullCount number of nulls; -1: unknown
 * @param hasNaN whether NaN may be among the values
 */
public record ColumnStats(
        @JsonProperty("min") Optional<byte[]> min,
        @JsonProperty("max") Optional<byte[]> max,
        @JsonProperty("nullCount") long nullCount,
        @JsonProperty("hasNaN") boolean hasNaN) {
    /** No statistics. */
    public static final ColumnStats UNKNOWN =
            new ColumnStats(Optional.empty(), Optional.empty(), -1, true);

    public ColumnStats {
        requireNonNull(min, "min is null");
        requireNonNull(max, "max is null");
        if (nullCount < -1) {
            throw new IllegalArgumentException("Expected a null count >= -1, found " + nullCount);
        }
    }

    @JsonIgnore
    public boolean hasNullCount() {
        return nullCount >= 0;
    }

    /**
     * The combined statistics of two sets of rows, of {@code rowCount} and {@code otherRowCount}
     * rows.
     */
    public ColumnStats merge(long rowCount, ColumnStats other, long otherRowCount) {
        if (rowCount == 0) {
            return other;
        }
        if (otherRowCount == 0) {
            return this;
        }
        long nulls = hasNullCount() && other.hasNullCount() ? nullCount + other.nullCount : -1;
        boolean nan = hasNaN || other.hasNaN;
        if (hasOnlyNulls(rowCount)) {
            return new ColumnStats(other.min, other.max, nulls, nan);
        }
        if (other.hasOnlyNulls(otherRowCount)) {
            return new ColumnStats(min, max, nulls, nan);
        }
        return new ColumnStats(smaller(min, other.min, 1), smaller(max, other.max, -1), nulls, nan);
    }

    private boolean hasOnlyNulls(long rowCount) {
        return nullCount == rowCount;
    }

    private static Optional<byte[]> smaller(
            Optional<byte[]> left, Optional<byte[]> right, int sign) {
        if (left.isEmpty() || right.isEmpty()) {
            return Optional.empty();
        }
        return sign * Arrays.compareUnsigned(left.get(), right.get()) <= 0 ? left : right;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ColumnStats stats
                && nullCount == stats.nullCount
                && hasNaN == stats.hasNaN
                && Arrays.equals(min.orElse(null), stats.min.orElse(null))
                && Arrays.equals(max.orElse(null), stats.max.orElse(null));
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(min.orElse(null))
                + Arrays.hashCode(max.orElse(null))
                + Long.hashCode(nullCount);
    }
}
