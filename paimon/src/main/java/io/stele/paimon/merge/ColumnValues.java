package io.stele.paimon.merge;

import static io.airlift.slice.SizeOf.sizeOf;

import io.airlift.slice.Slice;
import io.trino.spi.block.Block;
import io.trino.spi.block.IntArrayBlock;
import io.trino.spi.block.LongArrayBlock;
import io.trino.spi.block.VariableWidthBlock;
import io.trino.spi.type.Int128;
import io.trino.spi.type.LongTimestamp;
import io.trino.spi.type.LongTimestampWithTimeZone;
import io.trino.spi.type.Type;
import org.jspecify.annotations.Nullable;

/**
 * The values of a column of a page, laid out for comparison in the order that Paimon sorts by.
 * Nulls come first. Immutable.
 */
sealed interface ColumnValues {
    /** Compares a value with a value of another page; neither is null. */
    int compare(int position, ColumnValues other, int otherPosition);

    boolean isNull(int position);

    long retainedBytes();

    /** Lays out a block of a type whose values Paimon orders as this class does. */
    static ColumnValues of(Type type, Block block) {
        boolean @Nullable [] nulls = nulls(block);
        if (type.getJavaType() == long.class) {
            return new Longs(longs(type, block, nulls), nulls);
        }
        if (type.getJavaType() == boolean.class) {
            return new Longs(booleans(type, block, nulls), nulls);
        }
        if (type.getJavaType() == Slice.class) {
            return new Bytes(block, (VariableWidthBlock) block.getUnderlyingValueBlock());
        }
        return wide(type, block, nulls);
    }

    private static boolean @Nullable [] nulls(Block block) {
        if (!block.mayHaveNull()) {
            return null;
        }
        boolean[] nulls = new boolean[block.getPositionCount()];
        for (int i = 0; i < nulls.length; i++) {
            nulls[i] = block.isNull(i);
        }
        return nulls;
    }

    private static long[] longs(Type type, Block block, boolean @Nullable [] nulls) {
        long[] values = new long[block.getPositionCount()];
        switch (block) {
            case LongArrayBlock numbers -> {
                for (int i = 0; i < values.length; i++) {
                    values[i] = numbers.getLong(i);
                }
            }
            case IntArrayBlock numbers -> {
                for (int i = 0; i < values.length; i++) {
                    values[i] = numbers.getInt(i);
                }
            }
            default -> {
                for (int i = 0; i < values.length; i++) {
                    values[i] = nulls != null && nulls[i] ? 0 : type.getLong(block, i);
                }
            }
        }
        return values;
    }

    private static long[] booleans(Type type, Block block, boolean @Nullable [] nulls) {
        long[] values = new long[block.getPositionCount()];
        for (int i = 0; i < values.length; i++) {
            boolean isTrue = (nulls == null || !nulls[i]) && type.getBoolean(block, i);
            values[i] = isTrue ? 1 : 0;
        }
        return values;
    }

    private static ColumnValues wide(Type type, Block block, boolean @Nullable [] nulls) {
        long[] high = new long[block.getPositionCount()];
        long[] low = new long[block.getPositionCount()];
        for (int i = 0; i < high.length; i++) {
            if (nulls != null && nulls[i]) {
                continue;
            }
            switch (type.getObject(block, i)) {
                case Int128 number -> {
                    high[i] = number.getHigh();
                    low[i] = number.getLow();
                }
                case LongTimestamp time -> {
                    high[i] = time.getEpochMicros();
                    low[i] = time.getPicosOfMicro();
                }
                case LongTimestampWithTimeZone moment -> {
                    high[i] = moment.getEpochMillis();
                    low[i] = moment.getPicosOfMilli();
                }
                default ->
                        throw new IllegalArgumentException(
                                "Expected a type with an order, found " + type);
            }
        }
        return new Wide(high, low, nulls);
    }

    /** Values of 64 bits each. */
    record Longs(long[] values, boolean @Nullable [] nulls) implements ColumnValues {
        @Override
        public int compare(int position, ColumnValues other, int otherPosition) {
            return Long.compare(values[position], ((Longs) other).values[otherPosition]);
        }

        @Override
        public boolean isNull(int position) {
            return nulls != null && nulls[position];
        }

        @Override
        public long retainedBytes() {
            return sizeOf(values) + sizeOf(nulls);
        }
    }

    /** Values of two 64-bit words, of which the lower word is unsigned. */
    record Wide(long[] high, long[] low, boolean @Nullable [] nulls) implements ColumnValues {
        @Override
        public int compare(int position, ColumnValues other, int otherPosition) {
            Wide right = (Wide) other;
            int result = Long.compare(high[position], right.high[otherPosition]);
            return result != 0
                    ? result
                    : Long.compareUnsigned(low[position], right.low[otherPosition]);
        }

        @Override
        public boolean isNull(int position) {
            return nulls != null && nulls[position];
        }

        @Override
        public long retainedBytes() {
            return sizeOf(high) + sizeOf(low) + sizeOf(nulls);
        }
    }

    /** Values in the order of their unsigned bytes. */
    record Bytes(Block block, VariableWidthBlock values) implements ColumnValues {
        @Override
        public int compare(int position, ColumnValues other, int otherPosition) {
            Bytes right = (Bytes) other;
            int at = block.getUnderlyingValuePosition(position);
            int rightAt = right.block.getUnderlyingValuePosition(otherPosition);
            return values.getRawSlice()
                    .compareTo(
                            values.getRawSliceOffset(at),
                            values.getSliceLength(at),
                            right.values.getRawSlice(),
                            right.values.getRawSliceOffset(rightAt),
                            right.values.getSliceLength(rightAt));
        }

        @Override
        public boolean isNull(int position) {
            return block.isNull(position);
        }

        @Override
        public long retainedBytes() {
            return 0; // The block is counted with its page
        }
    }
}
