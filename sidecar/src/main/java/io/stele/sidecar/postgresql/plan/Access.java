package io.stele.sidecar.postgresql.plan;

import static java.util.Objects.requireNonNull;

import io.stele.engine.read.KeyDirection;
import io.stele.sidecar.postgresql.sql.Expression.Operator;
import java.util.List;
import java.util.Optional;

/**
 * The access path of a fixed plan to the rows of a condition: by primary keys, or by a scan within
 * bounds. Immutable.
 */
public sealed interface Access {
    /** The values that a condition gives to one column. */
    sealed interface Candidates {}

    record OneOf(List<Computation> values) implements Candidates {
        public OneOf {
            values = List.copyOf(values);
        }
    }

    /** The elements of an array. */
    record Elements(Computation array) implements Candidates {}

    /**
     * Lookups by primary key: every combination of the candidates.
     *
     * @param columns for each column of the key its candidates
     */
    record ByKey(List<Candidates> columns) implements Access {
        public ByKey {
            columns = List.copyOf(columns);
        }
    }

    /**
     * Lookups by primary key.
     *
     * @param keys each of as many values as the key has columns, in its order
     */
    record ByKeyList(List<List<Computation>> keys) implements Access {
        public ByKeyList {
            keys = List.copyOf(keys);
        }
    }

    /**
     * A bound of the values of a column, by its position in the table.
     *
     * @param candidates with {@code operator} EQUAL any of them, else one
     */
    record Bound(int column, Operator operator, Candidates candidates) {}

    /**
     * A scan of the rows within bounds.
     *
     * @param bounds of any columns: hints, because the condition is checked again
     * @param kind how the rows are found
     * @param direction of the primary key, in the order of which the rows are to come; it needs row
     *     tablets; empty: any order
     */
    record ByRange(List<Bound> bounds, ScanKind kind, Optional<KeyDirection> direction)
            implements Access {
        public ByRange {
            bounds = List.copyOf(bounds);
            requireNonNull(direction, "direction is null");
        }
    }

    /** The ways to find the rows of a scan. */
    enum ScanKind {
        /**
         * Bounds of the first columns of the primary key: row tablets are read from the first key
         * on, or from the last; a scan leaves out rows outside of the bounds.
         */
        KEY,
        INDEX,
        /** A LIMIT ends it soon. */
        FIRST_ROWS,
        /** The table is small; the scan fails if it has become large. */
        SMALL_TABLE
    }

    /**
     * An access path, and the part of the condition that it does not decide.
     *
     * @param residual the condition that must still be checked for each row
     */
    record Filtered(Access access, Optional<Computation> residual) {}
}
