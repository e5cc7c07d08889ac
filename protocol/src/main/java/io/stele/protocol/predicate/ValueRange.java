package io.stele.protocol.predicate;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Arrays;
import java.util.Optional;

/**
 * An interval of wanted values in a {@link ColumnDomain}, with bounds in the form of {@link
 * io.stele.protocol.row.ValueCodec}. Immutable: the arrays are not copied and must not be changed.
 *
 * @param low lower bound; absent: none
 * @param lowInclusive whether the lower bound is in the range; undefined without a lower bound
 * @param high upper bound; absent: none
 * @param highInclusive whether the upper bound is in the range; undefined without an upper bound
 */
public record ValueRange(
        @JsonProperty("low") Optional<byte[]> low,
        @JsonProperty("lowInclusive") boolean lowInclusive,
        @JsonProperty("high") Optional<byte[]> high,
        @JsonProperty("highInclusive") boolean highInclusive) {
    private static final ValueRange ALL =
            new ValueRange(Optional.empty(), false, Optional.empty(), false);

    public ValueRange {
        requireNonNull(low, "low is null");
        requireNonNull(high, "high is null");
    }

    /** The range of every value, NaN included. */
    public static ValueRange all() {
        return ALL;
    }

    /** The range of one value. */
    public static ValueRange equal(byte[] value) {
        return new ValueRange(Optional.of(value), true, Optional.of(value), true);
    }

    public static ValueRange atLeast(byte[] low) {
        return new ValueRange(Optional.of(low), true, Optional.empty(), false);
    }

    public static ValueRange greaterThan(byte[] low) {
        return new ValueRange(Optional.of(low), false, Optional.empty(), false);
    }

    public static ValueRange atMost(byte[] high) {
        return new ValueRange(Optional.empty(), false, Optional.of(high), true);
    }

    public static ValueRange lessThan(byte[] high) {
        return new ValueRange(Optional.empty(), false, Optional.of(high), false);
    }

    /** Whether the range has no bound. */
    @JsonIgnore
    public boolean isAll() {
        return low.isEmpty() && high.isEmpty();
    }

    /** Whether the range is one value. */
    @JsonIgnore
    public boolean isSingle() {
        return lowInclusive
                && highInclusive
                && low.isPresent()
                && high.isPresent()
                && Arrays.equals(low.get(), high.get());
    }

    /** Whether a value lies below the range. */
    boolean isAbove(byte[] value, int from, int to) {
        if (low.isEmpty()) {
            return false;
        }
        byte[] bound = low.get();
        int order = Arrays.compareUnsigned(value, from, to, bound, 0, bound.length);
        return lowInclusive ? order < 0 : order <= 0;
    }

    /** Whether a value lies above the range. */
    boolean isBelow(byte[] value, int from, int to) {
        if (high.isEmpty()) {
            return false;
        }
        byte[] bound = high.get();
        int order = Arrays.compareUnsigned(value, from, to, bound, 0, bound.length);
        return highInclusive ? order > 0 : order >= 0;
    }

    /** Whether a value lies in the range. */
    boolean contains(byte[] value) {
        return !isAbove(value, 0, value.length) && !isBelow(value, 0, value.length);
    }

    /** Whether some value between two bounds (inclusive) may lie in the range. */
    boolean overlaps(byte[] min, byte[] max) {
        return !isBelow(min, 0, min.length) && !isAbove(max, 0, max.length);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ValueRange range
                && lowInclusive == range.lowInclusive
                && highInclusive == range.highInclusive
                && Arrays.equals(low.orElse(null), range.low.orElse(null))
                && Arrays.equals(high.orElse(null), range.high.orElse(null));
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(low.orElse(null)) + Arrays.hashCode(high.orElse(null));
    }
}
