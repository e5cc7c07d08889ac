package io.stele.engine.aggregate;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.math.BigInteger;
import java.util.Arrays;

/**
 * Exact sums of integers, one per group, in 192 bits: {@code tops * 2^128 + highs * 2^64 + lows},
 * each part with a sign of its own. Any number of values fits. Confined to one thread.
 */
final class WideSums {
    private long[] lows = {};
    private long[] highs = {};
    private long[] tops = {};

    static final int GROUP_BYTES = 3 * Long.BYTES;

    void resize(int groups) {
        lows = Arrays.copyOf(lows, groups);
        highs = Arrays.copyOf(highs, groups);
        tops = Arrays.copyOf(tops, groups);
    }

    void add(int group, long value) {
        long before = lows[group];
        long sum = before + value;
        lows[group] = sum;
        if (((before ^ sum) & (value ^ sum)) < 0) {
            addHigh(group, value < 0 ? -1 : 1);
        }
    }

    /** Adds {@code high * 2^64 + low}, the latter without sign. */
    void add(int group, long high, long low) {
        add(group, low);
        addHigh(group, high);
        if (low < 0) {
            addHigh(group, 1);
        }
    }

    /** Adds {@code high * 2^64 + low}, each with a sign of its own. */
    void addParts(int group, long high, long low) {
        add(group, low);
        addHigh(group, high);
    }

    private void addHigh(int group, long value) {
        long before = highs[group];
        long sum = before + value;
        highs[group] = sum;
        if (((before ^ sum) & (value ^ sum)) < 0) {
            tops[group] += value < 0 ? -1 : 1;
        }
    }

    void merge(int group, WideSums other, int otherGroup) {
        add(group, other.lows[otherGroup]);
        addHigh(group, other.highs[otherGroup]);
        tops[group] += other.tops[otherGroup];
    }

    /** Whether the sum fits a long, so that {@link #low} returns it. */
    boolean isLong(int group) {
        return highs[group] == 0 && tops[group] == 0;
    }

    long low(int group) {
        return lows[group];
    }

    BigInteger value(int group) {
        return BigInteger.valueOf(tops[group])
                .shiftLeft(Long.SIZE)
                .add(BigInteger.valueOf(highs[group]))
                .shiftLeft(Long.SIZE)
                .add(BigInteger.valueOf(lows[group]));
    }

    void write(DataOutput target, int group) throws IOException {
        target.writeLong(lows[group]);
        target.writeLong(highs[group]);
        target.writeLong(tops[group]);
    }

    void read(DataInput source, int group) throws IOException {
        lows[group] = source.readLong();
        highs[group] = source.readLong();
        tops[group] = source.readLong();
    }
}
