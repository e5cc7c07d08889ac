package io.stele.connector.read.page;

import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.DateType.DATE;
import static io.trino.spi.type.IntegerType.INTEGER;
import static io.trino.spi.type.SmallintType.SMALLINT;
import static io.trino.spi.type.TimestampType.TIMESTAMP_MICROS;
import static io.trino.spi.type.TinyintType.TINYINT;
import static org.assertj.core.api.Assertions.assertThat;

import io.trino.spi.block.Block;
import io.trino.spi.block.BlockBuilder;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.Range;
import io.trino.spi.predicate.ValueSet;
import io.trino.spi.type.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TestBlockFilter {
    /**
     * Random ranges of a few values, their ends included or not: what the domain says, of blocks
     * with nulls and without, and of parts of blocks.
     */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void keepsTheValuesOfTheDomain(long seed) {
        Random random = new Random(seed);
        for (Type type : List.of(BIGINT, TIMESTAMP_MICROS, INTEGER, DATE, SMALLINT, TINYINT)) {
            long[] edges = edges(type);
            List<Block> blocks = new ArrayList<>();
            BlockBuilder builder = type.createBlockBuilder(null, edges.length + 1);
            Arrays.stream(edges).forEach(value -> type.writeLong(builder, value));
            blocks.add(builder.build());
            blocks.add(builder.appendNull().build());
            blocks.add(blocks.getFirst().getRegion(2, edges.length - 3));
            for (int round = 0; round < 500; round++) {
                List<Range> ranges = new ArrayList<>();
                for (int i = random.nextInt(5); i >= 0; i--) {
                    ranges.add(range(type, edges, random));
                }
                Domain domain =
                        Domain.create(
                                ValueSet.ofRanges(ranges.getFirst(), ranges.toArray(Range[]::new)),
                                random.nextBoolean());
                blocks.forEach(block -> assertKeeps(domain, block));
            }
        }
    }

    private static void assertKeeps(Domain domain, Block block) {
        // Some were left out by another column before
        int[] positions =
                IntStream.range(0, block.getPositionCount()).filter(at -> at != 4).toArray();
        List<Integer> expected = new ArrayList<>();
        for (int position : positions) {
            Long value = block.isNull(position) ? null : domain.getType().getLong(block, position);
            if (domain.includesNullableValue(value)) {
                expected.add(position);
            }
        }
        int kept = new BlockFilter(domain).select(block, positions, positions.length);
        assertThat(Arrays.stream(positions, 0, kept).boxed().toList())
                .as("%s", domain)
                .isEqualTo(expected);
    }

    /** The least and the greatest values of a type, and some between. */
    private static long[] edges(Type type) {
        Type.Range range =
                type.getRange().orElseGet(() -> new Type.Range(Long.MIN_VALUE, Long.MAX_VALUE));
        long min = (long) range.getMin();
        long max = (long) range.getMax();
        return new long[] {min, min + 1, -1, 0, 1, 2, 3, 10, max - 1, max};
    }

    private static Range range(Type type, long[] edges, Random random) {
        long one = edges[random.nextInt(edges.length)];
        long other = edges[random.nextInt(edges.length)];
        long low = Math.min(one, other);
        long high = Math.max(one, other);
        return switch (random.nextInt(5)) {
            case 0 -> Range.equal(type, low);
            case 1 -> Range.greaterThan(type, low);
            case 2 -> Range.lessThanOrEqual(type, high);
            default ->
                    low == high
                            ? Range.equal(type, low)
                            : Range.range(
                                    type, low, random.nextBoolean(), high, random.nextBoolean());
        };
    }
}
