package io.stele.sidecar.postgresql.plan;

import io.stele.sidecar.postgresql.sql.Expression.Operator;
import java.util.List;
import java.util.Optional;

/** The way to the rows of a condition. Immutable. */
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
     * @param bounds of any columns: hints, since the condition is still to be asked
     * @param kind what finds the rows
     * @param isInKeyOrder whether the rows are to come in the order of the primary key, which needs
     *     row tablets
     */
    record ByRange(List<Bound> bounds, ScanKind kind, boolean isInKeyOrder) implements Access {
        public ByRange {
            bounds = List.copyOf(bounds);
        }
    }

    /** What finds the rows of a scan. */
    enum ScanKind {
        /**
         * Bounds of the first columns of the primary key: row tablets are read from the first key
         * on; those that are scanned leave out what is outside.
         */
        KEY,
        INDEX,
        /** A LIMIT ends it soon. */
        FIRST_ROWS,
        /** The table is small; the scan fails if it has become large. */
        SMALL_TABLE
    }

    /**
     * An access, and what of the condition it does not decide.
     *
     * @param residual the condition that the rows have still to be asked for
     */
    record Filtered(Access access, Optional<Computation> residual) {}
}
