package io.stele.storage.aggregate;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.aggregate.ScalarExpression;
import io.stele.protocol.aggregate.ScalarExpression.Kind;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.DecimalType;
import io.stele.protocol.schema.TypeKind;

/** Arithmetic of two values of the same family, as Trino's operators do it. Immutable. */
interface Operator {
    /** Of the result. */
    VectorKind kind();

    /** Computes the rows where neither is null. */
    void apply(ValueVector left, ValueVector right, int[] rows, int count, ValueVector result);

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

    /** Doubles. */
    record OfDoubles(Kind operator) implements Operator {
        @Override
        public VectorKind kind() {
            return VectorKind.DOUBLE;
        }

        @Override
        public void apply(
                ValueVector left, ValueVector right, int[] rows, int count, ValueVector result) {
            double[] a = left.doubles;
            double[] b = right.doubles;
            double[] target = result.doubles;
            switch (operator) {
                case ADD -> {
                    for (int i = 0; i < count; i++) {
                        int row = rows[i];
                        target[row] = a[row] + b[row];
                    }
                }
                case SUBTRACT -> {
                    for (int i = 0; i < count; i++) {
                        int row = rows[i];
                        target[row] = a[row] - b[row];
                    }
                }
                default -> {
                    for (int i = 0; i < count; i++) {
                        int row = rows[i];
                        target[row] = a[row] * b[row];
                    }
                }
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
                ValueVector left, ValueVector right, int[] rows, int count, ValueVector result) {
            for (int i = 0; i < count; i++) {
                int row = rows[i];
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
                // as below
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
