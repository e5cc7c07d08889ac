package io.stele.connector.read.prune;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.connector.handle.SteleColumnHandle;
import io.stele.connector.handle.SteleTopN;
import io.stele.connector.type.NativeValues;
import io.stele.protocol.ShardId;
import io.stele.protocol.api.scan.FileScan;
import io.stele.protocol.api.scan.ScanMode;
import io.stele.protocol.api.scan.ScanPlan;
import io.stele.protocol.api.scan.ShardScan;
import io.stele.protocol.predicate.ColumnStats;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.ScalarType;
import io.stele.protocol.schema.TableSchema;
import io.trino.spi.connector.SortOrder;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.Range;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.predicate.ValueSet;
import io.trino.spi.type.BigintType;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class TestTopNBound {
    private static final SteleColumnHandle COLUMN =
            new SteleColumnHandle(1, "v", BigintType.BIGINT);
    private static final long READ_LSN = 100;
    private static final long FROM_LSN = 10;

    /** Files of random rows: no row among the first ones is outside the bound. */
    @ParameterizedTest
    @EnumSource(SortOrder.class)
    void neverOutsideTheFirstRows(SortOrder order) {
        Random random = new Random(order.ordinal());
        Comparator<Long> values =
                order.isAscending() ? Comparator.naturalOrder() : Comparator.reverseOrder();
        Comparator<Long> inOrder =
                order.isNullsFirst() ? Comparator.nullsFirst(values) : Comparator.nullsLast(values);
        int bounded = 0;
        for (int round = 0; round < 500; round++) {
            List<FileScan> files = new ArrayList<>();
            List<Long> all = new ArrayList<>();
            for (int file = random.nextInt(6); file >= 0; file--) {
                files.add(file(random, all));
            }
            int live = random.nextInt(3);
            for (int row = 0; row < live; row++) {
                all.add(random.nextInt(4) == 0 ? null : (long) random.nextInt(100));
            }
            all.sort(inOrder);
            int count = 1 + random.nextInt(12);
            TupleDomain<SteleColumnHandle> bound =
                    TopNBound.of(table("bigint"), topN(count, order), plan(files));
            Domain domain =
                    bound.getDomains()
                            .orElseThrow()
                            .getOrDefault(COLUMN, Domain.all(BigintType.BIGINT));
            bounded += bound.isAll() ? 0 : 1;
            for (Long first : all.subList(0, Math.min(count, all.size()))) {
                assertThat(domain.includesNullableValue(first))
                        .as("%s of %s in %s", first, all, domain)
                        .isTrue();
            }
        }
        assertThat(bounded).isGreaterThan(100);
    }

    private static FileScan file(Random random, List<Long> all) {
        long base = random.nextInt(5) * 20L;
        int rows = 1 + random.nextInt(8);
        int deleted = random.nextInt(rows);
        boolean isYoung = random.nextInt(5) == 0; // no row of it is in the snapshot for certain
        long nulls = 0;
        long min = Long.MAX_VALUE;
        long max = Long.MIN_VALUE;
        for (int row = 0; row < rows; row++) {
            Long value = random.nextInt(4) == 0 ? null : base + random.nextInt(20);
            if (value == null) {
                nulls++;
            } else {
                min = Math.min(min, value);
                max = Math.max(max, value);
            }
            if (row >= deleted && !isYoung) {
                all.add(value);
            }
        }
        Optional<byte[]> none = Optional.empty();
        boolean hasValues = nulls < rows;
        ColumnStats stats =
                new ColumnStats(
                        hasValues ? Optional.of(encoded(min)) : none,
                        hasValues ? Optional.of(encoded(max)) : none,
                        nulls,
                        false);
        return new FileScan(
                "f",
                1,
                rows,
                1,
                random.nextInt(10) == 0 && isYoung ? FROM_LSN - 1 : FROM_LSN,
                isYoung ? READ_LSN + 1 : READ_LSN,
                OptionalLong.empty(),
                OptionalLong.empty(),
                new byte[0],
                deleted,
                Map.of(1, stats),
                List.of(),
                OptionalLong.empty(),
                OptionalInt.empty(),
                Optional.empty(),
                false);
    }

    @Test
    void theBoundIsTheLastValueOfEnoughRows() {
        ScanPlan plan = plan(List.of(file(5, 1, 50, 59), file(5, 0, 10, 19), file(5, 0, 30, 39)));
        assertThat(bound(plan, 5, SortOrder.ASC_NULLS_LAST)).isEqualTo(upTo(19, false));
        assertThat(bound(plan, 6, SortOrder.ASC_NULLS_FIRST)).isEqualTo(upTo(39, true));
        assertThat(bound(plan, 4, SortOrder.DESC_NULLS_LAST)).isEqualTo(from(50, false));
        // One of the five is null
        assertThat(bound(plan, 5, SortOrder.DESC_NULLS_LAST)).isEqualTo(from(30, false));
        assertThat(bound(plan, 15, SortOrder.ASC_NULLS_LAST))
                .isEqualTo(Domain.all(BigintType.BIGINT));
    }

    private static Domain upTo(long last, boolean nullAllowed) {
        return Domain.create(
                ValueSet.ofRanges(Range.lessThanOrEqual(BigintType.BIGINT, last)), nullAllowed);
    }

    private static Domain from(long first, boolean nullAllowed) {
        return Domain.create(
                ValueSet.ofRanges(Range.greaterThanOrEqual(BigintType.BIGINT, first)), nullAllowed);
    }

    @Test
    void typesWithoutExactRanges() {
        SteleTopN topN = topN(1, SortOrder.ASC_NULLS_LAST);
        assertThat(TopNBound.isPossible(table("varchar"), topN)).isFalse();
        assertThat(TopNBound.isPossible(table("double"), topN)).isFalse();
        assertThat(TopNBound.isPossible(table("decimal(30,2)"), topN)).isTrue();
    }

    private static FileScan file(int rows, int nulls, long min, long max) {
        ColumnStats stats =
                new ColumnStats(Optional.of(encoded(min)), Optional.of(encoded(max)), nulls, false);
        return new FileScan(
                "f",
                1,
                rows,
                1,
                FROM_LSN,
                READ_LSN,
                OptionalLong.empty(),
                OptionalLong.empty(),
                new byte[0],
                0,
                Map.of(1, stats),
                List.of(),
                OptionalLong.empty(),
                OptionalInt.empty(),
                Optional.empty(),
                false);
    }

    private static Domain bound(ScanPlan plan, int count, SortOrder order) {
        return TopNBound.of(table("bigint"), topN(count, order), plan)
                .getDomains()
                .orElseThrow()
                .getOrDefault(COLUMN, Domain.all(BigintType.BIGINT));
    }

    private static byte[] encoded(long value) {
        return NativeValues.encode(ScalarType.BIGINT, BigintType.BIGINT, value);
    }

    private static SteleTopN topN(int count, SortOrder order) {
        return new SteleTopN(count, List.of(new SteleTopN.Item(COLUMN, order)));
    }

    private static ScanPlan plan(List<FileScan> files) {
        return new ScanPlan(
                READ_LSN,
                FROM_LSN,
                List.of(new ShardScan(new ShardId(0, 0), files, true, ScanMode.LIVE, 1)));
    }

    private static TableSchema table(String type) {
        return TableSchema.builder("s", "t")
                .columns(List.of(new ColumnSchema(1, "v", DataType.parse(type))))
                .build();
    }
}
