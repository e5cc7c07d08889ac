package io.stele.protocol.predicate;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.protocol.row.ValueCodec;
import io.stele.protocol.schema.DataType;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class TestCanonicalRead {
    private static final long ROWS = 10;

    private static byte[] value(double value) {
        return ValueCodec.of(DataType.parse("double")).encodeDouble(value);
    }

    private static ColumnDomain atLeast(double low) {
        return ColumnDomain.of(
                new ValueRange(Optional.of(value(low)), true, Optional.empty(), false));
    }

    private static ColumnStats stats(double min, double max, long nulls, boolean hasNaN) {
        return new ColumnStats(Optional.of(value(min)), Optional.of(value(max)), nulls, hasNaN);
    }

    @Test
    void whatAllRowsSatisfyIsNotLeft() {
        ScanPredicate predicate = new ScanPredicate(Map.of(1, atLeast(0), 2, atLeast(5)));
        assertThat(left(predicate, stats(0, 1, 0, false), stats(5, 5, 0, false))).isEmpty();
        assertThat(left(predicate, stats(0, 1, 0, false), stats(4, 9, 0, false)))
                .containsExactly(2);
        assertThat(left(predicate, stats(0, 1, 1, false), stats(5, 9, 0, false)))
                .as("a null")
                .containsExactly(1);
        assertThat(left(predicate, stats(0, 1, 0, true), stats(5, 9, 0, false)))
                .as("NaN")
                .containsExactly(1);
        assertThat(left(predicate, stats(-0.5, 1, 0, false), stats(5, 9, -1, false)))
                .as("a value below, and nulls that nobody counted")
                .containsExactly(1, 2);
        assertThat(predicate.residual(Map.of(), ROWS)).isEqualTo(predicate);
        assertThat(predicate.residual(Map.of(), 0).isAll()).isTrue();
    }

    private static List<Integer> left(
            ScanPredicate predicate, ColumnStats first, ColumnStats second) {
        return List.copyOf(
                new TreeMap<>(predicate.residual(Map.of(1, first, 2, second), ROWS).domains())
                        .keySet());
    }

    @Test
    void theSameThingHasTheSameDigest() {
        CanonicalRead begun = new CanonicalRead(1).add("a").addJson(List.of(1, 2));
        String digest = begun.copy().addConditions(Map.of(1, atLeast(0), 20, atLeast(1))).digest();
        assertThat(digest).hasSize(64);
        assertThat(begun.copy().addConditions(Map.of(20, atLeast(1), 1, atLeast(0))).digest())
                .isEqualTo(digest);
        assertThat(
                        List.of(
                                begun.digest(),
                                begun.copy().addConditions(Map.of(1, atLeast(0))).digest(),
                                begun.copy()
                                        .addConditions(Map.of(1, atLeast(1), 20, atLeast(0)))
                                        .digest(),
                                begun.copy()
                                        .addConditions(Map.of(1, atLeast(0), 20, atLeast(-0.0)))
                                        .digest(),
                                begun.copy()
                                        .addConditions(
                                                Map.of(1, atLeast(0), 20, ColumnDomain.notNull()))
                                        .digest(),
                                new CanonicalRead(2)
                                        .add("a")
                                        .addJson(List.of(1, 2))
                                        .addConditions(Map.of(1, atLeast(0), 20, atLeast(1)))
                                        .digest()))
                .doesNotHaveDuplicates()
                .doesNotContain(digest);
    }
}
