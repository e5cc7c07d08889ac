package io.stele.protocol.predicate;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.protocol.row.ValueCodec;
import io.stele.protocol.schema.DataType;
import java.util.List;
import java.util.Optional;
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
}
