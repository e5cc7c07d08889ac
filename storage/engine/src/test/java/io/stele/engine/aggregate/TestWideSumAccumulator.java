package io.stele.engine.aggregate;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** Sums that leave 64 bits, and come back, and leave 128, against exact ones. */
final class TestWideSumAccumulator {
    private static final int ROWS = 500;
    private static final int GROUPS = 3;

    @ParameterizedTest
    @EnumSource(
            mode = Mode.INCLUDE,
            names = {"LONG", "INT128"})
    void sumsAreExact(VectorKind kind) throws IOException {
        for (int seed = 0; seed < 20; seed++) {
            Random random = new Random(seed);
            WideSumAccumulator sums = new WideSumAccumulator();
            sums.resize(GROUPS);
            BigInteger[] expected = new BigInteger[GROUPS];
            Arrays.fill(expected, BigInteger.ZERO);
            int[] rows = new int[ROWS];
            int[] groups = new int[ROWS];
            for (int batch = 0; batch < 5; batch++) {
                ValueVector vector = ValueVector.allocate(kind, ROWS);
                vector.hasNulls = batch % 2 == 0;
                for (int row = 0; row < ROWS; row++) {
                    rows[row] = row;
                    groups[row] = random.nextInt(GROUPS);
                    BigInteger value = value(random, kind, batch);
                    put(value, vector, row);
                    vector.nulls[row] = random.nextInt(5) == 0;
                    if (!vector.isNull(row)) {
                        expected[groups[row]] = expected[groups[row]].add(value);
                    }
                }
                RowRuns runs = new RowRuns();
                runs.split(rows, ROWS, groups, GROUPS);
                sums.add(runs, vector);
            }
            assertThat(written(sums)).as("seed %s", seed).containsExactly(expected);
        }
    }

    /** Mostly large, of one sign in some batches: then the sums leave what they fit in. */
    private static BigInteger value(Random random, VectorKind kind, int batch) {
        int bits = kind == VectorKind.LONG ? 63 : random.nextBoolean() ? 126 : 63;
        BigInteger limit = BigInteger.ONE.shiftLeft(bits);
        BigInteger value =
                random.nextInt(8) == 0
                        ? BigInteger.valueOf(random.nextInt(100))
                        : limit.subtract(BigInteger.valueOf(1 + random.nextInt(1_000)));
        boolean isNegative = batch == 2 || batch == 3 || (batch == 4 && random.nextBoolean());
        return isNegative ? value.negate() : value;
    }

    private static void put(BigInteger value, ValueVector vector, int row) {
        vector.longs[row] = value.longValue();
        if (vector.kind == VectorKind.INT128) {
            vector.highs[row] = value.shiftRight(Long.SIZE).longValueExact();
        }
    }

    private static BigInteger[] written(WideSumAccumulator sums) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        sums.write(new DataOutputStream(bytes), GROUPS);
        DataInputStream source = new DataInputStream(new ByteArrayInputStream(bytes.toByteArray()));
        BigInteger[] found = new BigInteger[GROUPS];
        for (int group = 0; group < GROUPS; group++) {
            assertThat(source.readLong()).as("values").isPositive();
            BigInteger low = BigInteger.valueOf(source.readLong());
            BigInteger high = BigInteger.valueOf(source.readLong());
            BigInteger top = BigInteger.valueOf(source.readLong());
            found[group] = top.shiftLeft(Long.SIZE).add(high).shiftLeft(Long.SIZE).add(low);
        }
        return found;
    }
}
