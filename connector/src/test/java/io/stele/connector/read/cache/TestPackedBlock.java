package io.stele.connector.read.cache;

import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.DoubleType.DOUBLE;
import static io.trino.spi.type.IntegerType.INTEGER;
import static io.trino.spi.type.SmallintType.SMALLINT;
import static io.trino.spi.type.TinyintType.TINYINT;
import static io.trino.spi.type.VarcharType.VARCHAR;
import static org.assertj.core.api.Assertions.assertThat;

import io.airlift.slice.Slices;
import io.trino.spi.block.Block;
import io.trino.spi.block.BlockBuilder;
import io.trino.spi.block.DictionaryBlock;
import io.trino.spi.block.LongArrayBlock;
import io.trino.spi.block.RunLengthEncodedBlock;
import io.trino.spi.type.ArrayType;
import io.trino.spi.type.Type;
import io.trino.spi.type.TypeUtils;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class TestPackedBlock {
    private static final int POSITIONS = 8_192;

    @Test
    void testFewDistinctNumbersTakeAByteEach() {
        SplittableRandom random = new SplittableRandom(1);
        for (Type type : List.of(BIGINT, INTEGER, SMALLINT, TINYINT)) {
            for (int distinct : List.of(1, 2, 50, 128)) {
                List<@Nullable Object> values = new ArrayList<>();
                for (int position = 0; position < POSITIONS; position++) {
                    values.add((long) random.nextInt(distinct) - distinct / 2);
                }
                PackedBlock packed = assertComesBack(type, values);
                assertThat(packed).isInstanceOf(PackedBlock.Coded.class);
                assertThat(packed.retainedBytes()).isLessThan(POSITIONS + 10_000);
            }
        }
    }

    @Test
    void testDictionaryIsForFilters() {
        List<@Nullable Object> values = new ArrayList<>();
        for (int position = 0; position < POSITIONS; position++) {
            values.add(position % 11 / 100.0);
        }
        PackedBlock packed = assertComesBack(DOUBLE, values);
        assertThat(packed.unpack(false)).isInstanceOf(LongArrayBlock.class);
        Block block = packed.unpack(true);
        assertThat(block).isInstanceOf(DictionaryBlock.class);
        assertThat(((DictionaryBlock) block).getDictionary().getPositionCount()).isEqualTo(11);
    }

    @Test
    void testExactly256DistinctValuesAndOneMore() {
        List<@Nullable Object> values = new ArrayList<>();
        for (int position = 0; position < POSITIONS; position++) {
            values.add((long) position % 256);
        }
        assertThat(assertComesBack(BIGINT, values)).isInstanceOf(PackedBlock.Coded.class);
        values.set(POSITIONS - 1, 1_000L);
        assertThat(assertComesBack(BIGINT, values)).isInstanceOf(PackedNumbers.class);
        values.set(POSITIONS - 1, null);
        assertThat(assertComesBack(BIGINT, values)).isInstanceOf(PackedNumbers.class);
        values.replaceAll(value -> value != null && (long) value == 255 ? null : value);
        assertThat(assertComesBack(BIGINT, values)).isInstanceOf(PackedBlock.Coded.class);
    }

    @Test
    void testNullIsNoValue() {
        List<@Nullable Object> values = new ArrayList<>();
        for (int position = 0; position < POSITIONS; position++) {
            values.add(position % 3 == 0 ? null : (Object) 0L);
        }
        assertComesBack(BIGINT, values);
        values.replaceAll(_ -> null);
        assertComesBack(BIGINT, values);
    }

    @Test
    void testDoublesKeepTheirBits() {
        long[] bits = {
            Double.doubleToRawLongBits(0.0),
            Double.doubleToRawLongBits(-0.0),
            Double.doubleToRawLongBits(Double.NaN),
            0x7ff8_0000_0000_0001L, // another NaN
            Double.doubleToRawLongBits(Double.NEGATIVE_INFINITY)
        };
        Block block = new LongArrayBlock(bits.length, Optional.empty(), bits);
        for (boolean filtered : List.of(false, true)) {
            Block back = PackedBlock.pack(block, DOUBLE).orElseThrow().unpack(filtered);
            for (int position = 0; position < bits.length; position++) {
                assertThat(BIGINT.getLong(back, position)).isEqualTo(bits[position]);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "bigint, 65535, 2", "bigint, 65536, 3", "bigint, 16777215, 3", "bigint, 16777216, 4",
        "bigint, 4294967295, 4", "bigint, 4294967296, 8", "integer, 65535, 2", "integer, 65536, 4",
        "double, 65535, 2", "double, 16777216, 4", "double, 4294967296, 8"
    })
    void testNumbersThatLieNearEachOtherTakeFewBytes(String type, long distance, int bytes) {
        for (boolean withNulls : List.of(false, true)) {
            SplittableRandom random = new SplittableRandom(distance);
            List<@Nullable Object> values = new ArrayList<>();
            for (int position = 0; position < POSITIONS; position++) {
                long number = random.nextLong(distance + 1) - distance / 3;
                values.add(withNulls && position % 5 == 0 ? null : value(type, number));
            }
            values.set(1, value(type, -(distance / 3)));
            values.set(2, value(type, distance - distance / 3));
            PackedBlock packed = assertComesBack(type(type), values);
            int size = type.equals("integer") ? Integer.BYTES : Long.BYTES;
            if (bytes == size) {
                assertThat(packed).isInstanceOf(PackedBlock.Plain.class);
            } else {
                assertThat(packed.retainedBytes())
                        .isBetween(
                                (long) POSITIONS * bytes,
                                (long) POSITIONS * bytes
                                        + (withNulls ? POSITIONS / Byte.SIZE : 0)
                                        + 200);
            }
        }
    }

    private static Type type(String name) {
        return switch (name) {
            case "bigint" -> BIGINT;
            case "integer" -> INTEGER;
            default -> DOUBLE;
        };
    }

    /** Doubles have two digits behind the point. */
    private static Object value(String type, long number) {
        return type.equals("double") ? (Object) (number / 100.0) : (Object) number;
    }

    @Test
    void testNumbersFarApartStayAsTheyAre() {
        List<@Nullable Object> values = new ArrayList<>();
        for (int position = 0; position < POSITIONS; position++) {
            values.add(Math.sqrt(position));
        }
        Block doubles = block(DOUBLE, values);
        assertThat(PackedBlock.pack(doubles, DOUBLE).orElseThrow().unpack(false)).isSameAs(doubles);
        values.replaceAll(_ -> -0.0);
        for (int position = 0; position < 300; position++) {
            values.set(position, position * 0.5);
        }
        assertThat(assertComesBack(DOUBLE, values)).isInstanceOf(PackedBlock.Plain.class);
        values.clear();
        for (long position = 0; position < POSITIONS; position++) {
            values.add(position);
        }
        values.set(0, Long.MIN_VALUE);
        values.set(1, Long.MAX_VALUE);
        assertThat(assertComesBack(BIGINT, values)).isInstanceOf(PackedBlock.Plain.class);
        values.set(1, null);
        assertThat(assertComesBack(BIGINT, values)).isInstanceOf(PackedBlock.Plain.class);
    }

    @Test
    void testPartsOfLongerBlocksArePacked() {
        List<@Nullable Object> values = new ArrayList<>();
        for (long position = 0; position < POSITIONS; position++) {
            values.add(position % 11 == 0 ? null : (Object) (position * 3));
        }
        Block part = block(BIGINT, values).getRegion(1_000, 2_000);
        PackedBlock packed = PackedBlock.pack(part, BIGINT).orElseThrow();
        assertThat(packed).isInstanceOf(PackedNumbers.class);
        assertThat(values(BIGINT, packed.unpack(false))).isEqualTo(values.subList(1_000, 3_000));
    }

    @Test
    void testTextAndItsDictionaries() {
        List<@Nullable Object> flags = new ArrayList<>();
        List<@Nullable Object> words = new ArrayList<>();
        for (int position = 0; position < POSITIONS; position++) {
            flags.add(Slices.utf8Slice(position % 2 == 0 ? "A" : "N"));
            words.add(Slices.utf8Slice("word " + position % 7));
        }
        assertThat(assertComesBack(VARCHAR, flags)).isInstanceOf(PackedBlock.Coded.class);
        assertThat(assertComesBack(VARCHAR, words)).isInstanceOf(PackedBlock.Plain.class);

        Block dictionary = block(VARCHAR, words);
        int[] ids = new int[POSITIONS];
        for (int position = 0; position < POSITIONS; position++) {
            ids[position] = position % 200;
        }
        Block block = DictionaryBlock.create(POSITIONS, dictionary, ids);
        PackedBlock packed = PackedBlock.pack(block, VARCHAR).orElseThrow();
        assertThat(values(VARCHAR, packed.unpack(false))).isEqualTo(values(VARCHAR, block));
        // 200 words and a byte each, not the dictionary of 8,192
        assertThat(packed.retainedBytes()).isLessThan(20_000);
        for (int position = 0; position < POSITIONS; position++) {
            ids[position] = position % 257;
        }
        assertThat(PackedBlock.pack(DictionaryBlock.create(POSITIONS, dictionary, ids), VARCHAR))
                .isEmpty();
    }

    @Test
    void testRunsPartsAndNestedValues() {
        Block run = RunLengthEncodedBlock.create(BIGINT, 7L, 100);
        assertThat(values(BIGINT, PackedBlock.pack(run, BIGINT).orElseThrow().unpack(false)))
                .containsOnly(7L)
                .hasSize(100);
        Block part = block(BIGINT, List.of(1L, 2L, 3L, 2L)).getRegion(1, 3);
        assertThat(values(BIGINT, PackedBlock.pack(part, BIGINT).orElseThrow().unpack(false)))
                .containsExactly(2L, 3L, 2L);
        Type arrays = new ArrayType(BIGINT);
        Block array = arrays.createBlockBuilder(null, 1).appendNull().build();
        assertThat(PackedBlock.pack(array, arrays)).isEmpty();
    }

    private static PackedBlock assertComesBack(Type type, List<@Nullable Object> values) {
        PackedBlock packed = PackedBlock.pack(block(type, values), type).orElseThrow();
        assertThat(values(type, packed.unpack(false))).isEqualTo(values);
        assertThat(values(type, packed.unpack(true))).isEqualTo(values);
        int[] positions = IntStream.range(0, values.size()).filter(at -> at % 7 != 3).toArray();
        List<@Nullable Object> some = IntStream.of(positions).mapToObj(values::get).toList();
        for (boolean filtered : List.of(false, true)) {
            Block block = packed.unpack(filtered, positions);
            assertThat(values(type, block)).isEqualTo(some);
            if (type != VARCHAR) { // numbers do not hide behind the positions
                assertThat(block.getClass()).isEqualTo(packed.unpack(filtered).getClass());
            }
        }
        return packed;
    }

    private static Block block(Type type, List<? extends @Nullable Object> values) {
        BlockBuilder builder = type.createBlockBuilder(null, values.size());
        values.forEach(value -> TypeUtils.writeNativeValue(type, builder, value));
        return builder.build();
    }

    private static List<@Nullable Object> values(Type type, Block block) {
        List<@Nullable Object> values = new ArrayList<>();
        for (int position = 0; position < block.getPositionCount(); position++) {
            values.add(TypeUtils.readNativeValue(type, block, position));
        }
        return values;
    }
}
