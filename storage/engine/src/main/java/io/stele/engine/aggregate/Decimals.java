package io.stele.engine.aggregate;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.aggregate.ScalarExpression.Kind;
import io.stele.protocol.schema.DecimalType;
import java.math.BigInteger;

/**
 * The operators +, - and * on vectors of decimals, exact at Trino's result scale, with an error
 * above 38 digits. That scale is never below the scale of the exact result. Values that fit 64
 * bits, as nearly all do, take a short path. Immutable.
 */
final class Decimals implements Operator {
    private static final BigInteger FIRST_TOO_LARGE = BigInteger.TEN.pow(DecimalType.MAX_PRECISION);
    private static final long[] POWERS = powers();

    private final Kind operator;
    private final VectorKind kind;
    private final int leftZeros;
    private final int rightZeros;

    Decimals(Kind operator, DecimalType left, DecimalType right, DecimalType result) {
        this.operator = requireNonNull(operator, "operator is null");
        this.kind = VectorKind.of(result);
        boolean isProduct = operator == Kind.MULTIPLY;
        this.leftZeros = isProduct ? 0 : result.scale() - left.scale();
        this.rightZeros = isProduct ? 0 : result.scale() - right.scale();
    }

    @Override
    public VectorKind kind() {
        return kind;
    }

    @Override
    public void apply(
            ValueVector left, ValueVector right, Selection selection, ValueVector result) {
        boolean isProduct = operator == Kind.MULTIPLY;
        boolean hasShortWay =
                isProduct || (leftZeros < POWERS.length && rightZeros < POWERS.length);
        for (int i = 0; i < selection.count; i++) {
            int row = selection.rows[i];
            if (result.isNull(row)) {
                continue;
            }
            boolean done =
                    hasShortWay
                            && isLong(left, row)
                            && isLong(right, row)
                            && (isProduct
                                    ? multiply(left.longs[row], right.longs[row], row, result)
                                    : add(left.longs[row], right.longs[row], row, result));
            if (!done) {
                put(apply(value(left, row), value(right, row)), row, result);
            }
        }
    }

    /**
     * Multiplies; returns whether the product fits the result's kind. The product of two longs is
     * always below 10^38.
     */
    private boolean multiply(long a, long b, int row, ValueVector result) {
        long low = a * b;
        long high = Math.multiplyHigh(a, b);
        result.longs[row] = low;
        if (kind == VectorKind.INT128) {
            result.highs[row] = high;
            return true;
        }
        return high == low >> (Long.SIZE - 1);
    }

    /** Adds or subtracts; returns false if an intermediate value does not fit 64 bits. */
    private boolean add(long a, long b, int row, ValueVector result) {
        long x = a * POWERS[leftZeros];
        long y = b * POWERS[rightZeros];
        boolean isSum = operator == Kind.ADD;
        long sum = isSum ? x + y : x - y;
        boolean fits =
                Math.multiplyHigh(a, POWERS[leftZeros]) == x >> (Long.SIZE - 1)
                        && Math.multiplyHigh(b, POWERS[rightZeros]) == y >> (Long.SIZE - 1)
                        && (isSum ? ((x ^ sum) & (y ^ sum)) >= 0 : ((x ^ y) & (x ^ sum)) >= 0);
        if (fits) {
            putLong(sum, row, result);
        }
        return fits;
    }

    private BigInteger apply(BigInteger left, BigInteger right) {
        if (operator == Kind.MULTIPLY) {
            return left.multiply(right);
        }
        BigInteger a = left.multiply(BigInteger.TEN.pow(leftZeros));
        BigInteger b = right.multiply(BigInteger.TEN.pow(rightZeros));
        return operator == Kind.ADD ? a.add(b) : a.subtract(b);
    }

    /**
     * Sets a row of the target to the source's value with more zeros appended, as for a larger
     * scale.
     */
    static void rescale(ValueVector source, int row, int zeros, ValueVector target) {
        if (zeros < POWERS.length && isLong(source, row)) {
            long value = source.longs[row];
            long scaled = value * POWERS[zeros];
            if (Math.multiplyHigh(value, POWERS[zeros]) == scaled >> (Long.SIZE - 1)) {
                putLong(scaled, row, target);
                return;
            }
        }
        put(value(source, row).multiply(BigInteger.TEN.pow(zeros)), row, target);
    }

    private static boolean isLong(ValueVector vector, int row) {
        return vector.kind == VectorKind.LONG
                || vector.highs[row] == vector.longs[row] >> (Long.SIZE - 1);
    }

    private static BigInteger value(ValueVector vector, int row) {
        BigInteger low = BigInteger.valueOf(vector.longs[row]);
        if (vector.kind == VectorKind.LONG) {
            return low;
        }
        BigInteger high = BigInteger.valueOf(vector.highs[row]).shiftLeft(Long.SIZE);
        return high.add(vector.longs[row] < 0 ? low.add(BigInteger.ONE.shiftLeft(Long.SIZE)) : low);
    }

    private static void putLong(long value, int row, ValueVector target) {
        target.longs[row] = value;
        if (target.kind == VectorKind.INT128) {
            target.highs[row] = value >> (Long.SIZE - 1);
        }
    }

    private static void put(BigInteger value, int row, ValueVector target) {
        if (value.abs().compareTo(FIRST_TOO_LARGE) >= 0) {
            throw new SteleException(
                    ErrorCode.NUMBER_OUT_OF_RANGE,
                    "Decimal overflow: expected a number of at most 38 digits, found " + value);
        }
        target.longs[row] =
                target.kind == VectorKind.INT128 ? value.longValue() : value.longValueExact();
        if (target.kind == VectorKind.INT128) {
            target.highs[row] = value.shiftRight(Long.SIZE).longValueExact();
        }
    }

    private static long[] powers() {
        long[] powers = new long[19];
        powers[0] = 1;
        for (int i = 1; i < powers.length; i++) {
            powers[i] = powers[i - 1] * 10;
        }
        return powers;
    }
}
