package io.stele.connector.read.page;

import java.util.Arrays;

/**
 * An assignment of dictionary codes to the distinct values of a sequence, at most 256, in the order
 * of their first appearance. Confined to one thread.
 */
public final class DistinctNumbers {
    /** Greatest number of distinct values that one byte indexes. */
    public static final int MAX = 256;

    /** No code: there are too many distinct values. */
    static final int NONE = -1;

    private static final int SLOTS_LOG2 = 10; // a quarter full at most
    private static final long SPREAD = 0x9E3779B97F4A7C15L; // 2^64 / golden ratio

    private final long[] values = new long[1 << SLOTS_LOG2];
    private final int[] codes = new int[1 << SLOTS_LOG2];
    private final int[] firstPositions = new int[MAX];
    private int nullCode = NONE;
    private int count;

    public DistinctNumbers() {
        Arrays.fill(codes, NONE);
    }

    /** The value's code, or {@link #NONE}. */
    public int code(long value, int position) {
        int slot = (int) ((value * SPREAD) >>> (Long.SIZE - SLOTS_LOG2));
        while (codes[slot] != NONE) {
            if (values[slot] == value) {
                return codes[slot];
            }
            slot = (slot + 1) & (values.length - 1);
        }
        int code = add(position);
        if (code != NONE) {
            values[slot] = value;
            codes[slot] = code;
        }
        return code;
    }

    /** The code of null, or {@link #NONE}. */
    public int codeOfNull(int position) {
        if (nullCode == NONE) {
            nullCode = add(position);
        }
        return nullCode;
    }

    public int count() {
        return count;
    }

    /**
     * The first position of each code's value; only the first {@link #count()} elements are valid.
     */
    public int[] firstPositions() {
        return firstPositions;
    }

    private int add(int position) {
        if (count == MAX) {
            return NONE;
        }
        firstPositions[count] = position;
        return count++;
    }
}
