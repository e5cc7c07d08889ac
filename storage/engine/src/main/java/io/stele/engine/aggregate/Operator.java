package io.stele.engine.aggregate;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.aggregate.ScalarExpression;
import io.stele.protocol.aggregate.ScalarExpression.Kind;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.DecimalType;
import io.stele.protocol.schema.TypeKind;

/**
 * An arithmetic operator (+, - or *) on two vectors of values of one type family, with the results
 * and overflow errors of Trino's operators. Immutable.
 */
interface Operator {
    /** The kind of the result vector. */
    VectorKind kind();

    /**
     * Computes the result in the selected rows where neither argument is null, and possibly in
     * other rows too.
     */
    void apply(ValueVector left, ValueVector right, Selection selection, ValueVector result);

    static Operator of(ScalarExpression expression) {
        DataType type = expression.type();
        DataType left = expression.arguments().get(0).type();
        DataType right = expression.arguments().get(1).type();
        if (type instanceof DecimalType result
                && left instanceof DecimalType a
                && right instanceof DecimalType b) {
            return new Decimals(expression.kind(), a, b, result);
        }
        return type.kind() == TypeKind.DOUBLE
                ? new OfDoubles(expression.kind())
                : new OfIntegers(expression.kind(), type);
    }

    /** Doubles: no result is an error, so rows that are not selected may be computed too. */
    record OfDoubles(Kind operator) implements Operator {
        @Override
        public VectorKind kind() {
            return VectorKind.DOUBLE;
        }

        @Override
        public void apply(
                ValueVector left, ValueVector right, Selection selection, ValueVector result) {
            double[] a = left.doubles;
            double[] b = right.doubles;
            if (selection.isDense()) {
                applyAll(a, b, selection.size, result.doubles);
            } else {
                applySelected(a, b, selection, result.doubles);
            }
        }

        private void applyAll(double[] a, double[] b, int size, double[] target) {
            switch (operator) {
                case ADD -> {
                    for (int row = 0; row < size; row++) {
                        target[row] = a[row] + b[row];
                    }
                }
                case SUBTRACT -> {
                    for (int row = 0; row < size; row++) {
                        target[row] = a[row] - b[row];
                    }
                }
                default -> {
                    for (int row = 0; row < size; row++) {
                        target[row] = a[row] * b[row];
                    }
                }
            }
        }

        private void applySelected(double[] a, double[] b, Selection selection, double[] target) {
            for (int i = 0; i < selection.count; i++) {
                int row = selection.rows[i];
                target[row] =
                        switch (operator) {
                            case ADD -> a[row] + b[row];
                            case SUBTRACT -> a[row] - b[row];
                            default -> a[row] * b[row];
                        };
            }
        }
    }

    /** Integers of 32 and 64 bits; a result that does not fit is an error. */
    record OfIntegers(Kind operator, DataType type) implements Operator {
        @Override
        public VectorKind kind() {
            return VectorKind.LONG;
        }

        @Override
        public void apply(
                ValueVector left, ValueVector right, Selection selection, ValueVector result) {
            for (int i = 0; i < selection.count; i++) {
                int row = selection.rows[i];
                if (!result.isNull(row)) {
                    result.longs[row] = apply(left.longs[row], right.longs[row]);
                }
            }
        }

        private long apply(long left, long right) {
            try {
                long value =
                        switch (operator) {
                            case ADD -> Math.addExact(left, right);
                            case SUBTRACT -> Math.subtractExact(left, right);
                            default -> Math.multiplyExact(left, right);
                        };
                if (type.kind() == TypeKind.BIGINT || value == (int) value) {
                    return value;
                }
            } catch (ArithmeticException tooLarge) {
                // the same error as a result beyond 32 bits, thrown below
            }
            String name =
                    switch (operator) {
                        case ADD -> "addition overflow: %s + %s";
                        case SUBTRACT -> "subtraction overflow: %s - %s";
                        default -> "multiplication overflow: %s * %s";
                    };
            throw new SteleException(
                    ErrorCode.NUMBER_OUT_OF_RANGE, type.text() + " " + name.formatted(left, right));
        }
    }
}
