package io.stele.sidecar.postgresql.catalog;

/**
 * A compiled expression of a catalog query, with its type.
 *
 * @param type the OID of its type; {@link #UNKNOWN} of literals and parameters without a type
 * @param parameter the number of the parameter that this is, from 1; 0: it is none
 */
record Typed(int type, Evaluation evaluation, int parameter) {
    static final int UNKNOWN = 705;

    Typed(int type, Evaluation evaluation) {
        this(type, evaluation, 0);
    }

    static Typed constant(int type, Object value) {
        return new Typed(type, frame -> value);
    }

    /** The value of an expression for the present rows. */
    @FunctionalInterface
    interface Evaluation {
        Object of(Frame frame);
    }

    Object of(Frame frame) {
        return evaluation.of(frame);
    }
}
