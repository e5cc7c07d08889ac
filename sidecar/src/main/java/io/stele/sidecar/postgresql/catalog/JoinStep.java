package io.stele.sidecar.postgresql.catalog;

import java.util.BitSet;
import java.util.List;
import java.util.Optional;

/**
 * One item of a catalog query's FROM clause, and its join to the items before it.
 *
 * @param source the number of the item
 * @param conditions of ON
 */
record JoinStep(int source, Kind kind, List<Condition> conditions) {
    JoinStep {
        conditions = List.copyOf(conditions);
    }

    /** The kinds of joins, which differ in the rows without a match. */
    enum Kind {
        INNER,
        LEFT,
        RIGHT,
        FULL;

        boolean keepsLeft() {
            return this == LEFT || this == FULL;
        }

        boolean keepsRight() {
            return this == RIGHT || this == FULL;
        }
    }

    /**
     * One of several conditions that all rows must meet.
     *
     * @param references the numbers of the sources it depends on
     * @param equality if it is one
     */
    record Condition(Typed expression, BitSet references, Optional<Equality> equality) {
        boolean isKnown(BitSet bound) {
            BitSet missing = (BitSet) references.clone();
            missing.andNot(bound);
            return missing.isEmpty();
        }

        /** The equality seen from a source: its side, and the side that is known before. */
        Optional<Lookup> lookup(int source, BitSet bound) {
            return equality.flatMap(
                    sides ->
                            sides.left()
                                    .lookup(sides.right(), source, bound)
                                    .or(() -> sides.right().lookup(sides.left(), source, bound)));
        }
    }

    /** {@code left = right}. */
    record Equality(Side left, Side right) {}

    /**
     * A side of an equality.
     *
     * @param column the number of the column that it is; -1: it is an expression
     */
    record Side(Typed expression, BitSet references, int column) {
        Optional<Lookup> lookup(Side other, int source, BitSet bound) {
            boolean isMine = references.cardinality() == 1 && references.get(source);
            BitSet missing = (BitSet) other.references.clone();
            missing.andNot(bound);
            return isMine && missing.isEmpty()
                    ? Optional.of(new Lookup(this, other))
                    : Optional.empty();
        }
    }

    /** A lookup of the rows of a source whose side equals the known side. */
    record Lookup(Side mine, Side known) {
        boolean isConstant() {
            return known.references().isEmpty();
        }
    }
}
