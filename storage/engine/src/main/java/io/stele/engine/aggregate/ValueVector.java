package io.stele.engine.aggregate;

import static java.util.Objects.requireNonNull;

import org.jspecify.annotations.Nullable;

/**
 * A vector of the values of one column or expression in the rows of a batch, possibly with a
 * dictionary. The arrays of its kind have a value for every row; the value of a null row has no
 * meaning. Arrays may be shared, so only the code that allocated them writes them. Confined to one
 * thread.
 *
 * <p>A vector with a dictionary has values of its own only after {@link #flatten}, and only for the
 * requested rows: conditions and groups use its entries instead.
 */
final class ValueVector {
    private static final long[] NO_LONGS = {};
    private static final double[] NO_DOUBLES = {};
    private static final int[] NO_INTS = {};
    private static final byte[][] NO_BYTES = {};
    private static final boolean[] NO_NULLS = {};
    private static final byte[] NO_IDS = {};
    private static final int ID_MASK = 0xFF;

    final VectorKind kind;

    /** Values of kind LONG; the lower words of kind INT128. */
    long[] longs = NO_LONGS;

    /** The upper words of kind INT128. */
    long[] highs = NO_LONGS;

    double[] doubles = NO_DOUBLES;
    byte[] @Nullable [] bytes = NO_BYTES;
    int[] starts = NO_INTS;
    int[] lengths = NO_INTS;

    /** Meaningless where {@link #hasNulls} is false. */
    boolean[] nulls = NO_NULLS;

    boolean hasNulls;

    private @Nullable ValueVector dictionary;
    private byte[] ids = NO_IDS;
    private int entryCount;
    private boolean isFlat;

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

    /**
     * Makes an allocated vector refer to a dictionary.
     *
     * @param entries the values, of the same kind
     * @param newIds the entry of each row, as unsigned bytes
     */
    void useDictionary(ValueVector entries, int newEntryCount, byte[] newIds) {
        dictionary = entries;
        entryCount = newEntryCount;
        ids = newIds;
        isFlat = false;
        hasNulls = entries.hasNulls;
    }

    boolean hasDictionary() {
        return dictionary != null;
    }

    /** The entries of the dictionary, to which {@link #id} refers; some may occur in no row. */
    ValueVector entries() {
        return requireNonNull(dictionary, "no dictionary");
    }

    int entryCount() {
        return entryCount;
    }

    /** The entry of a row. */
    int id(int row) {
        return ids[row] & ID_MASK;
    }

    /**
     * Copies the values of the selected rows out of the dictionary; enough for all later selections
     * of the same batch, which have fewer rows.
     */
    void flatten(Selection selection) {
        ValueVector source = dictionary;
        if (source == null || isFlat) {
            return;
        }
        isFlat = true;
        if (selection.isDense()) {
            for (int row = 0; row < selection.size; row++) {
                copyNull(row);
            }
            switch (kind) {
                case LONG -> {
                    for (int row = 0; row < selection.size; row++) {
                        longs[row] = source.longs[ids[row] & ID_MASK];
                    }
                }
                case DOUBLE -> {
                    for (int row = 0; row < selection.size; row++) {
                        doubles[row] = source.doubles[ids[row] & ID_MASK];
                    }
                }
                case INT128, BYTES -> {
                    for (int row = 0; row < selection.size; row++) {
                        copy(row);
                    }
                }
            }
            return;
        }
        for (int i = 0; i < selection.count; i++) {
            copyNull(selection.rows[i]);
            copy(selection.rows[i]);
        }
    }

    private void copyNull(int row) {
        if (hasNulls) {
            nulls[row] = entries().nulls[ids[row] & ID_MASK];
        }
    }

    private void copy(int row) {
        ValueVector source = entries();
        int entry = ids[row] & ID_MASK;
        switch (kind) {
            case LONG -> longs[row] = source.longs[entry];
            case DOUBLE -> doubles[row] = source.doubles[entry];
            case INT128 -> {
                longs[row] = source.longs[entry];
                highs[row] = source.highs[entry];
            }
            case BYTES -> {
                bytes[row] = source.bytes[entry];
                starts[row] = source.starts[entry];
                lengths[row] = source.lengths[entry];
            }
        }
    }

    boolean isNull(int row) {
        return hasNulls && nulls[row];
    }
}
