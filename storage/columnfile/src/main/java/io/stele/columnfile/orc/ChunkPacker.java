package io.stele.columnfile.orc;

import io.stele.protocol.schema.XxHash64;
import java.math.BigInteger;
import java.util.Arrays;
import org.apache.hadoop.hive.ql.exec.vector.BytesColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.ColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.DecimalColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.DoubleColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.LongColumnVector;
import org.apache.hadoop.hive.serde2.io.HiveDecimalWritable;
import org.jspecify.annotations.Nullable;

/**
 * An encoder of decoded ORC column vectors to packed {@link ColumnChunk}s for the decoded-column
 * cache, with dictionaries for columns of few distinct values. It reuses its buffers: confined to
 * one thread at a time.
 */
final class ChunkPacker {
    private static final int SLOTS = 4 * ColumnChunk.MAX_ENTRIES;
    private static final int NO_ENTRY = -1;
    private static final int DIGITS_OF_LONG = 18;
    private static final long SPREAD = 0x9E3779B97F4A7C15L; // 2^64 / golden ratio

    private final byte[] ids = new byte[ColumnChunk.MAX_ROWS];
    private final short[] slots = new short[SLOTS]; // entry + 1; 0 is free
    private final long[] lows = new long[ColumnChunk.MAX_ENTRIES];
    private final long[] highs = new long[ColumnChunk.MAX_ENTRIES];
    private final int[] rows = new int[ColumnChunk.MAX_ENTRIES]; // that have an entry's text
    private final short[] places = new short[SLOTS]; // entry + 1, by where its text lies
    private final long[] rowLows = new long[ColumnChunk.MAX_ROWS];
    private final long[] rowHighs = new long[ColumnChunk.MAX_ROWS];
    private int entries;
    private int nullEntry;

    /**
     * @param source vector of a column, perhaps of the type before a widening
     * @param scale of decimals, and of times that the file stores as decimals
     */
    ColumnChunk pack(ColumnVector source, int rowCount, int scale) {
        source.flatten(false, new int[0], rowCount);
        boolean @Nullable [] nulls = source.noNulls ? null : source.isNull;
        return switch (source) {
            case LongColumnVector longs -> packLongs(longs.vector, nulls, rowCount);
            case DoubleColumnVector doubles -> packDoubles(doubles.vector, nulls, rowCount);
            case DecimalColumnVector decimals -> packDecimals(decimals, nulls, rowCount, scale);
            case BytesColumnVector text -> packText(text, nulls, rowCount);
            default ->
                    throw new IllegalArgumentException(
                            "Expected values of numbers or text, found a "
                                    + source.getClass().getSimpleName());
        };
    }

    private void reset() {
        Arrays.fill(slots, (short) 0);
        entries = 0;
        nullEntry = NO_ENTRY;
    }

    private ColumnChunk packLongs(long[] values, boolean @Nullable [] nulls, int rowCount) {
        reset();
        for (int row = 0; row < rowCount; row++) {
            int entry =
                    nulls != null && nulls[row] ? nullEntry() : entry(values[row], /* high= */ 0);
            if (entry == NO_ENTRY) {
                return ColumnChunk.ofLongs(
                        plain(nulls, rowCount), withoutNulls(values, nulls, rowCount));
            }
            ids[row] = (byte) entry;
        }
        return ColumnChunk.ofLongs(dictionary(rowCount), lows);
    }

    private ColumnChunk packDoubles(double[] values, boolean @Nullable [] nulls, int rowCount) {
        reset();
        for (int row = 0; row < rowCount; row++) {
            int entry =
                    nulls != null && nulls[row]
                            ? nullEntry()
                            : entry(Double.doubleToRawLongBits(values[row]), /* high= */ 0);
            if (entry == NO_ENTRY) {
                return ColumnChunk.ofDoubles(
                        plain(nulls, rowCount), Arrays.copyOf(values, rowCount));
            }
            ids[row] = (byte) entry;
        }
        double[] found = new double[entries];
        for (int entry = 0; entry < entries; entry++) {
            found[entry] = Double.longBitsToDouble(lows[entry]);
        }
        return ColumnChunk.ofDoubles(dictionary(rowCount), found);
    }

    private ColumnChunk packDecimals(
            DecimalColumnVector source, boolean @Nullable [] nulls, int rowCount, int scale) {
        boolean isNarrow = true;
        for (int row = 0; row < rowCount; row++) {
            if (nulls != null && nulls[row]) {
                rowLows[row] = 0;
                rowHighs[row] = 0;
            } else {
                isNarrow &= unscaled(source.vector[row], scale, row);
            }
        }
        reset();
        for (int row = 0; row < rowCount; row++) {
            int entry =
                    nulls != null && nulls[row] ? nullEntry() : entry(rowLows[row], rowHighs[row]);
            if (entry == NO_ENTRY) {
                return ColumnChunk.ofInt128(
                        plain(nulls, rowCount),
                        rowLows,
                        isNarrow ? null : Arrays.copyOf(rowHighs, rowCount));
            }
            ids[row] = (byte) entry;
        }
        return ColumnChunk.ofInt128(
                dictionary(rowCount), lows, isNarrow ? null : Arrays.copyOf(highs, entries));
    }

    /** Whether the value fits a long. */
    private boolean unscaled(HiveDecimalWritable value, int scale, int row) {
        // ORC drops trailing zeros of the fraction, so the stored scale may be smaller.
        int zeros = scale - value.scale();
        if (zeros >= 0 && value.rawPrecision() + zeros <= DIGITS_OF_LONG) {
            long unscaled = value.serialize64(scale);
            rowLows[row] = unscaled;
            rowHighs[row] = unscaled >> (Long.SIZE - 1);
            return true;
        }
        BigInteger unscaled =
                value.getHiveDecimal().bigDecimalValue().setScale(scale).unscaledValue();
        rowLows[row] = unscaled.longValue();
        rowHighs[row] = unscaled.shiftRight(Long.SIZE).longValueExact();
        return rowHighs[row] == rowLows[row] >> (Long.SIZE - 1);
    }

    private ColumnChunk packText(
            BytesColumnVector source, boolean @Nullable [] nulls, int rowCount) {
        reset();
        Arrays.fill(places, (short) 0);
        for (int row = 0; row < rowCount; row++) {
            int entry = nulls != null && nulls[row] ? nullEntry() : textEntry(source, row);
            if (entry == NO_ENTRY) {
                return plainText(source, nulls, rowCount);
            }
            ids[row] = (byte) entry;
        }
        int[] starts = new int[entries + 1];
        for (int entry = 0; entry < entries; entry++) {
            starts[entry + 1] =
                    starts[entry] + (entry == nullEntry ? 0 : source.length[rows[entry]]);
        }
        byte[] text = new byte[starts[entries]];
        for (int entry = 0; entry < entries; entry++) {
            if (entry != nullEntry) {
                copy(source, rows[entry], text, starts[entry]);
            }
        }
        return ColumnChunk.ofText(dictionary(rowCount), text, starts);
    }

    private static ColumnChunk plainText(
            BytesColumnVector source, boolean @Nullable [] nulls, int rowCount) {
        int[] starts = new int[rowCount + 1];
        for (int row = 0; row < rowCount; row++) {
            boolean isNull = nulls != null && nulls[row];
            starts[row + 1] = Math.addExact(starts[row], isNull ? 0 : source.length[row]);
        }
        byte[] text = new byte[starts[rowCount]];
        for (int row = 0; row < rowCount; row++) {
            if (nulls == null || !nulls[row]) {
                copy(source, row, text, starts[row]);
            }
        }
        return ColumnChunk.ofText(plain(nulls, rowCount), text, starts);
    }

    private static void copy(BytesColumnVector source, int row, byte[] target, int at) {
        System.arraycopy(source.vector[row], source.start[row], target, at, source.length[row]);
    }

    private static ColumnChunk.Rows plain(boolean @Nullable [] nulls, int rowCount) {
        return new ColumnChunk.Rows(
                rowCount, null, rowCount, nulls == null ? null : Arrays.copyOf(nulls, rowCount));
    }

    private ColumnChunk.Rows dictionary(int rowCount) {
        boolean[] nulls = null;
        if (nullEntry != NO_ENTRY) {
            nulls = new boolean[entries];
            nulls[nullEntry] = true;
        }
        return new ColumnChunk.Rows(rowCount, Arrays.copyOf(ids, rowCount), entries, nulls);
    }

    /**
     * Replaces the values of null rows, which are arbitrary and would widen the range of values.
     */
    private long[] withoutNulls(long[] values, boolean @Nullable [] nulls, int rowCount) {
        if (nulls == null) {
            return values;
        }
        long some = 0;
        for (int row = 0; row < rowCount; row++) {
            some = nulls[row] ? some : values[row];
        }
        for (int row = 0; row < rowCount; row++) {
            rowLows[row] = nulls[row] ? some : values[row];
        }
        return rowLows;
    }

    private int nullEntry() {
        if (nullEntry == NO_ENTRY && entries < ColumnChunk.MAX_ENTRIES) {
            lows[entries] = entries == 0 ? 0 : lows[0];
            highs[entries] = 0;
            nullEntry = entries++;
        }
        return nullEntry;
    }

    private int entry(long low, long high) {
        int slot = (int) (((low ^ (high * SPREAD)) * SPREAD) >>> 54) & (SLOTS - 1);
        while (slots[slot] != 0) {
            int entry = slots[slot] - 1;
            if (lows[entry] == low && highs[entry] == high) {
                return entry;
            }
            slot = (slot + 1) & (SLOTS - 1);
        }
        if (entries == ColumnChunk.MAX_ENTRIES) {
            return NO_ENTRY;
        }
        lows[entries] = low;
        highs[entries] = high;
        slots[slot] = (short) (entries + 1);
        return entries++;
    }

    /**
     * The entry of a text, found by its position, because ORC's dictionaries return the same
     * position again, or else by its bytes.
     */
    private int textEntry(BytesColumnVector source, int row) {
        byte[] text = source.vector[row];
        int start = source.start[row];
        int length = source.length[row];
        int place = (int) ((start * SPREAD) >>> 54) & (SLOTS - 1);
        if (places[place] != 0) {
            int known = rows[places[place] - 1];
            if (source.vector[known] == text
                    && source.start[known] == start
                    && source.length[known] == length) {
                return places[place] - 1;
            }
        }
        int slot = (int) XxHash64.hash(text, start, length) & (SLOTS - 1);
        while (slots[slot] != 0) {
            int entry = slots[slot] - 1;
            int known = rows[entry];
            int from = source.start[known];
            if (Arrays.equals(
                    source.vector[known],
                    from,
                    from + source.length[known],
                    text,
                    start,
                    start + length)) {
                places[place] = slots[slot];
                return entry;
            }
            slot = (slot + 1) & (SLOTS - 1);
        }
        if (entries == ColumnChunk.MAX_ENTRIES) {
            return NO_ENTRY;
        }
        rows[entries] = row;
        slots[slot] = (short) (entries + 1);
        places[place] = slots[slot];
        return entries++;
    }
}
