package io.stele.engine.aggregate;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.aggregate.AggregateCall;
import io.stele.protocol.row.RowEncoder;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.PhysicalForm;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The accumulator of the aggregate functions MIN and MAX, with a subclass for each in-memory
 * representation of values.
 */
abstract sealed class ExtremeAccumulator extends Accumulator {
    final DataType type;

    /**
     * 1 for MIN, -1 for MAX: a comparison of a value with the present one, times this, is negative
     * if the value replaces the present one.
     */
    final int sign;

    private long[] known = {}; // one bit per group: whether it has a value

    private ExtremeAccumulator(DataType type, boolean isMin) {
        this.type = requireNonNull(type, "type is null");
        this.sign = isMin ? 1 : -1;
    }

    static ExtremeAccumulator of(DataType type, boolean isMin) {
        return switch (VectorKind.of(type)) {
            case LONG -> new OfLongs(type, isMin);
            case DOUBLE -> new OfDoubles(type, isMin);
            case INT128 -> new OfInt128(type, isMin);
            case BYTES -> new OfBytes(type, isMin);
        };
    }

    /** Whether the group had no value yet; marks it as having one. */
    final boolean isFirst(int group) {
        long bit = 1L << group;
        boolean first = (known[group >> 6] & bit) == 0;
        known[group >> 6] |= bit;
        return first;
    }

    @Override
    final void addValues(RowRuns runs, ValueVector vector) {
        int[] rows = runs.rows();
        for (int run = 0; run < runs.count(); run++) {
            int group = runs.group(run);
            int end = runs.end(run);
            for (int i = runs.start(run); i < end; i++) {
                if (!vector.isNull(rows[i])) {
                    add(group, vector, rows[i]);
                }
            }
        }
    }

    abstract void add(int group, ValueVector vector, int row);

    @Override
    final void resizeValues(int capacity) {
        known = Arrays.copyOf(known, (capacity + Long.SIZE - 1) / Long.SIZE);
        resizeExtremes(capacity);
    }

    abstract void resizeExtremes(int capacity);

    @Override
    final void readValue(DataInput source, int group) throws IOException {
        known[group >> 6] |= 1L << group;
        readExtreme(source, group);
    }

    abstract void readExtreme(DataInput source, int group) throws IOException;

    private static final class OfLongs extends ExtremeAccumulator {
        private long[] values = {};

        private OfLongs(DataType type, boolean isMin) {
            super(type, isMin);
        }

        @Override
        void add(int group, ValueVector vector, int row) {
            add(group, vector.longs[row]);
        }

        private void add(int group, long value) {
            if (isFirst(group) || sign * Long.compare(value, values[group]) < 0) {
                values[group] = value;
            }
        }

        @Override
        void mergeValue(int group, Accumulator other, int otherGroup) {
            add(group, same(OfLongs.class, other).values[otherGroup]);
        }

        @Override
        void set(int group, AggregateCall call, RowEncoder row, int column) {
            if (count(group) == 0) {
                return;
            }
            if (type.form() == PhysicalForm.BOOLEAN) {
                row.setBoolean(column, values[group] != 0);
            } else {
                row.setLong(column, values[group]);
            }
        }

        @Override
        void resizeExtremes(int capacity) {
            values = Arrays.copyOf(values, capacity);
        }

        @Override
        int valueBytes() {
            return Long.BYTES;
        }

        @Override
        void writeValue(DataOutput target, int group) throws IOException {
            target.writeLong(values[group]);
        }

        @Override
        void readExtreme(DataInput source, int group) throws IOException {
            values[group] = source.readLong();
        }
    }

    private static final class OfDoubles extends ExtremeAccumulator {
        private double[] values = {};

        private OfDoubles(DataType type, boolean isMin) {
            super(type, isMin);
        }

        @Override
        void add(int group, ValueVector vector, int row) {
            add(group, vector.doubles[row]);
        }

        // Any other value replaces NaN, and -0.0 is below 0.0, as in Trino
        private void add(int group, double value) {
            if (isFirst(group)) {
                values[group] = value;
                return;
            }
            double before = values[group];
            boolean takesPlace =
                    Double.isNaN(before)
                            || (!Double.isNaN(value) && sign * Double.compare(value, before) < 0);
            if (takesPlace) {
                values[group] = value;
            }
        }

        @Override
        void mergeValue(int group, Accumulator other, int otherGroup) {
            add(group, same(OfDoubles.class, other).values[otherGroup]);
        }

        @Override
        void set(int group, AggregateCall call, RowEncoder row, int column) {
            if (count(group) == 0) {
                return;
            }
            if (type.form() == PhysicalForm.FLOAT32) {
                row.setFloat(column, (float) values[group]);
            } else {
                row.setDouble(column, values[group]);
            }
        }

        @Override
        void resizeExtremes(int capacity) {
            values = Arrays.copyOf(values, capacity);
        }

        @Override
        int valueBytes() {
            return Double.BYTES;
        }

        @Override
        void writeValue(DataOutput target, int group) throws IOException {
            target.writeDouble(values[group]);
        }

        @Override
        void readExtreme(DataInput source, int group) throws IOException {
            values[group] = source.readDouble();
        }
    }

    private static final class OfInt128 extends ExtremeAccumulator {
        private long[] highs = {};
        private long[] lows = {};

        private OfInt128(DataType type, boolean isMin) {
            super(type, isMin);
        }

        @Override
        void add(int group, ValueVector vector, int row) {
            add(group, vector.highs[row], vector.longs[row]);
        }

        private void add(int group, long high, long low) {
            if (isFirst(group) || sign * compare(high, low, highs[group], lows[group]) < 0) {
                highs[group] = high;
                lows[group] = low;
            }
        }

        private static int compare(long high, long low, long otherHigh, long otherLow) {
            int order = Long.compare(high, otherHigh);
            return order == 0 ? Long.compareUnsigned(low, otherLow) : order;
        }

        @Override
        void mergeValue(int group, Accumulator other, int otherGroup) {
            OfInt128 from = same(OfInt128.class, other);
            add(group, from.highs[otherGroup], from.lows[otherGroup]);
        }

        @Override
        void set(int group, AggregateCall call, RowEncoder row, int column) {
            if (count(group) > 0) {
                row.setInt128(column, highs[group], lows[group]);
            }
        }

        @Override
        void resizeExtremes(int capacity) {
            highs = Arrays.copyOf(highs, capacity);
            lows = Arrays.copyOf(lows, capacity);
        }

        @Override
        int valueBytes() {
            return 2 * Long.BYTES;
        }

        @Override
        void writeValue(DataOutput target, int group) throws IOException {
            target.writeLong(highs[group]);
            target.writeLong(lows[group]);
        }

        @Override
        void readExtreme(DataInput source, int group) throws IOException {
            highs[group] = source.readLong();
            lows[group] = source.readLong();
        }
    }

    private static final class OfBytes extends ExtremeAccumulator {
        private static final int REFERENCE_BYTES = 24; // with the array header

        private byte[] @Nullable [] values = {};
        private long variableBytes;

        private OfBytes(DataType type, boolean isMin) {
            super(type, isMin);
        }

        @Override
        void add(int group, ValueVector vector, int row) {
            add(
                    group,
                    requireNonNull(vector.bytes[row], "no value"),
                    vector.starts[row],
                    vector.lengths[row]);
        }

        private void add(int group, byte[] source, int start, int length) {
            boolean first = isFirst(group);
            byte[] before = first ? new byte[0] : value(group);
            boolean takesPlace =
                    first
                            || sign
                                            * Arrays.compareUnsigned(
                                                    source,
                                                    start,
                                                    start + length,
                                                    before,
                                                    0,
                                                    before.length)
                                    < 0;
            if (takesPlace) {
                values[group] = Arrays.copyOfRange(source, start, start + length);
                variableBytes += length - before.length;
            }
        }

        private byte[] value(int group) {
            return requireNonNull(values[group], "no value");
        }

        @Override
        void mergeValue(int group, Accumulator other, int otherGroup) {
            byte[] value = same(OfBytes.class, other).value(otherGroup);
            add(group, value, 0, value.length);
        }

        @Override
        void set(int group, AggregateCall call, RowEncoder row, int column) {
            if (count(group) > 0) {
                row.setBytes(column, value(group));
            }
        }

        @Override
        void resizeExtremes(int capacity) {
            values = Arrays.copyOf(values, capacity);
        }

        @Override
        int valueBytes() {
            return REFERENCE_BYTES;
        }

        @Override
        long variableBytes() {
            return variableBytes;
        }

        @Override
        void writeValue(DataOutput target, int group) throws IOException {
            byte[] value = value(group);
            target.writeInt(value.length);
            target.write(value);
        }

        @Override
        void readExtreme(DataInput source, int group) throws IOException {
            byte[] value = new byte[source.readInt()];
            source.readFully(value);
            values[group] = value;
            variableBytes += value.length;
        }
    }
}
