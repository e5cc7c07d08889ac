package io.stele.protocol.predicate;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.protocol.row.ValueCodec;
import io.stele.protocol.schema.DataType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** When statistics prove that every row is of interest. */
final class TestColumnDomain {
    private static final ValueCodec BIGINT = ValueCodec.of(DataType.parse("bigint"));
    private static final int ROWS = 10;

    private static ColumnStats stats(long min, long max, long nulls, boolean hasNaN) {
        return new ColumnStats(
                Optional.of(BIGINT.encodeLong(min)),
                Optional.of(BIGINT.encodeLong(max)),
                nulls,
                hasNaN);
    }

    private static byte[] value(long value) {
        return BIGINT.encodeLong(value);
    }

    @Test
    void boundsInsideOneRangeProveIt() {
        ColumnDomain range =
                ColumnDomain.of(
                        new ValueRange(Optional.of(value(3)), true, Optional.of(value(7)), false));
        assertThat(range.containsAll(stats(3, 6, 0, false), ROWS)).isTrue();
        assertThat(range.containsAll(stats(3, 7, 0, false), ROWS)).isFalse();
        assertThat(range.containsAll(stats(2, 6, 0, false), ROWS)).isFalse();
        ColumnDomain pieces =
                ColumnDomain.of(ValueRange.atMost(value(4)), ValueRange.atLeast(value(5)));
        assertThat(pieces.containsAll(stats(3, 6, 0, false), ROWS)).isFalse(); // what is between?
        assertThat(pieces.containsAll(stats(5, 6, 0, false), ROWS)).isTrue();
    }

    @Test
    void nullsAndNaNProveNothing() {
        ColumnDomain range = ColumnDomain.of(ValueRange.atLeast(value(3)));
        assertThat(range.containsAll(stats(3, 6, 1, false), ROWS)).isFalse();
        assertThat(range.containsAll(stats(3, 6, -1, false), ROWS)).isFalse();
        assertThat(range.containsAll(stats(3, 6, 0, true), ROWS)).isFalse();
        assertThat(ColumnDomain.notNull().containsAll(stats(3, 6, 0, true), ROWS)).isTrue();
        assertThat(ColumnDomain.notNull().containsAll(stats(3, 6, 1, true), ROWS)).isFalse();
        ColumnDomain orNull = new ColumnDomain(true, List.of(ValueRange.atLeast(value(3))));
        assertThat(orNull.containsAll(stats(3, 6, 1, false), ROWS)).isTrue();
        assertThat(orNull.containsAll(stats(2, 6, 1, false), ROWS)).isFalse();
    }

    @Test
    void nullsAloneProveWhatAllowsThem() {
        ColumnStats nulls = new ColumnStats(Optional.empty(), Optional.empty(), ROWS, false);
        assertThat(ColumnDomain.onlyNull().containsAll(nulls, ROWS)).isTrue();
        assertThat(ColumnDomain.notNull().containsAll(nulls, ROWS)).isFalse();
        assertThat(ColumnDomain.onlyNull().containsAll(stats(3, 6, 5, false), ROWS)).isFalse();
        assertThat(ColumnDomain.of(ValueRange.all()).containsAll(ColumnStats.UNKNOWN, ROWS))
                .isFalse();
    }

    @Test
    void listsOfRangesAsOneRangeAfterTheOther() {
        Random random = new Random(7);
        for (int round = 0; round < 200; round++) {
            List<ValueRange> ranges = ranges(random);
            ColumnDomain domain = new ColumnDomain(false, ranges);
            for (long min = -1; min <= 41; min++) {
                long max = Math.min(41, min + random.nextInt(6));
                ColumnStats stats = stats(min, max, 0, false);
                byte[] first = value(min);
                byte[] last = value(max);
                assertThat(domain.contains(first))
                        .isEqualTo(ranges.stream().anyMatch(range -> range.contains(first)));
                assertThat(domain.mayMatch(stats, ROWS))
                        .isEqualTo(ranges.stream().anyMatch(range -> range.overlaps(first, last)));
                assertThat(domain.containsAll(stats, ROWS))
                        .isEqualTo(
                                ranges.stream()
                                        .anyMatch(
                                                range ->
                                                        range.contains(first)
                                                                && range.contains(last)));
            }
        }
    }

    /** Ranges from 0 to 40 that do not overlap, with and without their bounds, not in order. */
    private static List<ValueRange> ranges(Random random) {
        List<ValueRange> ranges = new ArrayList<>();
        for (long low = random.nextInt(5); low <= 40; low += 1 + random.nextInt(8)) {
            long high = Math.min(40, low + random.nextInt(6));
            boolean isSingle = low == high;
            ranges.add(
                    new ValueRange(
                            low == 0 ? Optional.empty() : Optional.of(value(low)),
                            isSingle || random.nextBoolean(),
                            high == 40 ? Optional.empty() : Optional.of(value(high)),
                            isSingle || random.nextBoolean()));
            low = high;
        }
        Collections.shuffle(ranges, random);
        return ranges;
    }
}
