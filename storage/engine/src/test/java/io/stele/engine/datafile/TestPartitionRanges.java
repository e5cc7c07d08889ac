package io.stele.engine.datafile;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.manifest.PartitionFilter.Range;
import io.stele.protocol.predicate.ColumnDomain;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.predicate.ValueRange;
import io.stele.protocol.row.KeyEncoder;
import io.stele.protocol.row.ValueCodec;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableSchema;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Ranges of partitions beside the test of each partition. */
final class TestPartitionRanges {
    private static final List<String> TEXTS = List.of("", "a", "a\0", "a\0b", "ab", "b", "\u00ff");

    private static final TableSchema TABLE =
            TableSchema.builder("s", "t")
                    .columns(
                            List.of(
                                    new ColumnSchema(1, "region", DataType.parse("varchar")),
                                    new ColumnSchema(2, "day", DataType.parse("integer")),
                                    new ColumnSchema(3, "kind", DataType.parse("varchar")),
                                    new ColumnSchema(4, "v", DataType.parse("bigint"))))
                    .primaryKey(List.of())
                    .distributionKey(List.of())
                    .partitionedBy(List.of(1, 2, 3))
                    .orientation(Orientation.COLUMN)
                    .shardCount(1)
                    .build();

    private final KeyEncoder encoder = KeyEncoder.forColumns(TABLE, TABLE.partitionedBy());

    private static byte[] value(int column, Random random) {
        ValueCodec codec = ValueCodec.of(TABLE.columns().get(column - 1).type());
        return codec.encodeObject(
                column == 2
                        ? (Object) (random.nextInt(20) - 10)
                        : TEXTS.get(random.nextInt(TEXTS.size())));
    }

    private byte[] partition(Random random) {
        List<Optional<byte[]>> values = new ArrayList<>();
        for (int column = 1; column <= 3; column++) {
            values.add(
                    random.nextInt(8) == 0 ? Optional.empty() : Optional.of(value(column, random)));
        }
        return encoder.join(values);
    }

    private static ColumnDomain domain(int column, Random random) {
        boolean nullAllowed = random.nextInt(4) == 0;
        TreeSet<byte[]> values = new TreeSet<>(Arrays::compareUnsigned);
        for (int i = random.nextInt(5); i >= 0; i--) {
            values.add(value(column, random));
        }
        List<ValueRange> ranges = new ArrayList<>();
        if (random.nextBoolean()) {
            values.forEach(one -> ranges.add(ValueRange.equal(one)));
        } else if (random.nextInt(8) > 0) {
            ranges.add(
                    new ValueRange(
                            random.nextInt(3) == 0 ? Optional.empty() : Optional.of(values.first()),
                            random.nextBoolean(),
                            random.nextInt(3) == 0 ? Optional.empty() : Optional.of(values.last()),
                            random.nextBoolean()));
        }
        return new ColumnDomain(nullAllowed, ranges);
    }

    private static boolean isIn(byte[] partition, Range range) {
        return Arrays.compareUnsigned(partition, range.lower()) >= 0
                && (range.upper().isEmpty()
                        || Arrays.compareUnsigned(partition, range.upper().get()) < 0);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void noPartitionThatMatchesIsOutside(long seed) {
        Random random = new Random(seed);
        TreeSet<byte[]> partitions = new TreeSet<>(Arrays::compareUnsigned);
        for (int i = 0; i < 500; i++) {
            partitions.add(partition(random));
        }
        int exact = 0;
        for (int round = 0; round < 300; round++) {
            Map<Integer, ColumnDomain> domains = new HashMap<>();
            for (int column = 1; column <= 3; column++) {
                if (random.nextInt(3) > 0) {
                    domains.put(column, domain(column, random));
                }
            }
            PartitionMatcher matcher = new PartitionMatcher(TABLE, new ScanPredicate(domains));
            List<Range> ranges = matcher.ranges();
            for (int i = 1; i < ranges.size(); i++) {
                assertThat(
                                Arrays.compareUnsigned(
                                        ranges.get(i - 1).upper().orElseThrow(),
                                        ranges.get(i).lower()))
                        .as("seed %s: ranges ascend", seed)
                        .isLessThanOrEqualTo(0);
            }
            long tested = 0;
            long matching = 0;
            for (byte[] partition : partitions) {
                boolean isInRange = ranges.stream().anyMatch(range -> isIn(partition, range));
                boolean matches = matcher.matches(partition);
                assertThat(isInRange || !matches)
                        .as("seed %s: %s of %s", seed, encoder.decode(partition), domains)
                        .isTrue();
                tested += isInRange ? 1 : 0;
                matching += matches ? 1 : 0;
            }
            exact += tested == matching ? 1 : 0;
        }
        assertThat(exact).as("predicates whose ranges have nothing else").isGreaterThan(50);
    }

    @Test
    void manyCombinationsAreFewRanges() {
        List<ValueRange> days = new ArrayList<>();
        ValueCodec codec = ValueCodec.of(DataType.parse("integer"));
        for (int day = 0; day < 2_000; day++) {
            days.add(ValueRange.equal(codec.encodeObject(day)));
        }
        ColumnDomain regions =
                ColumnDomain.of(
                        ValueRange.equal(
                                ValueCodec.of(DataType.parse("varchar")).encodeObject("a")),
                        ValueRange.equal(
                                ValueCodec.of(DataType.parse("varchar")).encodeObject("b")));
        PartitionMatcher matcher =
                new PartitionMatcher(
                        TABLE,
                        new ScanPredicate(Map.of(1, regions, 2, new ColumnDomain(true, days))));
        assertThat(matcher.ranges()).as("days and null, of each region").hasSize(4);
    }

    @Test
    void aValueThatNoPartitionCanHaveIsNoFailure() {
        byte[] longText =
                ValueCodec.of(DataType.parse("varchar")).encodeObject("x".repeat(100_000));
        PartitionMatcher matcher =
                new PartitionMatcher(
                        TABLE,
                        new ScanPredicate(Map.of(1, ColumnDomain.of(ValueRange.equal(longText)))));
        assertThat(matcher.ranges()).as("it is in none").isEmpty();
        assertThat(matcher.matches(partition(new Random(1)))).isFalse();
        PartitionMatcher above =
                new PartitionMatcher(
                        TABLE,
                        new ScanPredicate(
                                Map.of(1, ColumnDomain.of(ValueRange.greaterThan(longText)))));
        assertThat(above.ranges()).as("any may be above it").hasSize(1);
        assertThat(above.ranges().getFirst().upper()).isEmpty();
    }
}
