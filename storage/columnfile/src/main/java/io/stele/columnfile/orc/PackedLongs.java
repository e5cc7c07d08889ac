package io.stele.columnfile.orc;

import java.util.Arrays;

/**
 * An array of longs, stored as distances to the smallest one in two, four or eight bytes each
 * (frame of reference), for decoded columns in memory. Immutable.
 */
final class PackedLongs {
    static final PackedLongs NONE = new PackedLongs(0, new short[0], new int[0], new long[0]);

    private static final int SHORT_MASK = 0xFFFF;
    private static final long INT_MASK = 0xFFFF_FFFFL;

    private final long base;
    private final short[] shorts; // one of the three has values
    private final int[] ints;
    private final long[] longs; // the values themselves, without base

    private PackedLongs(long base, short[] shorts, int[] ints, long[] longs) {
        this.base = base;
        this.shorts = shorts;
        this.ints = ints;
        this.longs = longs;
    }

    static PackedLongs pack(long[] values, int count) {
        long least = Long.MAX_VALUE;
        long most = Long.MIN_VALUE;
        for (int i = 0; i < count; i++) {
            least = Math.min(least, values[i]);
            most = Math.max(most, values[i]);
        }
        long range = most - least; // below 0: overflow
        if (range >= 0 && range <= SHORT_MASK) {
            short[] shorts = new short[count];
            for (int i = 0; i < count; i++) {
                shorts[i] = (short) (values[i] - least);
            }
            return new PackedLongs(least, shorts, NONE.ints, NONE.longs);
        }
        if (range >= 0 && range <= INT_MASK) {
            int[] ints = new int[count];
            for (int i = 0; i < count; i++) {
                ints[i] = (int) (values[i] - least);
            }
            return new PackedLongs(least, NONE.shorts, ints, NONE.longs);
        }
        return new PackedLongs(0, NONE.shorts, NONE.ints, Arrays.copyOf(values, count));
    }

    /**
     * @param room for the values; written unless they are stored as longs
     */
    long[] unpack(long[] room, int count) {
        if (longs.length > 0) {
            return longs;
        }
        if (shorts.length > 0) {
            for (int i = 0; i < count; i++) {
                room[i] = base + (shorts[i] & SHORT_MASK);
            }
        } else {
            for (int i = 0; i < count; i++) {
                room[i] = base + (ints[i] & INT_MASK);
            }
        }
        return room;
    }

    long retainedBytes() {
        return (long) Short.BYTES * shorts.length
                + (long) Integer.BYTES * ints.length
                + (long) Long.BYTES * longs.length;
    }
}
