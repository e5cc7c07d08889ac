package io.stele.sidecar.postgresql.run;

import io.stele.protocol.row.ValueCodec;
import io.stele.protocol.schema.CharType;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.VarcharType;
import io.stele.sidecar.postgresql.plan.Access;
import io.stele.sidecar.postgresql.plan.Access.Bound;
import io.stele.sidecar.postgresql.plan.Scope;
import io.stele.sidecar.postgresql.sql.Expression.Operator;
import io.stele.sidecar.postgresql.type.ColumnValues;
import io.stele.sidecar.postgresql.type.PostgresType;
import io.stele.sidecar.postgresql.wire.PostgresException;
import io.stele.sidecar.postgresql.wire.SqlState;
import java.math.BigDecimal;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The interval of a key column's values within the bounds of a condition, for key range scans.
 * Confined to one thread.
 *
 * <p>Invariant: every value that meets the bounds is within; others may be, since the condition is
 * still to be asked.
 */
final class KeyBounds {
    private final ColumnSchema column;
    private final ValueCodec codec;
    private @Nullable Limit low;
    private @Nullable Limit high;
    private boolean isEmpty;

    /**
     * An end of the interval.
     *
     * @param encoded as {@link ValueCodec} does
     * @param isInclusive whether the value itself is within
     */
    record Limit(Object value, byte[] encoded, boolean isInclusive) {}

    private KeyBounds(ColumnSchema column) {
        this.column = column;
        this.codec = ValueCodec.of(column.type());
    }

    /** The interval of the bounds that are no equalities. */
    static KeyBounds of(ColumnSchema column, List<Bound> bounds, Scope scope) {
        KeyBounds found = new KeyBounds(column);
        for (Bound bound : bounds) {
            if (bound.operator() != Operator.EQUAL
                    && bound.candidates() instanceof Access.OneOf one) {
                found.add(bound.operator(), one.values().getFirst().evaluate(scope), scope);
            }
        }
        return found;
    }

    /** The interval from the least to the greatest of some values. */
    static KeyBounds around(ColumnSchema column, List<Object> values) {
        KeyBounds found = new KeyBounds(column);
        found.isEmpty = values.isEmpty();
        for (Object value : values) {
            Limit limit = found.limit(value, true);
            if (found.low == null
                    || Arrays.compareUnsigned(limit.encoded(), found.low.encoded()) < 0) {
                found.low = limit;
            }
            if (found.high == null
                    || Arrays.compareUnsigned(limit.encoded(), found.high.encoded()) > 0) {
                found.high = limit;
            }
        }
        return found;
    }

    /** Whether no value is within. */
    boolean isEmpty() {
        return isEmpty;
    }

    /** Absent: there is none. */
    Optional<Limit> low() {
        return Optional.ofNullable(low);
    }

    /** Absent: there is none. */
    Optional<Limit> high() {
        return Optional.ofNullable(high);
    }

    private void add(Operator operator, @Nullable Object value, Scope scope) {
        if (value == null) {
            isEmpty = true; // no comparison with NULL is true
            return;
        }
        DataType type = column.type();
        if (type instanceof CharType) {
            return; // keys have the blanks at its end, which count for nothing here
        }
        ZoneId zone = scope.session().zone();
        boolean isLow = operator == Operator.GREATER || operator == Operator.AT_LEAST;
        Optional<Object> exact = ColumnValues.toEqual(type, value, zone);
        if (exact.isPresent()) {
            boolean isInclusive = operator == Operator.AT_LEAST || operator == Operator.AT_MOST;
            narrow(isLow, limit(exact.get(), isInclusive || isReal(type)));
        } else if (type instanceof VarcharType varchar && value instanceof String text) {
            // No text of the column is between it and its beginning
            int end = text.offsetByCodePoints(0, varchar.length());
            narrow(isLow, limit(text.substring(0, end), true));
        } else if (value instanceof Number number) {
            addNumber(isLow, number, zone);
        }
    }

    /**
     * Adds a number that the column cannot have: no number of the column is between it and a
     * rounded one.
     */
    private void addNumber(boolean isLow, Number value, ZoneId zone) {
        try {
            Object rounded = ColumnValues.toColumn(column.type(), value, zone, column.name());
            narrow(isLow, limit(rounded, true));
        } catch (PostgresException outside) {
            if (outside.state() != SqlState.NUMERIC_OUT_OF_RANGE) {
                throw outside;
            }
            boolean isAbove =
                    value instanceof BigDecimal decimal
                            ? decimal.signum() > 0
                            : value.doubleValue() > 0;
            isEmpty |= isAbove == isLow;
        }
    }

    private Limit limit(Object value, boolean isInclusive) {
        return new Limit(value, codec.encodeObject(value), isInclusive);
    }

    /** Several values may become one real. */
    private static boolean isReal(DataType type) {
        PostgresType shown = PostgresType.of(type);
        return shown == PostgresType.FLOAT4 || shown == PostgresType.FLOAT8;
    }

    private void narrow(boolean isLow, Limit limit) {
        Limit present = isLow ? low : high;
        int order =
                present == null ? 0 : Arrays.compareUnsigned(limit.encoded(), present.encoded());
        boolean isNarrower =
                present == null || (order == 0 ? !limit.isInclusive() : (order > 0) == isLow);
        if (isNarrower && isLow) {
            low = limit;
        } else if (isNarrower) {
            high = limit;
        }
    }
}
