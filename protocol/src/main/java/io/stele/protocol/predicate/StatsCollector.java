package io.stele.protocol.predicate;

import io.stele.protocol.row.BinaryValues;
import io.stele.protocol.row.GrowingBytes;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.row.ValueCodec;
import io.stele.protocol.schema.PhysicalForm;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A collector of the {@link ColumnStats} of added rows or values, for writers of files. Columns
 * that are not orderable get only a null count. It allocates only when a bound changes. Confined to
 * one thread.
 */
public final class StatsCollector {
    /**
     * The longest bound: more bytes of a text rarely matter, and manifests have two bounds for
     * every column of every file.
     */
    public static final int MAX_BOUND_BYTES = 64;

    private final RowLayout layout;
    private final Column[] columns;
    private long rowCount;

    public StatsCollector(RowLayout layout) {
        this.layout = layout;
        this.columns = new Column[layout.count()];
        for (int i = 0; i < columns.length; i++) {
            boolean orderable = layout.type(i).isOrderable();
            columns[i] =
                    new Column(
                            layout.type(i).form(),
                            orderable ? ValueCodec.of(layout.type(i)) : null);
        }
    }

    /** Adds a row of the layout. */
    public void add(BinaryValues row) {
        rowCount++;
        for (int i = 0; i < columns.length; i++) {
            columns[i].add(row, i);
        }
    }

    /** Counts rows whose values are added column by column. */
    public void addRows(long count) {
        rowCount += count;
    }

    /** Adds nulls of a column, by its position in the layout. */
    public void addNulls(int column, long count) {
        columns[column].nullCount += count;
    }

    /**
     * Adds the value at {@code index} of {@code values}, null or not, to a column.
     *
     * @param column position in the layout
     */
    public void addValue(int column, BinaryValues values, int index) {
        columns[column].add(values, index);
    }

    public long rowCount() {
        return rowCount;
    }

    /** The statistics of the rows so far, by column id. */
    public Map<Integer, ColumnStats> stats() {
        Map<Integer, ColumnStats> stats = new HashMap<>();
        for (int i = 0; i < columns.length; i++) {
            stats.put(layout.columns().get(i).id(), columns[i].stats());
        }
        return Map.copyOf(stats);
    }

    /** The statistics of one column so far. */
    private static final class Column {
        private final PhysicalForm form;
        private final @Nullable ValueCodec codec;
        private final GrowingBytes buffer = GrowingBytes.forStored("value");
        private long minLong = Long.MAX_VALUE;
        private long maxLong = Long.MIN_VALUE;
        private byte @Nullable [] min;
        private byte @Nullable [] max;
        private long nullCount;
        private boolean hasValue;
        private boolean hasNaN;

        private Column(PhysicalForm form, @Nullable ValueCodec codec) {
            this.form = form;
            this.codec = codec;
        }

        private void add(BinaryValues row, int index) {
            if (row.isNull(index)) {
                nullCount++;
            } else if (codec != null) {
                addValue(codec, row, index);
            }
        }

        private void addValue(ValueCodec present, BinaryValues row, int index) {
            if (form.isLong()) {
                long value = row.longAt(index);
                minLong = Math.min(minLong, value);
                maxLong = Math.max(maxLong, value);
                hasValue = true;
                return;
            }
            if ((form == PhysicalForm.FLOAT64 && Double.isNaN(row.doubleAt(index)))
                    || (form == PhysicalForm.FLOAT32 && Float.isNaN(row.floatAt(index)))) {
                hasNaN = true;
                return;
            }
            buffer.clear();
            present.append(row, index, buffer);
            addEncoded(buffer.array(), buffer.length());
        }

        private void addEncoded(byte[] value, int length) {
            if (min == null || Arrays.compareUnsigned(value, 0, length, min, 0, min.length) < 0) {
                min = Arrays.copyOf(value, Math.min(length, MAX_BOUND_BYTES));
            }
            if (!hasValue
                    || (max != null
                            && Arrays.compareUnsigned(value, 0, length, max, 0, max.length) > 0)) {
                max = upperBound(value, length);
            }
            hasValue = true;
        }

        /**
         * The value, or the smallest short bound above it; null if there is none, because all bytes
         * of the prefix are 0xFF.
         */
        private static byte @Nullable [] upperBound(byte[] value, int length) {
            if (length <= MAX_BOUND_BYTES) {
                return Arrays.copyOf(value, length);
            }
            int kept = MAX_BOUND_BYTES;
            while (kept > 0 && value[kept - 1] == (byte) 0xFF) {
                kept--;
            }
            if (kept == 0) {
                return null;
            }
            byte[] bound = Arrays.copyOf(value, kept);
            bound[kept - 1]++;
            return bound;
        }

        private ColumnStats stats() {
            if (codec == null) {
                return new ColumnStats(Optional.empty(), Optional.empty(), nullCount, false);
            }
            if (form.isLong()) {
                return hasValue
                        ? new ColumnStats(
                                Optional.of(codec.encodeLong(minLong)),
                                Optional.of(codec.encodeLong(maxLong)),
                                nullCount,
                                false)
                        : new ColumnStats(Optional.empty(), Optional.empty(), nullCount, false);
            }
            return new ColumnStats(
                    Optional.ofNullable(min), Optional.ofNullable(max), nullCount, hasNaN);
        }
    }
}
