package io.stele.engine.aggregate;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.schema.XxHash64;

/**
 * A hash function of group values, equal in every file and every pass, which divides the groups of
 * an aggregation among its passes. Rows of one group have one hash. Stateless.
 */
final class GroupHashes {
    private static final long MULTIPLIER = 0x9E3779B97F4A7C15L; // the golden ratio

    /**
     * The value that is hashed for a null: a large constant, since small values are frequent and
     * should not collide with it.
     */
    private static final long NULL = 0xD6E8FEB86659FD93L;

    private GroupHashes() {}

    /**
     * Reduces a selection to the rows whose groups are in a range; returns their number, which the
     * caller must set.
     */
    static int select(ValueVector[] columns, GroupRange range, Selection selection) {
        int kept = 0;
        for (int i = 0; i < selection.count; i++) {
            int row = selection.rows[i];
            if (range.contains(hash(columns, row))) {
                selection.rows[kept++] = row;
            }
        }
        return kept;
    }

    private static long hash(ValueVector[] columns, int row) {
        long hash = 0;
        for (ValueVector column : columns) {
            long value =
                    column.hasDictionary()
                            ? value(column.entries(), column.id(row))
                            : value(column, row);
            hash = mix(hash ^ value);
        }
        return hash;
    }

    private static long value(ValueVector vector, int row) {
        if (vector.isNull(row)) {
            return NULL;
        }
        return switch (vector.kind) {
            case LONG -> vector.longs[row];
            case INT128 -> mix(vector.highs[row]) ^ vector.longs[row];
            case BYTES ->
                    XxHash64.hash(
                            requireNonNull(vector.bytes[row], "no value"),
                            vector.starts[row],
                            vector.lengths[row]);
            case DOUBLE -> throw new IllegalStateException("No groups by floating point");
        };
    }

    private static long mix(long value) {
        long mixed = (value ^ (value >>> 32)) * MULTIPLIER;
        mixed = (mixed ^ (mixed >>> 29)) * MULTIPLIER;
        return mixed ^ (mixed >>> 32);
    }
}
