package io.stele.storage.aggregate;

import org.jspecify.annotations.Nullable;

/**
 * The values of one column, or of an expression, in the rows of a batch. The arrays of its kind
 * have a value for every row; what a null has there means nothing. Arrays may be another's, so only
 * who allocated them writes them. Confined to one thread.
 */
final class ValueVector {
    private static final long[] NO_LONGS = {};
    private static final double[] NO_DOUBLES = {};
    private static final int[] NO_INTS = {};
    private static final byte[][] NO_BYTES = {};
    private static final boolean[] NO_NULLS = {};

    final VectorKind kind;

    /** Of kind LONG; of INT128 the lower words. */
    long[] longs = NO_LONGS;

    /** Of kind INT128 the upper words. */
    long[] highs = NO_LONGS;

    double[] doubles = NO_DOUBLES;
    byte[] @Nullable [] bytes = NO_BYTES;
    int[] starts = NO_INTS;
    int[] lengths = NO_INTS;

    /** Meaningless where {@link #hasNulls} is false. */
    boolean[] nulls = NO_NULLS;

    boolean hasNulls;

    ValueVector(VectorKind kind) {
        this.kind = kind;
    }

    /** A vector with arrays of its own. */
    static ValueVector allocate(VectorKind kind, int rows) {
        ValueVector vector = new ValueVector(kind);
        vector.nulls = new boolean[rows];
        switch (kind) {
            case LONG -> vector.longs = new long[rows];
            case INT128 -> {
                vector.longs = new long[rows];
                vector.highs = new long[rows];
            }
            case DOUBLE -> vector.doubles = new double[rows];
            case BYTES -> {
                vector.bytes = new byte[rows][];
                vector.starts = new int[rows];
                vector.lengths = new int[rows];
            }
        }
        return vector;
    }

    boolean isNull(int row) {
        return hasNulls && nulls[row];
    }
}
