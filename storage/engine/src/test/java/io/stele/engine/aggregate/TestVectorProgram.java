package io.stele.engine.aggregate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.protocol.SteleException;
import io.stele.protocol.aggregate.ScalarExpression;
import io.stele.protocol.aggregate.ScalarExpression.Kind;
import io.stele.protocol.row.ValueCodec;
import io.stele.protocol.schema.DataType;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.BinaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Expressions over batches against the same arithmetic of single values. */
final class TestVectorProgram {
    private static final int ROWS = 1_000;
    private static final BigInteger FIRST_TOO_LARGE = BigInteger.TEN.pow(38);

    private final VectorProgram program = new VectorProgram(id -> id - 1);
    private final Selection selection = new Selection();

    /** Values of all sizes: those of 64 bits and their products go a short way, others another. */
    @ParameterizedTest
    @CsvSource({
        "'decimal(12,2)', 'decimal(12,2)', 'decimal(24,4)', MULTIPLY",
        "'decimal(18,0)', 'decimal(18,4)', 'decimal(36,4)', MULTIPLY",
        "'decimal(3,1)', 'decimal(3,1)', 'decimal(6,2)', MULTIPLY",
        "'decimal(30,2)', 'decimal(18,0)', 'decimal(38,2)', MULTIPLY",
        "'decimal(18,0)', 'decimal(18,4)', 'decimal(23,4)', ADD",
        "'decimal(18,0)', 'decimal(18,4)', 'decimal(23,4)', SUBTRACT",
        "'decimal(17,2)', 'decimal(17,2)', 'decimal(18,2)', ADD",
        "'decimal(37,0)', 'decimal(30,10)', 'decimal(38,10)', SUBTRACT",
    })
    void decimals(String leftType, String rightType, String resultType, Kind kind) {
        for (int hiddenEvery : new int[] {0, 1, 2}) {
            checkDecimals(
                    leftType, rightType, resultType, kind, hiddenEvery == 1 ? 7 : hiddenEvery);
        }
    }

    private void checkDecimals(
            String leftType, String rightType, String resultType, Kind kind, int hiddenEvery) {
        Random random = new Random(leftType.hashCode() + hiddenEvery);
        var left = (io.stele.protocol.schema.DecimalType) DataType.parse(leftType);
        var right = (io.stele.protocol.schema.DecimalType) DataType.parse(rightType);
        var result = (io.stele.protocol.schema.DecimalType) DataType.parse(resultType);
        BinaryOperator<BigInteger> operator =
                switch (kind) {
                    case MULTIPLY -> BigInteger::multiply;
                    case ADD -> scaled(left, right, result, BigInteger::add);
                    default -> scaled(left, right, result, BigInteger::subtract);
                };
        List<@Nullable BigInteger> a = new ArrayList<>();
        List<@Nullable BigInteger> b = new ArrayList<>();
        List<@Nullable BigInteger> expected = new ArrayList<>();
        while (expected.size() < ROWS) {
            BigInteger x = decimal(random, left);
            BigInteger y = decimal(random, right);
            BigInteger value = x == null || y == null ? null : operator.apply(x, y);
            if (value == null || value.abs().compareTo(FIRST_TOO_LARGE) < 0) {
                a.add(x);
                b.add(y);
                expected.add(value);
            }
        }
        VectorProgram both = new VectorProgram(id -> id - 1);
        int number =
                both.add(
                        ScalarExpression.of(
                                kind,
                                result,
                                ScalarExpression.column(1, left),
                                ScalarExpression.column(2, right)));
        FixedVectors batch =
                new FixedVectors(ROWS, hiddenEvery, List.of(vector(left, a), vector(right, b)));
        selection.start(batch);
        both.run(batch, selection);
        ValueVector found = both.result(number);
        for (int i = 0; i < selection.count; i++) {
            int row = selection.rows[i];
            assertThat(value(found, row)).as("row %s", row).isEqualTo(expected.get(row));
        }
    }

    private static BinaryOperator<BigInteger> scaled(
            io.stele.protocol.schema.DecimalType left,
            io.stele.protocol.schema.DecimalType right,
            io.stele.protocol.schema.DecimalType result,
            BinaryOperator<BigInteger> operator) {
        BigInteger a = BigInteger.TEN.pow(result.scale() - left.scale());
        BigInteger b = BigInteger.TEN.pow(result.scale() - right.scale());
        return (x, y) -> operator.apply(x.multiply(a), y.multiply(b));
    }

    private static @Nullable BigInteger decimal(
            Random random, io.stele.protocol.schema.DecimalType type) {
        if (random.nextInt(6) == 0) {
            return null;
        }
        BigInteger limit = BigInteger.TEN.pow(1 + random.nextInt(type.precision()));
        BigInteger value =
                random.nextInt(4) == 0
                        ? limit.subtract(BigInteger.ONE)
                        : new BigInteger(limit.bitLength(), random).mod(limit);
        return random.nextBoolean() ? value : value.negate();
    }

    @Test
    void aDecimalThatDoesNotFitIsAnErrorOnlyWhereItCounts() {
        DataType type = DataType.parse("decimal(38,0)");
        ScalarExpression column = ScalarExpression.column(1, type);
        program.add(ScalarExpression.of(Kind.MULTIPLY, type, column, column));
        BigInteger large = BigInteger.TEN.pow(20);
        List<@Nullable BigInteger> values = new ArrayList<>();
        for (int row = 0; row < ROWS; row++) {
            values.add(row % 2 == 0 ? large : BigInteger.valueOf(row));
        }
        run(new FixedVectors(ROWS, 2, List.of(vector(type, values))));
        assertThatThrownBy(() -> run(new FixedVectors(ROWS, 0, List.of(vector(type, values)))))
                .isInstanceOf(SteleException.class)
                .hasMessageContaining("at most 38 digits, found 1" + "0".repeat(40));
    }

    @Test
    void anIntegerThatDoesNotFitIsAnErrorOnlyWhereItCounts() {
        DataType type = DataType.parse("integer");
        ScalarExpression column = ScalarExpression.column(1, type);
        program.add(ScalarExpression.of(Kind.ADD, type, column, column));
        ValueVector vector = ValueVector.allocate(VectorKind.LONG, ROWS);
        for (int row = 0; row < ROWS; row++) {
            vector.longs[row] = row % 2 == 0 ? Integer.MAX_VALUE : row;
        }
        run(new FixedVectors(ROWS, 2, List.of(vector)));
        assertThatThrownBy(() -> run(new FixedVectors(ROWS, 0, List.of(vector))))
                .isInstanceOf(SteleException.class)
                .hasMessageContaining("integer addition overflow: 2147483647 + 2147483647");
    }

    /** By all rows or by those selected, from dictionaries or not: the same bits. */
    @ParameterizedTest
    @ValueSource(ints = {0, 2, 1})
    void doubles(int hiddenEvery) {
        DataType type = DataType.parse("double");
        double[] special = {Double.NaN, -0.0, 0.0, Double.NEGATIVE_INFINITY, 1.5, 0.1};
        Random random = new Random(hiddenEvery);
        ValueVector plain = ValueVector.allocate(VectorKind.DOUBLE, ROWS);
        ValueVector entries = ValueVector.allocate(VectorKind.DOUBLE, special.length + 1);
        entries.nulls[special.length] = true;
        entries.hasNulls = true;
        System.arraycopy(special, 0, entries.doubles, 0, special.length);
        byte[] ids = new byte[ROWS];
        for (int row = 0; row < ROWS; row++) {
            plain.doubles[row] = special[random.nextInt(special.length)] * (row % 3);
            ids[row] = (byte) random.nextInt(special.length + 1);
        }
        ValueVector dictionary = ValueVector.allocate(VectorKind.DOUBLE, ROWS);
        dictionary.useDictionary(entries, special.length + 1, ids);
        ScalarExpression a = ScalarExpression.column(1, type);
        ScalarExpression b = ScalarExpression.column(2, type);
        ScalarExpression two =
                ScalarExpression.constant(type, ValueCodec.of(type).encodeObject(2.0));
        ScalarExpression difference = ScalarExpression.of(Kind.SUBTRACT, type, two, b);
        int product = program.add(ScalarExpression.of(Kind.MULTIPLY, type, a, difference));
        int sum = program.add(ScalarExpression.of(Kind.ADD, type, a, difference));
        assertThat(program.add(ScalarExpression.of(Kind.SUBTRACT, type, two, b)))
                .as("what is there already")
                .isEqualTo(program.add(difference))
                .isLessThan(product);
        // 1: of a thousand rows few are left
        FixedVectors batch = new FixedVectors(ROWS, hiddenEvery, List.of(plain, dictionary));
        selection.start(batch);
        if (hiddenEvery == 1) {
            selection.rows[0] = 17;
            selection.rows[1] = 999;
            selection.count = 2;
        }
        program.run(batch, selection);
        for (int i = 0; i < selection.count; i++) {
            int row = selection.rows[i];
            boolean isNull = ids[row] == special.length;
            assertThat(program.result(product).isNull(row)).isEqualTo(isNull);
            if (!isNull) {
                double left = plain.doubles[row];
                double right = 2.0 - special[ids[row]];
                assertThat(bits(program.result(product).doubles[row]))
                        .isEqualTo(bits(left * right));
                assertThat(bits(program.result(sum).doubles[row])).isEqualTo(bits(left + right));
            }
        }
        assertThat(selection.count).isPositive();
    }

    private static long bits(double value) {
        return Double.doubleToLongBits(value);
    }

    private void run(FixedVectors batch) {
        selection.start(batch);
        program.run(batch, selection);
    }

    private static ValueVector vector(DataType type, List<@Nullable BigInteger> values) {
        ValueVector vector = ValueVector.allocate(VectorKind.of(type), values.size());
        for (int row = 0; row < values.size(); row++) {
            BigInteger value = values.get(row);
            if (value == null) {
                vector.nulls[row] = true;
                vector.hasNulls = true;
            } else {
                vector.longs[row] = value.longValue();
                if (vector.kind == VectorKind.INT128) {
                    vector.highs[row] = value.shiftRight(Long.SIZE).longValueExact();
                }
            }
        }
        return vector;
    }

    private static @Nullable BigInteger value(ValueVector vector, int row) {
        if (vector.isNull(row)) {
            return null;
        }
        BigInteger low = BigInteger.valueOf(vector.longs[row]);
        return vector.kind == VectorKind.LONG
                ? low
                : BigInteger.valueOf(vector.highs[row])
                        .shiftLeft(Long.SIZE)
                        .add(low.mod(BigInteger.ONE.shiftLeft(Long.SIZE)));
    }
}
