package io.stele.protocol.predicate;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * The condition of a {@link ScanPredicate} on one column: the set of wanted values, as ranges, and
 * whether null is wanted. Immutable.
 *
 * <p>Invariant: ranges are in ascending order and do not overlap, so that a value is found by
 * binary search.
 *
 * @param nullAllowed whether null is wanted
 * @param ranges the wanted values, at most 10,000 ranges; the constructor sorts them
 */
public record ColumnDomain(
        @JsonProperty("nullAllowed") boolean nullAllowed,
        @JsonProperty("ranges") List<ValueRange> ranges) {
    /** The most ranges: a longer IN list would not filter enough to justify the message. */
    public static final int MAX_RANGES = 10_000;

    private static final Comparator<ValueRange> BY_LOW =
            (left, right) -> {
                if (left.low().isEmpty() || right.low().isEmpty()) {
                    return Boolean.compare(left.low().isPresent(), right.low().isPresent());
                }
                return Arrays.compareUnsigned(left.low().get(), right.low().get());
            };

    public ColumnDomain {
        if (ranges.size() > MAX_RANGES) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected at most "
                            + MAX_RANGES
                            + " ranges of a column, found "
                            + ranges.size());
        }
        ranges = ranges.stream().sorted(BY_LOW).toList();
        for (int i = 1; i < ranges.size(); i++) {
            if (overlaps(ranges.get(i - 1), ranges.get(i))) {
                throw new SteleException(
                        ErrorCode.INVALID_ARGUMENT,
                        "Expected ranges that do not overlap, found range " + i + " overlapping");
            }
        }
    }

    /** A domain of null only. */
    public static ColumnDomain onlyNull() {
        return new ColumnDomain(true, List.of());
    }

    /** A domain of every value except null. */
    public static ColumnDomain notNull() {
        return new ColumnDomain(false, List.of(ValueRange.all()));
    }

    /** A domain of ranges without null. */
    public static ColumnDomain of(ValueRange... ranges) {
        return new ColumnDomain(false, List.of(ranges));
    }

    /**
     * Whether a value, in the form of {@link io.stele.protocol.row.ValueCodec} and not NaN, is
     * wanted.
     */
    public boolean contains(byte[] value) {
        return contains(value, 0, value.length);
    }

    /** Whether a value, which is a part of an array, is wanted, as {@link #contains(byte[])}. */
    public boolean contains(byte[] value, int from, int to) {
        int reaching = firstReaching(value, from, to);
        return reaching < ranges.size() && !ranges.get(reaching).isAbove(value, from, to);
    }

    /**
     * The index of the first range that ends at or above a value; the number of ranges if all end
     * below it.
     */
    private int firstReaching(byte[] value, int from, int to) {
        int low = 0;
        int high = ranges.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (ranges.get(middle).isBelow(value, from, to)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** Whether NaN is wanted, which requires a range without bounds. */
    public boolean containsNaN() {
        return ranges.size() == 1 && ranges.get(0).isAll();
    }

    /** Whether any of {@code rowCount} rows with these statistics may match; true when in doubt. */
    public boolean mayMatch(ColumnStats stats, long rowCount) {
        if (nullAllowed && stats.nullCount() != 0) {
            return true;
        }
        if (ranges.isEmpty() || (stats.hasNullCount() && stats.nullCount() >= rowCount)) {
            return false;
        }
        if (containsNaN() || stats.min().isEmpty() || stats.max().isEmpty()) {
            return true;
        }
        byte[] min = stats.min().get();
        byte[] max = stats.max().get();
        int reaching = firstReaching(min, 0, min.length);
        return reaching < ranges.size() && ranges.get(reaching).overlaps(min, max);
    }

    /**
     * Whether all of {@code rowCount} rows with these statistics match, nulls and NaN included;
     * false when in doubt.
     */
    public boolean containsAll(ColumnStats stats, long rowCount) {
        if (rowCount == 0) {
            return true;
        }
        if (!stats.hasNullCount() || (!nullAllowed && stats.nullCount() != 0)) {
            return false;
        }
        if (containsNaN() || stats.nullCount() == rowCount) {
            return true;
        }
        if (stats.hasNaN() || stats.min().isEmpty() || stats.max().isEmpty()) {
            return false;
        }
        byte[] min = stats.min().get();
        int reaching = firstReaching(min, 0, min.length);
        return reaching < ranges.size()
                && ranges.get(reaching).contains(min)
                && ranges.get(reaching).contains(stats.max().get());
    }

    private static boolean overlaps(ValueRange left, ValueRange right) {
        if (left.high().isEmpty() || right.low().isEmpty()) {
            return true;
        }
        int order = Arrays.compareUnsigned(left.high().get(), right.low().get());
        return order > 0 || (order == 0 && left.highInclusive() && right.lowInclusive());
    }
}
