package io.stele.connector.read.page;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.predicate.DoubleIntervals;
import io.stele.protocol.predicate.LongIntervals;
import io.trino.spi.block.Block;
import io.trino.spi.block.DictionaryBlock;
import io.trino.spi.block.IntArrayBlock;
import io.trino.spi.block.LongArrayBlock;
import io.trino.spi.block.RunLengthEncodedBlock;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.Range;
import io.trino.spi.type.BooleanType;
import io.trino.spi.type.DoubleType;
import io.trino.spi.type.RealType;
import io.trino.spi.type.Type;
import io.trino.spi.type.TypeUtils;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * A filter of the positions of a block by a domain of values, for the residual conditions of a
 * scan. Floating-point values are compared by the rules of SQL: NaN is in no range that has a
 * bound, and -0.0 equals 0.0. Immutable.
 */
final class BlockFilter {
    private final Domain domain;
    private final Test test;
    private final @Nullable LongTest longTest; // for types whose values are longs

    /** Of one value that is not null. */
    @FunctionalInterface
    private interface Test {
        boolean contains(Block block, int position);
    }

    /** Of one value that is not null. */
    @FunctionalInterface
    private interface LongTest {
        boolean contains(long value);
    }

    BlockFilter(Domain domain) {
        this.domain = requireNonNull(domain, "domain is null");
        this.longTest = longTest(domain);
        this.test = test(domain.getType(), domain, longTest);
    }

    /**
     * Selects, in place, the {@code positions} whose value is in the domain.
     *
     * @return how many are left
     */
    int select(Block block, int[] positions, int count) {
        switch (block) {
            case RunLengthEncodedBlock run -> {
                return contains(run.getValue(), 0) ? count : 0;
            }
            case DictionaryBlock dictionary
                    when dictionary.getDictionary().getPositionCount() <= count -> {
                Block values = dictionary.getDictionary();
                boolean[] inside = new boolean[values.getPositionCount()];
                for (int id = 0; id < inside.length; id++) {
                    inside[id] = contains(values, id);
                }
                int kept = 0;
                for (int i = 0; i < count; i++) {
                    int position = positions[i];
                    positions[kept] = position;
                    kept += inside[dictionary.getId(position)] ? 1 : 0;
                }
                return kept;
            }
            case LongArrayBlock longs when longTest != null && !longs.mayHaveNull() -> {
                return selectLongs(longTest, longs, positions, count);
            }
            case IntArrayBlock ints when longTest != null && !ints.mayHaveNull() -> {
                return selectInts(longTest, ints, positions, count);
            }
            default -> {
                return selectEach(block, positions, count);
            }
        }
    }

    // Reads the arrays directly, because calls of the type and the block for each value cost more

    private static int selectLongs(
            LongTest test, LongArrayBlock block, int[] positions, int count) {
        long[] values = block.getRawValues();
        int offset = block.getRawValuesOffset();
        int kept = 0;
        for (int i = 0; i < count; i++) {
            int position = positions[i];
            positions[kept] = position;
            kept += test.contains(values[offset + position]) ? 1 : 0;
        }
        return kept;
    }

    private static int selectInts(LongTest test, IntArrayBlock block, int[] positions, int count) {
        int[] values = block.getRawValues();
        int offset = block.getRawValuesOffset();
        int kept = 0;
        for (int i = 0; i < count; i++) {
            int position = positions[i];
            positions[kept] = position;
            kept += test.contains(values[offset + position]) ? 1 : 0;
        }
        return kept;
    }

    private int selectEach(Block block, int[] positions, int count) {
        int kept = 0;
        if (!block.mayHaveNull()) {
            for (int i = 0; i < count; i++) {
                int position = positions[i];
                positions[kept] = position;
                kept += test.contains(block, position) ? 1 : 0;
            }
            return kept;
        }
        for (int i = 0; i < count; i++) {
            int position = positions[i];
            positions[kept] = position;
            kept += contains(block, position) ? 1 : 0;
        }
        return kept;
    }

    private boolean contains(Block block, int position) {
        return block.isNull(position) ? domain.isNullAllowed() : test.contains(block, position);
    }

    private static @Nullable LongTest longTest(Domain domain) {
        Type type = domain.getType();
        boolean isLong = type.getJavaType() == long.class && type != RealType.REAL;
        if (!isLong || domain.getValues().isAll()) {
            return null;
        }
        List<Range> ranges = domain.getValues().getRanges().getOrderedRanges();
        if (ranges.size() != 1) {
            LongIntervals intervals = intervals(ranges);
            return intervals::contains;
        }
        Range range = ranges.getFirst();
        long low = range.isLowUnbounded() ? Long.MIN_VALUE : (long) range.getLowBoundedValue();
        long high = range.isHighUnbounded() ? Long.MAX_VALUE : (long) range.getHighBoundedValue();
        boolean hasLow = range.isLowUnbounded() || range.isLowInclusive();
        boolean hasHigh = range.isHighUnbounded() || range.isHighInclusive();
        return value ->
                (hasLow ? value >= low : value > low) && (hasHigh ? value <= high : value < high);
    }

    private static Test test(Type type, Domain domain, @Nullable LongTest longTest) {
        if (domain.getValues().isAll()) {
            return (block, position) -> true;
        }
        List<Range> ranges = domain.getValues().getRanges().getOrderedRanges();
        if (type == DoubleType.DOUBLE) {
            DoubleIntervals intervals = intervals(ranges, value -> (double) value);
            return (block, position) ->
                    intervals.contains(DoubleType.DOUBLE.getDouble(block, position));
        }
        if (type == RealType.REAL) {
            DoubleIntervals intervals =
                    intervals(ranges, value -> Float.intBitsToFloat((int) (long) (Long) value));
            return (block, position) -> intervals.contains(RealType.REAL.getFloat(block, position));
        }
        if (longTest != null) {
            return (block, position) -> longTest.contains(type.getLong(block, position));
        }
        if (type == BooleanType.BOOLEAN) {
            boolean hasTrue = domain.includesNullableValue(true);
            boolean hasFalse = domain.includesNullableValue(false);
            return (block, position) ->
                    BooleanType.BOOLEAN.getBoolean(block, position) ? hasTrue : hasFalse;
        }
        return (block, position) ->
                domain.includesNullableValue(TypeUtils.readNativeValue(type, block, position));
    }

    /**
     * A search structure for long lists, as in dynamic filters; a domain would box and compare each
     * value.
     */
    private static LongIntervals intervals(List<Range> ranges) {
        return LongIntervals.of(
                ranges.stream()
                        .map(
                                range ->
                                        new LongIntervals.Interval(
                                                range.isLowUnbounded()
                                                        ? Long.MIN_VALUE
                                                        : (long) range.getLowBoundedValue(),
                                                range.isLowUnbounded() || range.isLowInclusive(),
                                                range.isHighUnbounded()
                                                        ? Long.MAX_VALUE
                                                        : (long) range.getHighBoundedValue(),
                                                range.isHighUnbounded() || range.isHighInclusive()))
                        .toList());
    }

    private static DoubleIntervals intervals(List<Range> ranges, ToDoubleFunction<Object> decode) {
        return new DoubleIntervals(
                ranges.stream()
                        .map(
                                range ->
                                        new DoubleIntervals.Interval(
                                                range.isLowUnbounded()
                                                        ? Double.NEGATIVE_INFINITY
                                                        : decode.applyAsDouble(
                                                                range.getLowBoundedValue()),
                                                range.isLowUnbounded() || range.isLowInclusive(),
                                                range.isHighUnbounded()
                                                        ? Double.POSITIVE_INFINITY
                                                        : decode.applyAsDouble(
                                                                range.getHighBoundedValue()),
                                                range.isHighUnbounded() || range.isHighInclusive()))
                        .toList());
    }
}
