package io.stele.engine.aggregate;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.predicate.ColumnDomain;
import io.stele.protocol.predicate.DoubleIntervals;
import io.stele.protocol.predicate.LongIntervals;
import io.stele.protocol.predicate.ValueRange;
import io.stele.protocol.row.ValueCodec;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.PhysicalForm;
import java.util.function.ToDoubleFunction;

/**
 * A vectorized filter, by the domain of one column, that reduces the selection of a batch's rows in
 * place. It selects exactly the rows for which the condition is true in SQL, NaN and negative zero
 * included. Immutable.
 */
abstract sealed class ColumnFilter {
    private final boolean nullAllowed;

    private ColumnFilter(boolean nullAllowed) {
        this.nullAllowed = nullAllowed;
    }

    static ColumnFilter of(DataType type, ColumnDomain domain) {
        return switch (VectorKind.of(type)) {
            case LONG -> new OfLongs(type, domain);
            case DOUBLE -> new OfDoubles(type, domain);
            case INT128 -> new OfInt128(type, domain);
            case BYTES -> new OfBytes(domain);
        };
    }

    /**
     * Reduces a selection to the rows whose value is in the domain.
     *
     * @return the number of rows left, which the caller must set as the selection's count
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

    /** As {@link #select}, for a vector without nulls; changes {@code rows}. */
    int selectValues(ValueVector vector, int[] rows, int count) {
        int kept = 0;
        for (int i = 0; i < count; i++) {
            int row = rows[i];
            rows[kept] = row;
            kept += contains(vector, row) ? 1 : 0;
        }
        return kept;
    }

    abstract boolean contains(ValueVector vector, int row);

    private static final class OfLongs extends ColumnFilter {
        private final LongIntervals intervals;

        private OfLongs(DataType type, ColumnDomain domain) {
            super(domain.nullAllowed());
            ValueCodec codec = ValueCodec.of(type);
            this.intervals =
                    LongIntervals.of(
                            domain,
                            type.form() == PhysicalForm.BOOLEAN
                                    ? value -> codec.decodeBoolean(value) ? 1 : 0
                                    : codec::decodeLong);
        }

        @Override
        int selectValues(ValueVector vector, int[] rows, int count) {
            if (intervals.size() != 1) {
                return super.selectValues(vector, rows, count);
            }
            long[] values = vector.longs;
            long low = intervals.low(0);
            long high = intervals.high(0);
            int kept = 0;
            for (int i = 0; i < count; i++) {
                int row = rows[i];
                long value = values[row];
                rows[kept] = row;
                kept += value >= low && value <= high ? 1 : 0;
            }
            return kept;
        }

        @Override
        boolean contains(ValueVector vector, int row) {
            return intervals.contains(vector.longs[row]);
        }
    }

    private static final class OfDoubles extends ColumnFilter {
        private final boolean anyAllowed;
        private final DoubleIntervals intervals;

        private OfDoubles(DataType type, ColumnDomain domain) {
            super(domain.nullAllowed());
            ValueCodec codec = ValueCodec.of(type);
            ToDoubleFunction<byte[]> decode =
                    type.form() == PhysicalForm.FLOAT32 ? codec::decodeFloat : codec::decodeDouble;
            this.anyAllowed = domain.containsNaN();
            this.intervals =
                    new DoubleIntervals(
                            domain.ranges().stream()
                                    .map(range -> interval(range, decode))
                                    .toList());
        }

        private static DoubleIntervals.Interval interval(
                ValueRange range, ToDoubleFunction<byte[]> decode) {
            return new DoubleIntervals.Interval(
                    range.low().map(decode::applyAsDouble).orElse(Double.NEGATIVE_INFINITY),
                    range.low().isEmpty() || range.lowInclusive(),
                    range.high().map(decode::applyAsDouble).orElse(Double.POSITIVE_INFINITY),
                    range.high().isEmpty() || range.highInclusive());
        }

        @Override
        boolean contains(ValueVector vector, int row) {
            return anyAllowed || intervals.contains(vector.doubles[row]);
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
        boolean contains(ValueVector vector, int row) {
            int start = vector.starts[row];
            return domain.contains(
                    requireNonNull(vector.bytes[row], "no value"),
                    start,
                    start + vector.lengths[row]);
        }
    }
}
