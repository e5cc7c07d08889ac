package io.stele.connector.read;

import static io.trino.spi.type.BigintType.BIGINT;
import static org.assertj.core.api.Assertions.assertThat;

import io.trino.spi.block.Block;
import io.trino.spi.block.BlockBuilder;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.Range;
import io.trino.spi.predicate.ValueSet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TestBlockFilter {
    private static final long[] EDGES = {
        Long.MIN_VALUE, Long.MIN_VALUE + 1, -1, 0, 1, 2, 3, 10, Long.MAX_VALUE - 1, Long.MAX_VALUE
    };

    /** Random ranges of a few values, their ends included or not: what the domain says. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void keepsTheValuesOfTheDomain(long seed) {
        Random random = new Random(seed);
        BlockBuilder builder = BIGINT.createBlockBuilder(null, EDGES.length + 1);
        Arrays.stream(EDGES).forEach(value -> BIGINT.writeLong(builder, value));
        Block block = builder.appendNull().build();
        for (int round = 0; round < 2_000; round++) {
            List<Range> ranges = new ArrayList<>();
            for (int i = random.nextInt(5); i >= 0; i--) {
                ranges.add(range(random));
            }
            Domain domain =
                    Domain.create(
                            ValueSet.ofRanges(ranges.getFirst(), ranges.toArray(Range[]::new)),
                            random.nextBoolean());
            int[] positions = IntStream.range(0, block.getPositionCount()).toArray();
            int kept = new BlockFilter(domain).select(block, positions, positions.length);
            List<Integer> expected = new ArrayList<>();
            for (int position = 0; position < block.getPositionCount(); position++) {
                Long value = block.isNull(position) ? null : BIGINT.getLong(block, position);
                if (domain.includesNullableValue(value)) {
                    expected.add(position);
                }
            }
            assertThat(Arrays.stream(positions, 0, kept).boxed().toList())
                    .as("%s", domain)
                    .isEqualTo(expected);
        }
    }

    private static Range range(Random random) {
        long one = EDGES[random.nextInt(EDGES.length)];
        long other = EDGES[random.nextInt(EDGES.length)];
        long low = Math.min(one, other);
        long high = Math.max(one, other);
        return switch (random.nextInt(5)) {
            case 0 -> Range.equal(BIGINT, low);
            case 1 -> Range.greaterThan(BIGINT, low);
            case 2 -> Range.lessThanOrEqual(BIGINT, high);
            default ->
                    low == high
                            ? Range.equal(BIGINT, low)
                            : Range.range(
                                    BIGINT, low, random.nextBoolean(), high, random.nextBoolean());
        };
    }
}
