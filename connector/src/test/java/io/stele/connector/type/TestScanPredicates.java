package io.stele.connector.type;

import static io.trino.type.InternalTypeManager.TESTING_TYPE_MANAGER;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.connector.handle.SteleColumnHandle;
import io.stele.protocol.predicate.ColumnDomain;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.row.ValueCodec;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.schema.TypeKind;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.Range;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.predicate.ValueSet;
import io.trino.spi.type.Type;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Predicates have the values that Trino's domains have. */
final class TestScanPredicates {
    private static final TableSchema TABLE = AllTypes.table();

    private final TrinoTypes types = new TrinoTypes(TESTING_TYPE_MANAGER);

    static List<ColumnSchema> orderableColumns() {
        return TABLE.columns().stream()
                .filter(column -> column.type().isOrderable())
                .filter(column -> column.type().kind() != TypeKind.REAL)
                .filter(column -> column.type().kind() != TypeKind.DOUBLE) // NaN, -0.0
                .toList();
    }

    @ParameterizedTest
    @MethodSource("orderableColumns")
    void theSameValuesAsTheDomain(ColumnSchema column) {
        Type type = types.toTrino(column.type());
        Map<byte[], Object> values = values(column);
        List<Object> natives = List.copyOf(values.values());
        for (Object one : natives) {
            check(column, Domain.singleValue(type, one), values);
            check(column, Domain.create(ValueSet.of(type, one), true), values);
            check(column, range(Range.lessThan(type, one)), values);
            check(column, range(Range.lessThanOrEqual(type, one)), values);
            check(column, range(Range.greaterThan(type, one)), values);
            check(column, range(Range.greaterThanOrEqual(type, one)), values);
            check(column, range(Range.equal(type, one), Range.greaterThan(type, one)), values);
            check(column, range(Range.lessThan(type, one), Range.greaterThan(type, one)), values);
            check(column, Domain.multipleValues(type, List.of(one, natives.getFirst())), values);
        }
        check(column, Domain.multipleValues(type, natives), values);
        check(column, Domain.all(type), values);
        check(column, Domain.notNull(type), values);
        check(column, Domain.onlyNull(type), values);
    }

    private static Domain range(Range first, Range... others) {
        return Domain.create(ValueSet.ofRanges(first, others), false);
    }

    private void check(ColumnSchema column, Domain domain, Map<byte[], Object> values) {
        ColumnDomain made =
                ScanPredicates.of(TABLE, TupleDomain.withColumnDomains(Map.of(of(column), domain)))
                        .domains()
                        .getOrDefault(
                                column.id(),
                                new ColumnDomain(true, ColumnDomain.notNull().ranges()));
        assertThat(made.nullAllowed()).as("null in %s", domain).isEqualTo(domain.isNullAllowed());
        values.forEach(
                (encoded, value) ->
                        assertThat(made.contains(encoded))
                                .as("%s in %s", value, domain)
                                .isEqualTo(domain.includesNullableValue(value)));
    }

    /** What rows of {@link AllTypes} have in a column, as files and as Trino have it. */
    private static Map<byte[], Object> values(ColumnSchema column) {
        RowLayout layout = RowLayout.of(TABLE.columns());
        int index = TABLE.columns().indexOf(column);
        ValueCodec codec = ValueCodec.of(column.type());
        Map<byte[], Object> values = new LinkedHashMap<>();
        for (byte[] bytes : AllTypes.rows()) {
            BinaryRow row = new BinaryRow(layout).wrap(bytes);
            if (!row.isNull(index)) {
                values.put(codec.encode(row, index), NativeValues.at(row, index));
            }
        }
        assertThat(values).isNotEmpty();
        return values;
    }

    private SteleColumnHandle of(ColumnSchema column) {
        return new SteleColumnHandle(column.id(), column.name(), types.toTrino(column.type()));
    }

    @Test
    void ofTooManyValuesTheConstraintStays() {
        ColumnSchema column = TABLE.column(1);
        Type type = types.toTrino(column.type());
        TupleDomain<SteleColumnHandle> constraint =
                TupleDomain.withColumnDomains(
                        Map.of(of(column), range(Range.lessThan(type, 5_000L))));

        ScanPredicate few = narrowed(constraint, evenNumbers(type, 1_000));
        assertThat(few.domains().get(1).ranges()).hasSize(1_000);
        assertThat(contains(few, 1_998)).isTrue();
        assertThat(contains(few, 1_999)).isFalse();

        ScanPredicate many = narrowed(constraint, evenNumbers(type, 1_001));
        assertThat(many).isEqualTo(ScanPredicates.of(TABLE, constraint));
        assertThat(contains(many, 1_999)).isTrue();
        assertThat(contains(many, 5_000)).isFalse();
    }

    private ScanPredicate narrowed(TupleDomain<SteleColumnHandle> constraint, Domain found) {
        TupleDomain<SteleColumnHandle> both =
                constraint.intersect(
                        TupleDomain.withColumnDomains(Map.of(of(TABLE.column(1)), found)));
        return ScanPredicates.narrowed(TABLE, constraint, both);
    }

    private static Domain evenNumbers(Type type, int count) {
        List<Object> values = new ArrayList<>();
        LongStream.range(0, count).forEach(number -> values.add(2 * number));
        return Domain.multipleValues(type, values);
    }

    private static boolean contains(ScanPredicate predicate, long value) {
        return predicate
                .domains()
                .get(1)
                .contains(ValueCodec.of(TABLE.column(1).type()).encodeLong(value));
    }
}
