package io.stele.columnfile.orc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.apache.hadoop.hive.common.type.HiveDecimal;
import org.apache.hadoop.hive.ql.exec.vector.BytesColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.ColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.DecimalColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.DoubleColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.LongColumnVector;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is packed comes out as it was, in every way of packing. */
final class TestChunkPacker {
    private static final int ROWS = 2_000;
    private static final int SCALE = 4;

    private final ChunkPacker packer = new ChunkPacker();

    // 255 values and null fill a dictionary, 256 and null are too many for one, as are 257
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 255, 256, 257, 2_000})
    void longs(int distinct) {
        for (long step : new long[] {1, 300, 3_000_000, Long.MAX_VALUE / 1_000, -1L << 56}) {
            check(distinct, i -> Long.MIN_VALUE / 3 + i * step, TestChunkPacker::longVector);
        }
        // The ranges of two bytes and of four, and one more
        for (long range : new long[] {0xFFFF, 0x10000, 0xFFFF_FFFFL, 0x1_0000_0000L}) {
            check(distinct, i -> i == 1 ? 5 + range : 5L + i, TestChunkPacker::longVector);
        }
        check(
                distinct,
                i -> i % 2 == 0 ? Long.MIN_VALUE + i : Long.MAX_VALUE - i,
                TestChunkPacker::longVector);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 256, 257, 2_000})
    void doublesWithTheirBits(int distinct) {
        double[] first = {
            Double.NaN,
            -0.0,
            0.0,
            Double.longBitsToDouble(0x7FF8_0000_0000_0001L),
            Double.NEGATIVE_INFINITY,
            Double.MIN_VALUE
        };
        this.<Double>check(
                distinct,
                i -> i < first.length ? first[i] : i * 0.01,
                values -> {
                    DoubleColumnVector vector = new DoubleColumnVector(ROWS);
                    fill(vector, values, (row, value) -> vector.vector[row] = value);
                    return vector;
                });
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 256, 257, 2_000})
    void decimals(int distinct) {
        for (int digits : new int[] {3, 17, 18, 19, 30, 34}) {
            BigInteger step = BigInteger.TEN.pow(digits - 1).add(BigInteger.valueOf(7));
            check(
                    distinct,
                    i -> step.add(BigInteger.valueOf(i * 100L)).multiply(sign(i)),
                    TestChunkPacker::decimalVector);
        }
    }

    private static BigInteger sign(int i) {
        return BigInteger.valueOf(i % 3 - 1);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 256, 257, 2_000})
    void text(int distinct) {
        for (String prefix : List.of("", "long ".repeat(40))) {
            this.<String>check(
                    distinct,
                    i -> i == 0 ? prefix : prefix + i,
                    values -> {
                        BytesColumnVector vector = new BytesColumnVector(ROWS);
                        vector.initBuffer();
                        fill(
                                vector,
                                values,
                                (row, value) -> vector.setVal(row, value.getBytes(UTF_8)));
                        return vector;
                    });
        }
    }

    /** As ORC's dictionaries give it: the same place again and again, of several arrays. */
    @ParameterizedTest
    @ValueSource(ints = {3, 256, 300})
    void textByItsPlace(int distinct) {
        byte[][] stripes = new byte[2][];
        int[] starts = new int[distinct + 1];
        for (int stripe = 0; stripe < 2; stripe++) {
            StringBuilder all = new StringBuilder();
            for (int i = 0; i < distinct; i++) {
                starts[i] = all.length();
                all.append((char) ('a' + stripe)).append(1_000 + i);
            }
            starts[distinct] = all.length();
            stripes[stripe] = all.toString().getBytes(UTF_8);
        }
        BytesColumnVector vector = new BytesColumnVector(ROWS);
        List<@Nullable Object> expected = new ArrayList<>();
        for (int row = 0; row < ROWS; row++) {
            byte[] stripe = stripes[row * 2 / ROWS];
            int entry = row * 7 % distinct;
            int length = starts[entry + 1] - starts[entry];
            vector.setRef(row, stripe, starts[entry], length);
            expected.add(new String(stripe, starts[entry], length, UTF_8));
        }
        assertThat(values(packer.pack(vector, ROWS, 0))).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aVectorOfOneValue(boolean isNull) {
        LongColumnVector vector = new LongColumnVector(ROWS);
        vector.isRepeating = true;
        vector.vector[0] = 5;
        vector.noNulls = !isNull;
        vector.isNull[0] = isNull;
        ColumnChunk chunk = packer.pack(vector, ROWS, 0);
        assertThat(chunk.valueCount()).isOne();
        assertThat(values(chunk))
                .hasSize(ROWS)
                .allSatisfy(value -> assertThat(value).isEqualTo(isNull ? null : 5L));
    }

    // ---- chunks of values of which there are so many

    private interface Setter<T> {
        void set(int row, T value);
    }

    private interface Maker<T> {
        ColumnVector vector(List<@Nullable T> values);
    }

    private <T> void check(int distinct, IntFunction<T> value, Maker<T> maker) {
        for (boolean nulls : new boolean[] {false, true}) {
            Random random = new Random(distinct);
            List<@Nullable T> values = new ArrayList<>();
            for (int row = 0; row < ROWS; row++) {
                boolean isNull = nulls && random.nextInt(4) == 0;
                values.add(isNull ? null : value.apply(row < distinct ? row : row % distinct));
            }
            ColumnChunk chunk = packer.pack(maker.vector(values), ROWS, SCALE);
            List<Object> bits = new ArrayList<>();
            values.forEach(present -> bits.add(bits(present)));
            assertThat(values(chunk)).as("%s values, nulls %s", distinct, nulls).isEqualTo(bits);
            assertThat(chunk.rowCount()).isEqualTo(ROWS);
            boolean isFew = bits.stream().distinct().count() <= ColumnChunk.MAX_ENTRIES;
            assertThat(chunk.ids().isPresent()).as("%s values", distinct).isEqualTo(isFew);
            assertThat(chunk.retainedBytes()).isPositive();
        }
    }

    private static @Nullable Object bits(@Nullable Object value) {
        return value instanceof Double number ? (Object) Double.doubleToRawLongBits(number) : value;
    }

    private static <T> void fill(ColumnVector vector, List<@Nullable T> values, Setter<T> setter) {
        for (int row = 0; row < values.size(); row++) {
            T value = values.get(row);
            vector.isNull[row] = value == null;
            if (value == null) {
                vector.noNulls = false;
            } else {
                setter.set(row, value);
            }
        }
    }

    private static ColumnVector longVector(List<@Nullable Long> values) {
        LongColumnVector vector = new LongColumnVector(ROWS);
        java.util.Arrays.fill(vector.vector, 77); // what is left where nulls are
        fill(vector, values, (row, value) -> vector.vector[row] = value);
        return vector;
    }

    private static ColumnVector decimalVector(List<@Nullable BigInteger> values) {
        DecimalColumnVector vector = new DecimalColumnVector(ROWS, 38, SCALE);
        fill(
                vector,
                values,
                (row, value) -> vector.vector[row].set(HiveDecimal.create(value, SCALE)));
        return vector;
    }

    /** The value of every row: a long, a double's bits, an unscaled number or text. */
    private static List<@Nullable Object> values(ColumnChunk chunk) {
        boolean[] nulls = chunk.nulls().orElseGet(() -> new boolean[chunk.valueCount()]);
        List<@Nullable Object> values =
                new ArrayList<>(
                        IntStream.range(0, chunk.valueCount())
                                .mapToObj(i -> nulls[i] ? null : value(chunk, i))
                                .toList());
        if (chunk.ids().isEmpty()) {
            return values;
        }
        List<@Nullable Object> rows = new ArrayList<>();
        for (byte id : chunk.ids().get()) {
            rows.add(values.get(id & 0xFF));
        }
        return rows;
    }

    private static Object value(ColumnChunk chunk, int index) {
        long[] room = new long[ColumnChunk.MAX_ROWS];
        return switch (chunk.form()) {
            case LONGS -> chunk.longs(room)[index];
            case DOUBLES -> Double.doubleToRawLongBits(chunk.doubles()[index]);
            case INT128 -> {
                long low = chunk.longs(room)[index];
                long high = chunk.highs().map(all -> all[index]).orElse(low >> 63);
                yield BigInteger.valueOf(high)
                        .shiftLeft(64)
                        .add(new BigInteger(Long.toUnsignedString(low)));
            }
            case TEXT ->
                    new String(
                            chunk.text(),
                            chunk.starts()[index],
                            chunk.starts()[index + 1] - chunk.starts()[index],
                            UTF_8);
        };
    }
}
