package io.stele.protocol.predicate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.protocol.SteleException;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.RandomValues;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.row.Rows;
import io.stele.protocol.row.ValueCodec;
import io.stele.protocol.row.ValueOrder;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.SchemaJson;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The oracle is the comparison of Java values; statistics may err only towards reading more. */
final class TestScanPredicate {
    private static final List<ColumnSchema> COLUMNS =
            RandomValues.columns(RandomValues.ORDERABLE_TYPES);
    private static final RowLayout LAYOUT = RowLayout.of(COLUMNS);

    /** A range in Java values. */
    private record Bound(
            @Nullable Object low,
            boolean lowInclusive,
            @Nullable Object high,
            boolean highInclusive) {
        boolean contains(DataType type, Object value) {
            boolean isNaN = value.equals(Double.NaN) || value.equals(Float.NaN);
            if (isNaN) {
                return low == null && high == null;
            }
            int toLow = low == null ? 1 : ValueOrder.compare(type, value, low);
            int toHigh = high == null ? -1 : ValueOrder.compare(type, value, high);
            return (toLow > 0 || (toLow == 0 && lowInclusive))
                    && (toHigh < 0 || (toHigh == 0 && highInclusive));
        }

        ValueRange encoded(ValueCodec codec) {
            return new ValueRange(
                    Optional.ofNullable(low).map(codec::encodeObject),
                    lowInclusive,
                    Optional.ofNullable(high).map(codec::encodeObject),
                    highInclusive);
        }
    }

    private static Bound randomBound(DataType type, RandomValues values, Random random) {
        Object first = values.value(type);
        if (random.nextInt(4) == 0) {
            return new Bound(first, true, first, true);
        }
        Object second = values.value(type);
        boolean ordered = ValueOrder.compare(type, first, second) <= 0;
        Object low = ordered ? first : second;
        Object high = ordered ? second : first;
        return new Bound(
                random.nextInt(4) == 0 ? null : low,
                random.nextBoolean(),
                random.nextInt(4) == 0 ? null : high,
                random.nextBoolean());
    }

    @Test
    void rowsAndStatisticsAgreeWithValues() {
        Random random = new Random(31);
        RandomValues values = new RandomValues(random);
        int matched = 0;
        int pruned = 0;
        for (int round = 0; round < 3_000; round++) {
            int index = random.nextInt(COLUMNS.size());
            DataType type = COLUMNS.get(index).type();
            Bound bound = randomBound(type, values, random);
            boolean nullAllowed = random.nextInt(4) == 0;
            ColumnDomain domain =
                    new ColumnDomain(nullAllowed, List.of(bound.encoded(ValueCodec.of(type))));
            ScanPredicate predicate = new ScanPredicate(Map.of(index + 1, domain));
            RowMatcher matcher = predicate.matcher(LAYOUT);
            StatsCollector collector = new StatsCollector(LAYOUT);
            boolean anyMatches = false;
            for (int i = 0; i < 1 + random.nextInt(5); i++) {
                List<@Nullable Object> row = values.row(COLUMNS);
                Object value = row.get(index);
                boolean expected = value == null ? nullAllowed : bound.contains(type, value);
                BinaryRow view = new BinaryRow(LAYOUT).wrap(Rows.toBytes(LAYOUT, row.toArray()));
                assertThat(matcher.matches(view)).as("%s in %s", value, bound).isEqualTo(expected);
                collector.add(view);
                anyMatches |= expected;
            }
            boolean mayMatch = predicate.mayMatch(collector.stats(), collector.rowCount());
            if (anyMatches) {
                assertThat(mayMatch).isTrue();
                matched++;
            } else if (!mayMatch) {
                pruned++;
            }
        }
        assertThat(matched).isGreaterThan(500);
        assertThat(pruned).isGreaterThan(500);
    }

    @Test
    void manyRangesAreSearched() {
        ValueCodec codec = ValueCodec.of(DataType.parse("bigint"));
        ValueCodec text = ValueCodec.of(DataType.parse("varchar"));
        List<ValueRange> numbers = new ArrayList<>();
        List<ValueRange> names = new ArrayList<>();
        for (int i = 999; i >= 0; i--) {
            numbers.add(ValueRange.equal(codec.encodeLong(i * 3L)));
            names.add(ValueRange.equal(text.encodeObject("n" + i * 3)));
        }
        RowLayout layout = RowLayout.of(RandomValues.columns(List.of("bigint", "varchar")));
        RowMatcher matcher =
                new ScanPredicate(
                                Map.of(
                                        1,
                                        new ColumnDomain(false, numbers),
                                        2,
                                        new ColumnDomain(true, names)))
                        .matcher(layout);
        for (long i = -3; i < 3_010; i++) {
            boolean expected = i >= 0 && i < 3_000 && i % 3 == 0;
            BinaryRow row = new BinaryRow(layout).wrap(Rows.toBytes(layout, i, "n" + i));
            assertThat(matcher.matches(row)).isEqualTo(expected);
            BinaryRow withNull = new BinaryRow(layout).wrap(Rows.toBytes(layout, i, null));
            assertThat(matcher.matches(withNull)).isEqualTo(expected);
        }
    }

    @Test
    void boundsAtTheEndsOfTheType() {
        ValueCodec codec = ValueCodec.of(DataType.parse("bigint"));
        RowLayout layout = RowLayout.of(RandomValues.columns(List.of("bigint")));
        BinaryRow max = new BinaryRow(layout).wrap(Rows.toBytes(layout, Long.MAX_VALUE));
        BinaryRow min = new BinaryRow(layout).wrap(Rows.toBytes(layout, Long.MIN_VALUE));
        assertThat(matches(ValueRange.greaterThan(codec.encodeLong(Long.MAX_VALUE)), max))
                .isFalse();
        assertThat(matches(ValueRange.lessThan(codec.encodeLong(Long.MIN_VALUE)), min)).isFalse();
        assertThat(matches(ValueRange.atLeast(codec.encodeLong(Long.MAX_VALUE)), max)).isTrue();
        assertThat(matches(ValueRange.atMost(codec.encodeLong(Long.MIN_VALUE)), min)).isTrue();
        assertThat(matches(ValueRange.all(), min)).isTrue();
    }

    private static boolean matches(ValueRange range, BinaryRow row) {
        return new ScanPredicate(Map.of(1, ColumnDomain.of(range))).matches(row);
    }

    @Test
    void columnsWithoutOrderAndUnknownColumnsKeepRows() {
        RowLayout layout = RowLayout.of(RandomValues.columns(List.of("json", "array(bigint)")));
        BinaryRow row = new BinaryRow(layout).wrap(Rows.toBytes(layout, "{}", null));
        Map<Integer, ColumnDomain> domains = new HashMap<>();
        domains.put(1, ColumnDomain.of(ValueRange.equal(new byte[] {1})));
        domains.put(77, ColumnDomain.onlyNull());
        domains.put(-1, ColumnDomain.onlyNull());
        assertThat(new ScanPredicate(domains).matches(row)).isTrue();
        assertThat(new ScanPredicate(Map.of(1, ColumnDomain.onlyNull())).matches(row)).isFalse();
        assertThat(new ScanPredicate(Map.of(2, ColumnDomain.onlyNull())).matches(row)).isTrue();
        assertThat(new ScanPredicate(Map.of(2, ColumnDomain.notNull())).matches(row)).isFalse();
    }

    @Test
    void unknownStatisticsKeepFiles() {
        ColumnDomain domain = ColumnDomain.of(ValueRange.equal(new byte[] {5}));
        assertThat(domain.mayMatch(ColumnStats.UNKNOWN, 10)).isTrue();
        assertThat(ColumnDomain.onlyNull().mayMatch(ColumnStats.UNKNOWN, 10)).isTrue();
        ColumnStats noNulls =
                new ColumnStats(Optional.of(new byte[] {5}), Optional.of(new byte[] {6}), 0, false);
        assertThat(ColumnDomain.onlyNull().mayMatch(noNulls, 10)).isFalse();
        assertThat(domain.mayMatch(noNulls, 10)).isTrue();
        assertThat(ColumnDomain.of(ValueRange.lessThan(new byte[] {5})).mayMatch(noNulls, 10))
                .isFalse();
        assertThat(ColumnDomain.of(ValueRange.greaterThan(new byte[] {6})).mayMatch(noNulls, 10))
                .isFalse();
        assertThat(new ScanPredicate(Map.of(1, domain)).mayMatch(Map.of(), 10)).isTrue();
        assertThat(new ScanPredicate(Map.of(1, domain)).mayMatch(Map.of(1, noNulls), 0)).isFalse();
    }

    @Test
    void longBoundsAreCutOutwards() {
        RowLayout layout = RowLayout.of(RandomValues.columns(List.of("varbinary")));
        for (byte fill : new byte[] {'a', (byte) 0xFF}) {
            byte[] value = new byte[500];
            java.util.Arrays.fill(value, fill);
            StatsCollector collector = new StatsCollector(layout);
            collector.add(new BinaryRow(layout).wrap(Rows.toBytes(layout, (Object) value)));
            collector.add(
                    new BinaryRow(layout).wrap(Rows.toBytes(layout, (Object) new byte[] {'a'})));
            Map<Integer, ColumnStats> stats = collector.stats();
            assertThat(
                            new ScanPredicate(Map.of(1, ColumnDomain.of(ValueRange.equal(value))))
                                    .mayMatch(stats, 2))
                    .isTrue();
            Optional<byte[]> max = stats.get(1).max();
            assertThat(max.map(bound -> bound.length).orElse(0))
                    .isLessThanOrEqualTo(StatsCollector.MAX_BOUND_BYTES);
            assertThat(max.isPresent()).isEqualTo(fill == 'a');
        }
    }

    @Test
    void mergedStatisticsCoverBothParts() {
        Random random = new Random(17);
        RandomValues values = new RandomValues(random);
        for (int round = 0; round < 300; round++) {
            StatsCollector all = new StatsCollector(LAYOUT);
            StatsCollector left = new StatsCollector(LAYOUT);
            StatsCollector right = new StatsCollector(LAYOUT);
            int rows = random.nextInt(5);
            for (int i = 0; i < rows; i++) {
                BinaryRow row =
                        new BinaryRow(LAYOUT)
                                .wrap(Rows.toBytes(LAYOUT, values.row(COLUMNS).toArray()));
                all.add(row);
                (random.nextBoolean() ? left : right).add(row);
            }
            for (ColumnSchema column : COLUMNS) {
                int id = column.id();
                ColumnStats merged =
                        left.stats()
                                .get(id)
                                .merge(left.rowCount(), right.stats().get(id), right.rowCount());
                ColumnStats expected = all.stats().get(id);
                assertThat(merged.nullCount()).isEqualTo(expected.nullCount());
                assertThat(merged.hasNaN()).isEqualTo(expected.hasNaN());
                if (merged.min().isPresent()) {
                    assertThat(merged).isEqualTo(expected);
                }
            }
        }
    }

    @Test
    void jsonRoundTrip() throws Exception {
        ValueCodec codec = ValueCodec.of(DataType.parse("varchar"));
        ScanPredicate predicate =
                new ScanPredicate(
                        Map.of(
                                3,
                                new ColumnDomain(
                                        true,
                                        List.of(
                                                ValueRange.lessThan(codec.encodeObject("b")),
                                                ValueRange.equal(codec.encodeObject("c")))),
                                -1,
                                ColumnDomain.notNull()));
        String json = SchemaJson.mapper().writeValueAsString(predicate);
        assertThat(SchemaJson.mapper().readValue(json, ScanPredicate.class)).isEqualTo(predicate);
        assertThat(SchemaJson.mapper().readValue("{\"domains\":{}}", ScanPredicate.class))
                .isEqualTo(ScanPredicate.ALL);
        ColumnStats stats =
                new ColumnStats(Optional.of(new byte[] {1, 2}), Optional.empty(), -1, true);
        String statsJson = SchemaJson.mapper().writeValueAsString(stats);
        assertThat(statsJson)
                .isEqualTo("{\"min\":\"AQI=\",\"max\":null,\"nullCount\":-1,\"hasNaN\":true}");
        assertThat(SchemaJson.mapper().readValue(statsJson, ColumnStats.class)).isEqualTo(stats);
    }

    @Test
    void overlappingRangesAreRefused() {
        byte[] one = {1};
        byte[] two = {2};
        assertThatThrownBy(() -> ColumnDomain.of(ValueRange.atMost(two), ValueRange.atLeast(one)))
                .isInstanceOf(SteleException.class);
        assertThatThrownBy(() -> ColumnDomain.of(ValueRange.atMost(one), ValueRange.atLeast(one)))
                .isInstanceOf(SteleException.class);
        assertThat(ColumnDomain.of(ValueRange.greaterThan(one), ValueRange.atMost(one)).ranges())
                .hasSize(2);
    }
}
