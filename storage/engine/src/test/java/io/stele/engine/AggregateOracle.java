package io.stele.engine;

import io.stele.protocol.aggregate.AggregateCall;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.DecimalType;
import io.stele.protocol.schema.TypeKind;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Aggregate functions over Java values, the plain way. */
final class AggregateOracle {
    private AggregateOracle() {}

    /** The result of a function over the argument's value in each row of a group. */
    static @Nullable Object result(AggregateCall call, List<? extends @Nullable Object> values) {
        if (call.argument().isEmpty()) {
            return (long) values.size();
        }
        List<Object> present = new ArrayList<>();
        for (Object value : values) {
            if (value != null) {
                present.add(value);
            }
        }
        DataType type = call.argument().get().type();
        return switch (call.function()) {
            case COUNT -> (long) present.size();
            case SUM -> present.isEmpty() ? null : sum(type, present);
            case AVG -> present.isEmpty() ? null : average(type, present);
            case MIN -> present.isEmpty() ? null : extreme(present, 1);
            case MAX -> present.isEmpty() ? null : extreme(present, -1);
        };
    }

    private static Object sum(DataType type, List<Object> values) {
        if (type instanceof DecimalType) {
            return values.stream()
                    .map(BigDecimal.class::cast)
                    .reduce(BigDecimal.ZERO, BigDecimal::add);
        }
        return switch (type.kind()) {
            case REAL -> (float) doubles(values);
            case DOUBLE -> doubles(values);
            default ->
                    values.stream()
                            .map(value -> BigInteger.valueOf(((Number) value).longValue()))
                            .reduce(BigInteger.ZERO, BigInteger::add)
                            .longValueExact();
        };
    }

    private static Object average(DataType type, List<Object> values) {
        if (type instanceof DecimalType decimal) {
            return ((BigDecimal) sum(type, values))
                    .divide(
                            BigDecimal.valueOf(values.size()),
                            decimal.scale(),
                            RoundingMode.HALF_UP);
        }
        double mean = doubles(values) / values.size();
        return type.kind() == TypeKind.REAL ? (Object) (float) mean : mean;
    }

    private static double doubles(List<Object> values) {
        double sum = 0;
        for (Object value : values) {
            sum += ((Number) value).doubleValue();
        }
        return sum;
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // all values are of one type
    private static Object extreme(List<Object> values, int sign) {
        Comparator<Object> order = (a, b) -> sign * ((Comparable) a).compareTo(b);
        return values.stream()
                .filter(value -> !isNaN(value))
                .min(order)
                .orElseGet(values::getFirst);
    }

    static boolean isNaN(Object value) {
        return value instanceof Number number && Double.isNaN(number.doubleValue());
    }
}
