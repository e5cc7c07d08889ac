package io.stele.protocol.predicate;

import static org.assertj.core.api.Assertions.assertThat;

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
import org.junit.jupiter.api.Test;

final class TestPredicateKeys {
    private static final TableSchema TABLE =
            TableSchema.builder("s", "t")
                    .columns(
                            List.of(
                                    new ColumnSchema(1, "a", DataType.parse("bigint")).notNull(),
                                    new ColumnSchema(2, "b", DataType.parse("varchar")).notNull(),
                                    new ColumnSchema(3, "c", DataType.parse("bigint"))))
                    .primaryKey(List.of(2, 1))
                    .orientation(Orientation.ROW)
                    .build();
    private static final KeyEncoder KEYS = KeyEncoder.forPrimaryKey(TABLE);
    private static final ValueCodec LONG = ValueCodec.of(DataType.parse("bigint"));

    @Test
    void everyCombinationIsAKey() {
        assertThat(keys(texts("x", "y"), longs(7, 5)))
                .containsExactlyInAnyOrder(
                        List.of("x", 5L), List.of("x", 7L), List.of("y", 5L), List.of("y", 7L));
        assertThat(keys(texts("x"), longs(5), Map.of(3, longs(1))))
                .containsExactly(List.of("x", 5L));
    }

    @Test
    void shortRangesAreListed() {
        assertThat(keys(texts("x"), range(3, true, 5, true)))
                .containsExactly(List.of("x", 3L), List.of("x", 4L), List.of("x", 5L));
        assertThat(keys(texts("x"), range(3, false, 5, true)))
                .containsExactly(List.of("x", 4L), List.of("x", 5L));
        assertThat(keys(texts("x"), range(3, false, 5, false))).containsExactly(List.of("x", 4L));
        assertThat(keys(texts("x"), range(3, true, 4, false))).containsExactly(List.of("x", 3L));
        assertThat(keys(texts("x"), range(Long.MAX_VALUE - 1, false, Long.MAX_VALUE, true)))
                .containsExactly(List.of("x", Long.MAX_VALUE));
        assertThat(keys(texts("x"), range(Long.MIN_VALUE, true, Long.MIN_VALUE + 2, false)))
                .containsExactly(List.of("x", Long.MIN_VALUE), List.of("x", Long.MIN_VALUE + 1));
        ColumnDomain textRange =
                ColumnDomain.of(
                        new ValueRange(
                                Optional.of(new byte[] {1}),
                                true,
                                Optional.of(new byte[] {2}),
                                true));
        assertThat(none(textRange, longs(1))).isTrue();
    }

    @Test
    void whatIsNoListIsNoKey() {
        assertThat(none(texts("x"), ColumnDomain.notNull())).isTrue();
        assertThat(none(texts("x"), ColumnDomain.of(ValueRange.atLeast(LONG.encodeLong(1)))))
                .isTrue();
        assertThat(none(texts("x"), new ColumnDomain(true, longs(1).ranges()))).isTrue();
        assertThat(none(texts("x"), range(Long.MIN_VALUE, true, Long.MAX_VALUE, true))).isTrue();
        assertThat(PredicateKeys.ofPrimaryKey(TABLE, new ScanPredicate(Map.of(1, longs(1)))))
                .isEmpty();
        assertThat(PredicateKeys.ofPrimaryKey(TABLE, ScanPredicate.ALL)).isEmpty();
    }

    @Test
    void thereIsALimit() {
        int most = PredicateKeys.MAX_PRIMARY_KEYS;
        assertThat(keys(texts("x"), range(1, true, most, true))).hasSize(most);
        assertThat(keys(texts("x"), range(0, false, most + 1L, false))).hasSize(most);
        assertThat(none(texts("x"), range(0, true, most, true))).isTrue();
        assertThat(keys(texts("x", "y"), range(1, true, most / 2, true))).hasSize(most);
        assertThat(none(texts("x", "y"), range(0, true, most / 2, true))).isTrue();
        // A key that no row can have is no reason to fail
        assertThat(none(texts("x".repeat(KeyEncoder.MAX_KEY_BYTES)), longs(1))).isTrue();
    }

    private static List<List<Object>> keys(ColumnDomain texts, ColumnDomain longs) {
        return keys(texts, longs, Map.of());
    }

    private static List<List<Object>> keys(
            ColumnDomain texts, ColumnDomain longs, Map<Integer, ColumnDomain> more) {
        Map<Integer, ColumnDomain> domains = new HashMap<>(more);
        domains.put(2, texts);
        domains.put(1, longs);
        List<List<Object>> found = new ArrayList<>();
        for (byte[] key :
                PredicateKeys.ofPrimaryKey(TABLE, new ScanPredicate(domains)).orElseThrow()) {
            List<Object> values = new ArrayList<>();
            KEYS.decode(key).forEach(values::add);
            found.add(values);
        }
        return found;
    }

    private static boolean none(ColumnDomain texts, ColumnDomain longs) {
        return PredicateKeys.ofPrimaryKey(TABLE, new ScanPredicate(Map.of(2, texts, 1, longs)))
                .isEmpty();
    }

    private static ColumnDomain texts(String... values) {
        ValueCodec codec = ValueCodec.of(DataType.parse("varchar"));
        return new ColumnDomain(
                false,
                Arrays.stream(values)
                        .map(value -> ValueRange.equal(codec.encodeObject(value)))
                        .toList());
    }

    private static ColumnDomain longs(long... values) {
        return new ColumnDomain(
                false,
                Arrays.stream(values)
                        .mapToObj(value -> ValueRange.equal(LONG.encodeLong(value)))
                        .toList());
    }

    private static ColumnDomain range(
            long low, boolean lowInclusive, long high, boolean highInclusive) {
        return ColumnDomain.of(
                new ValueRange(
                        Optional.of(LONG.encodeLong(low)),
                        lowInclusive,
                        Optional.of(LONG.encodeLong(high)),
                        highInclusive));
    }
}
