package io.stele.columnfile.index;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.objectstore.InMemoryObjectStore;
import io.stele.protocol.predicate.ColumnDomain;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.predicate.ValueRange;
import io.stele.protocol.row.ValueCodec;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.ScalarType;
import io.stele.protocol.schema.TableSchema;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roaringbitmap.RoaringBitmap;

final class TestBitmapIndex {
    private static final ValueCodec BIGINT = ValueCodec.of(ScalarType.BIGINT);
    private static final int ROWS = 5_000;

    /** Of 65,537 rows whose value is the row number modulo 10,000. */
    private static final int ROWS_OF_VALUE = 7;

    private final InMemoryObjectStore store = new InMemoryObjectStore();
    private final BlockCache cache = new BlockCache("test", 1 << 20, () -> 0);

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void selectsExactlyTheRowsOfTheValues(long seed) throws IOException {
        Random random = new Random(seed);
        int distinct = 1 + random.nextInt(200);
        List<Long> first = new ArrayList<>();
        List<Long> second = new ArrayList<>();
        BitmapIndexBuilder builder = new BitmapIndexBuilder(columns(7, 300));
        for (int ordinal = 0; ordinal < ROWS; ordinal++) {
            first.add(addRandom(builder, 7, random, distinct, ordinal));
            second.add(addRandom(builder, 300, random, 3, ordinal));
        }
        BitmapIndexReader index = open(builder);
        for (int i = 0; i < 200; i++) {
            long low = random.nextInt(distinct) - 2L;
            long high = low + random.nextInt(5);
            long value = random.nextInt(4);
            boolean nulls = random.nextBoolean();
            ColumnDomain range = new ColumnDomain(nulls, List.of(range(low, high)));
            ColumnDomain single = ColumnDomain.of(ValueRange.equal(BIGINT.encodeLong(value)));
            assertThat(select(index, new ScanPredicate(Map.of(7, range))))
                    .hasValue(rows(row -> matches(first.get(row), low, high, nulls)));
            assertThat(select(index, new ScanPredicate(Map.of(7, range, 300, single))))
                    .hasValue(
                            rows(
                                    row ->
                                            matches(first.get(row), low, high, nulls)
                                                    && matches(
                                                            second.get(row), value, value, false)));
        }
    }

    @Test
    void saysNothingWhereItKnowsNothing() throws IOException {
        BitmapIndexBuilder builder = new BitmapIndexBuilder(columns(1, 2, 3));
        for (int ordinal = 0; ordinal <= BitmapIndexBuilder.MAX_VALUES; ordinal++) {
            add(builder, 1, ordinal, ordinal);
            add(builder, 2, ordinal % 10_000, ordinal);
        }
        byte[] longValue = new byte[BitmapIndexBuilder.MAX_VALUE_BYTES + 1];
        builder.add(3, longValue, 0, longValue.length, 0);
        BitmapIndexReader index = open(builder);
        ColumnDomain one = ColumnDomain.of(ValueRange.equal(BIGINT.encodeLong(1)));
        assertThat(select(index, new ScanPredicate(Map.of(1, one))))
                .as("too many values")
                .isEmpty();
        assertThat(select(index, new ScanPredicate(Map.of(3, one)))).as("too long").isEmpty();
        assertThat(select(index, new ScanPredicate(Map.of(9, one)))).as("no index").isEmpty();
        assertThat(select(index, new ScanPredicate(Map.of(2, ColumnDomain.notNull())))).isEmpty();
        assertThat(select(index, new ScanPredicate(Map.of(2, ColumnDomain.of(range(0, 9_000))))))
                .as("range over too many values")
                .isEmpty();
        assertThat(select(index, new ScanPredicate(Map.of(2, ColumnDomain.onlyNull()))))
                .hasValue(new RoaringBitmap());
        assertThat(select(index, new ScanPredicate(Map.of(2, one, 1, one))).orElseThrow())
                .hasSize(ROWS_OF_VALUE);
    }

    @Test
    void writesNothingWithoutAColumn() throws IOException {
        BitmapIndexBuilder builder = new BitmapIndexBuilder(columns(1));
        byte[] longValue = new byte[BitmapIndexBuilder.MAX_VALUE_BYTES + 1];
        builder.add(1, longValue, 0, longValue.length, 0);
        assertThat(builder.write(store, "a.bmi")).isEmpty();
        assertThat(store.list("")).isEmpty();
    }

    private static Long addRandom(
            BitmapIndexBuilder builder, int column, Random random, int distinct, int ordinal) {
        if (random.nextInt(10) == 0) {
            builder.addNull(column, ordinal);
            return Long.MIN_VALUE;
        }
        long value = random.nextInt(distinct);
        add(builder, column, value, ordinal);
        return value;
    }

    private static void add(BitmapIndexBuilder builder, int column, long value, int ordinal) {
        byte[] bytes = BIGINT.encodeLong(value);
        builder.add(column, bytes, 0, bytes.length, ordinal);
    }

    private static ValueRange range(long low, long high) {
        return new ValueRange(
                Optional.of(BIGINT.encodeLong(low)),
                true,
                Optional.of(BIGINT.encodeLong(high)),
                true);
    }

    private static boolean matches(long value, long low, long high, boolean nulls) {
        return value == Long.MIN_VALUE ? nulls : value >= low && value <= high;
    }

    private static RoaringBitmap rows(IntPredicate matches) {
        RoaringBitmap rows = new RoaringBitmap();
        for (int row = 0; row < ROWS; row++) {
            if (matches.test(row)) {
                rows.add(row);
            }
        }
        return rows;
    }

    @Test
    void aColumnOfAnotherTypeThanTheFilesIsLeftToTheScan() throws IOException {
        BitmapIndexBuilder builder = new BitmapIndexBuilder(columns(1));
        add(builder, 1, 5, 0);
        BitmapIndexReader index = open(builder);
        ColumnDomain five = ColumnDomain.of(ValueRange.equal(BIGINT.encodeLong(5)));
        ScanPredicate predicate = new ScanPredicate(Map.of(1, five));
        assertThat(select(index, predicate)).hasValue(RoaringBitmap.bitmapOf(0));
        TableSchema retyped = table(List.of(new ColumnSchema(1, "c1", ScalarType.INTEGER)));
        assertThat(index.select(predicate, retyped)).isEmpty();
    }

    private static Optional<RoaringBitmap> select(BitmapIndexReader index, ScanPredicate predicate)
            throws IOException {
        return index.select(predicate, table(columns(1, 2, 3, 7, 9, 300)));
    }

    private static List<ColumnSchema> columns(int... ids) {
        return Arrays.stream(ids)
                .mapToObj(id -> new ColumnSchema(id, "c" + id, ScalarType.BIGINT))
                .toList();
    }

    private static TableSchema table(List<ColumnSchema> columns) {
        return TableSchema.builder("s", "t").columns(columns).build();
    }

    private BitmapIndexReader open(BitmapIndexBuilder builder) throws IOException {
        OptionalLong size = builder.write(store, "a.bmi");
        return BitmapIndexReader.open(store, "a.bmi", size.orElseThrow(), cache);
    }
}
