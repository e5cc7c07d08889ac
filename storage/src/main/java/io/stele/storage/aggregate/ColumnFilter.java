package io.stele.storage.aggregate;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.predicate.ColumnDomain;
import io.stele.protocol.predicate.ValueRange;
import io.stele.protocol.row.ValueCodec;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.PhysicalForm;
import java.util.List;

/**
 * Which rows of a batch have a value of a domain in one column: exactly those for which the
 * condition is true in SQL, NaN and negative zero included. Immutable.
 */
abstract sealed class ColumnFilter {
    private final boolean nullAllowed;

    private ColumnFilter(boolean nullAllowed) {
        this.nullAllowed = nullAllowed;
    }

    static ColumnFilter of(DataType type, ColumnDomain domain) {
        return switch (VectorKind.of(type)) {
            case LONG -> OfLongs.of(type, domain);
            case DOUBLE -> OfDoubles.of(type, domain);
            case INT128 -> new OfInt128(type, domain);
            case BYTES -> new OfBytes(domain);
        };
    }

    /**
     * Keeps those of the selected rows whose value is in the domain.
     *
     * @return how many are left
     */
    final int select(ValueVector vector, Selection selection) {
        int[] rows = selection.rows;
        int count = selection.count;
        if (vector.hasDictionary() && vector.entryCount() <= count) {
            return selectEntries(vector, rows, count);
        }
        vector.flatten(selection);
        if (!vector.hasNulls) {
            return selectValues(vector, rows, count);
        }
        int kept = 0;
        for (int i = 0; i < count; i++) {
            int row = rows[i];
            rows[kept] = row;
            kept += (vector.nulls[row] ? nullAllowed : contains(vector, row)) ? 1 : 0;
        }
        return kept;
    }

    private int selectEntries(ValueVector vector, int[] rows, int count) {
        ValueVector entries = vector.entries();
        boolean[] wanted = new boolean[vector.entryCount()];
        for (int entry = 0; entry < wanted.length; entry++) {
            wanted[entry] = entries.isNull(entry) ? nullAllowed : contains(entries, entry);
        }
        int kept = 0;
        for (int i = 0; i < count; i++) {
            int row = rows[i];
            rows[kept] = row;
            kept += wanted[vector.id(row)] ? 1 : 0;
        }
        return kept;
    }

    abstract int selectValues(ValueVector vector, int[] rows, int count);

    abstract boolean contains(ValueVector vector, int row);

    /** Closed intervals of longs in ascending order. */
    private static final class OfLongs extends ColumnFilter {
        private final long[] lows;
        private final long[] highs;

        private OfLongs(boolean nullAllowed, long[] lows, long[] highs) {
            super(nullAllowed);
            this.lows = lows;
            this.highs = highs;
        }

        static OfLongs of(DataType type, ColumnDomain domain) {
            ValueCodec codec = ValueCodec.of(type);
            List<ValueRange> ranges = domain.ranges();
            long[] lows = new long[ranges.size()];
            long[] highs = new long[ranges.size()];
            for (int i = 0; i < lows.length; i++) {
                ValueRange range = ranges.get(i);
                long low = range.low().map(value -> decode(codec, value)).orElse(Long.MIN_VALUE);
                long high = range.high().map(value -> decode(codec, value)).orElse(Long.MAX_VALUE);
                boolean excludesLow = range.low().isPresent() && !range.lowInclusive();
                boolean excludesHigh = range.high().isPresent() && !range.highInclusive();
                // An empty one is low > high, which no value is in
                lows[i] = excludesLow && low < Long.MAX_VALUE ? low + 1 : low;
                highs[i] = excludesHigh && high > Long.MIN_VALUE ? high - 1 : high;
                boolean isEmpty =
                        (excludesLow && low == Long.MAX_VALUE)
                                || (excludesHigh && high == Long.MIN_VALUE);
                if (isEmpty) {
                    lows[i] = Long.MAX_VALUE;
                    highs[i] = Long.MIN_VALUE;
                }
            }
            return new OfLongs(domain.nullAllowed(), lows, highs);
        }

        private static long decode(ValueCodec codec, byte[] value) {
            return codec.type().form() == PhysicalForm.BOOLEAN
                    ? (codec.decodeBoolean(value) ? 1 : 0)
                    : codec.decodeLong(value);
        }

        @Override
        int selectValues(ValueVector vector, int[] rows, int count) {
            int kept = 0;
            if (lows.length == 1) {
                long[] values = vector.longs;
                long low = lows[0];
                long high = highs[0];
                for (int i = 0; i < count; i++) {
                    int row = rows[i];
                    long value = values[row];
                    rows[kept] = row;
                    kept += value >= low && value <= high ? 1 : 0;
                }
                return kept;
            }
            for (int i = 0; i < count; i++) {
                int row = rows[i];
                rows[kept] = row;
                kept += contains(vector, row) ? 1 : 0;
            }
            return kept;
        }

        @Override
        boolean contains(ValueVector vector, int row) {
            long value = vector.longs[row];
            int low = 0;
            int high = lows.length - 1;
            while (low <= high) {
                int middle = (low + high) >>> 1;
                if (value < lows[middle]) {
                    high = middle - 1;
                } else if (value > highs[middle]) {
                    low = middle + 1;
                } else {
                    return true;
                }
            }
            return false;
        }
    }

    /** Intervals compared as SQL compares: NaN is in none that has a bound, -0.0 equals 0.0. */
    private static final class OfDoubles extends ColumnFilter {
        private final boolean anyAllowed;
        private final double[] lows;
        private final boolean[] lowInclusive;
        private final double[] highs;
        private final boolean[] highInclusive;

        private OfDoubles(ColumnDomain domain, double[] lows, double[] highs) {
            super(domain.nullAllowed());
            int count = lows.length;
            this.anyAllowed = domain.containsNaN();
            this.lows = lows;
            this.highs = highs;
            this.lowInclusive = new boolean[count];
            this.highInclusive = new boolean[count];
            for (int i = 0; i < count; i++) {
                ValueRange range = domain.ranges().get(i);
                lowInclusive[i] = range.low().isEmpty() || range.lowInclusive();
                highInclusive[i] = range.high().isEmpty() || range.highInclusive();
            }
        }

        static OfDoubles of(DataType type, ColumnDomain domain) {
            ValueCodec codec = ValueCodec.of(type);
            int count = domain.ranges().size();
            double[] lows = new double[count];
            double[] highs = new double[count];
            for (int i = 0; i < count; i++) {
                ValueRange range = domain.ranges().get(i);
                lows[i] =
                        range.low()
                                .map(value -> decode(codec, value))
                                .orElse(Double.NEGATIVE_INFINITY);
                highs[i] =
                        range.high()
                                .map(value -> decode(codec, value))
                                .orElse(Double.POSITIVE_INFINITY);
            }
            return new OfDoubles(domain, lows, highs);
        }

        private static double decode(ValueCodec codec, byte[] value) {
            return codec.type().form() == PhysicalForm.FLOAT32
                    ? codec.decodeFloat(value)
                    : codec.decodeDouble(value);
        }

        @Override
        int selectValues(ValueVector vector, int[] rows, int count) {
            int kept = 0;
            for (int i = 0; i < count; i++) {
                int row = rows[i];
                rows[kept] = row;
                kept += contains(vector, row) ? 1 : 0;
            }
            return kept;
        }

        @Override
        boolean contains(ValueVector vector, int row) {
            if (anyAllowed) {
                return true;
            }
            double value = vector.doubles[row];
            for (int i = 0; i < lows.length; i++) {
                boolean inside =
                        (lowInclusive[i] ? value >= lows[i] : value > lows[i])
                                && (highInclusive[i] ? value <= highs[i] : value < highs[i]);
                if (inside) {
                    return true;
                }
            }
            return false;
        }
    }

    private static final class OfInt128 extends ColumnFilter {
        private final ValueCodec codec;
        private final ColumnDomain domain;

        private OfInt128(DataType type, ColumnDomain domain) {
            super(domain.nullAllowed());
            this.codec = ValueCodec.of(type);
            this.domain = requireNonNull(domain, "domain is null");
        }

        @Override
        int selectValues(ValueVector vector, int[] rows, int count) {
            int kept = 0;
            for (int i = 0; i < count; i++) {
                int row = rows[i];
                rows[kept] = row;
                kept += contains(vector, row) ? 1 : 0;
            }
            return kept;
        }

        @Override
        boolean contains(ValueVector vector, int row) {
            return domain.contains(codec.encodeInt128(vector.highs[row], vector.longs[row]));
        }
    }

    /** Text, which is its own encoding. */
    private static final class OfBytes extends ColumnFilter {
        private final ColumnDomain domain;

        private OfBytes(ColumnDomain domain) {
            super(domain.nullAllowed());
            this.domain = requireNonNull(domain, "domain is null");
        }

        @Override
        int selectValues(ValueVector vector, int[] rows, int count) {
            int kept = 0;
            for (int i = 0; i < count; i++) {
                int row = rows[i];
                rows[kept] = row;
                kept += contains(vector, row) ? 1 : 0;
            }
            return kept;
        }

        @Override
        boolean contains(ValueVector vector, int row) {
            int start = vector.starts[row];
            return domain.contains(
                    requireNonNull(vector.bytes[row], "no value"),
                    start,
                    start + vector.lengths[row]);
        }
    }
}
