package io.stele.paimon.type;

import static io.trino.spi.type.DateTimeEncoding.unpackMillisUtc;
import static io.trino.spi.type.Timestamps.MICROSECONDS_PER_MILLISECOND;
import static io.trino.spi.type.Timestamps.NANOSECONDS_PER_MICROSECOND;
import static io.trino.spi.type.Timestamps.PICOSECONDS_PER_MILLISECOND;
import static io.trino.spi.type.Timestamps.PICOSECONDS_PER_NANOSECOND;

import io.airlift.slice.Slice;
import io.stele.paimon.handle.PaimonColumnHandle;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.Range;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.type.Int128;
import io.trino.spi.type.LongTimestamp;
import io.trino.spi.type.LongTimestampWithTimeZone;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.Decimal;
import org.apache.paimon.data.Timestamp;
import org.apache.paimon.predicate.Predicate;
import org.apache.paimon.predicate.PredicateBuilder;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DataTypeRoot;
import org.apache.paimon.types.DecimalType;
import org.apache.paimon.types.RowType;

/**
 * The translation of Trino's constraints to Paimon's predicates, by which scans prune partitions,
 * files and row groups. A predicate accepts all rows of its constraint, and maybe more. Stateless.
 *
 * <p>Left out are {@code REAL} and {@code DOUBLE}, since Paimon's statistics of them may have NaN
 * as least and greatest value; {@code CHAR}, which Trino compares without trailing spaces; and
 * types without statistics.
 */
public final class DomainPredicates {
    /** Longer lists of ranges become the range from the least to the greatest value. */
    private static final int MAX_VALUES = 1_000;

    private DomainPredicates() {}

    /**
     * The predicate of a constraint.
     *
     * @param rows the schema whose fields the predicate names by their positions
     * @return empty: nothing of the constraint can be expressed
     */
    public static Optional<Predicate> of(TupleDomain<PaimonColumnHandle> constraint, RowType rows) {
        if (constraint.isNone()) {
            return Optional.of(PredicateBuilder.alwaysFalse());
        }
        List<Predicate> all = new ArrayList<>();
        PredicateBuilder builder = new PredicateBuilder(rows);
        for (Map.Entry<PaimonColumnHandle, Domain> entry :
                constraint.getDomains().orElseThrow().entrySet()) {
            int index = index(rows, entry.getKey());
            if (index >= 0) {
                of(builder, index, rows.getTypeAt(index), entry.getValue()).ifPresent(all::add);
            }
        }
        return all.isEmpty() ? Optional.empty() : Optional.of(PredicateBuilder.and(all));
    }

    private static int index(RowType rows, PaimonColumnHandle column) {
        List<DataField> fields = rows.getFields();
        for (int i = 0; i < fields.size(); i++) {
            if (fields.get(i).id() == column.id()) {
                return i;
            }
        }
        return -1;
    }

    private static Optional<Predicate> of(
            PredicateBuilder builder, int index, DataType type, Domain domain) {
        if (domain.isAll() || !isComparable(type)) {
            return Optional.empty();
        }
        if (domain.isOnlyNull()) {
            return Optional.of(builder.isNull(index));
        }
        if (domain.getValues().isNone()) {
            return Optional.of(PredicateBuilder.alwaysFalse());
        }
        if (domain.getValues().isAll()) {
            return Optional.of(builder.isNotNull(index));
        }
        Optional<Predicate> values = values(builder, index, type, domain);
        return domain.isNullAllowed()
                ? values.map(found -> PredicateBuilder.or(found, builder.isNull(index)))
                : values;
    }

    private static Optional<Predicate> values(
            PredicateBuilder builder, int index, DataType type, Domain domain) {
        List<Range> ranges = domain.getValues().getRanges().getOrderedRanges();
        if (ranges.size() > MAX_VALUES) {
            return range(builder, index, type, domain.getValues().getRanges().getSpan());
        }
        List<Object> single = new ArrayList<>();
        List<Predicate> any = new ArrayList<>();
        for (Range range : ranges) {
            if (range.isSingleValue()) {
                single.add(toPaimon(type, range.getSingleValue()));
            } else {
                Optional<Predicate> predicate = range(builder, index, type, range);
                if (predicate.isEmpty()) {
                    return Optional.empty();
                }
                any.add(predicate.get());
            }
        }
        if (!single.isEmpty()) {
            any.add(builder.in(index, single));
        }
        return Optional.of(PredicateBuilder.or(any));
    }

    private static Optional<Predicate> range(
            PredicateBuilder builder, int index, DataType type, Range range) {
        List<Predicate> both = new ArrayList<>();
        // Trino's bound may lie between two of Paimon's milliseconds
        boolean rounded = type.is(DataTypeRoot.TIME_WITHOUT_TIME_ZONE);
        if (!range.isLowUnbounded()) {
            Object low = toPaimon(type, range.getLowBoundedValue());
            both.add(
                    range.isLowInclusive() || rounded
                            ? builder.greaterOrEqual(index, low)
                            : builder.greaterThan(index, low));
        }
        if (!range.isHighUnbounded()) {
            Object high = toPaimon(type, range.getHighBoundedValue());
            both.add(
                    range.isHighInclusive() || rounded
                            ? builder.lessOrEqual(index, high)
                            : builder.lessThan(index, high));
        }
        return both.isEmpty() ? Optional.empty() : Optional.of(PredicateBuilder.and(both));
    }

    private static boolean isComparable(DataType type) {
        return switch (type.getTypeRoot()) {
            case BOOLEAN,
                    TINYINT,
                    SMALLINT,
                    INTEGER,
                    BIGINT,
                    DATE,
                    VARCHAR,
                    DECIMAL,
                    TIME_WITHOUT_TIME_ZONE,
                    TIMESTAMP_WITHOUT_TIME_ZONE,
                    TIMESTAMP_WITH_LOCAL_TIME_ZONE ->
                    true;
            case CHAR,
                    BINARY,
                    VARBINARY,
                    FLOAT,
                    DOUBLE,
                    VARIANT,
                    BLOB,
                    ARRAY,
                    VECTOR,
                    MULTISET,
                    MAP,
                    ROW ->
                    false;
        };
    }

    /** A value of Trino converted to Paimon's form. */
    private static Object toPaimon(DataType type, Object value) {
        return switch (type.getTypeRoot()) {
            case BOOLEAN -> value;
            case TINYINT -> (byte) (long) value;
            case SMALLINT -> (short) (long) value;
            case INTEGER, DATE -> (int) (long) value;
            case BIGINT -> value;
            case VARCHAR -> BinaryString.fromBytes(((Slice) value).getBytes());
            case DECIMAL -> decimal((DecimalType) type, value);
            case TIME_WITHOUT_TIME_ZONE -> (int) ((long) value / PICOSECONDS_PER_MILLISECOND);
            case TIMESTAMP_WITHOUT_TIME_ZONE -> timestamp(value);
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE -> instant(value);
            case CHAR,
                    BINARY,
                    VARBINARY,
                    FLOAT,
                    DOUBLE,
                    VARIANT,
                    BLOB,
                    ARRAY,
                    VECTOR,
                    MULTISET,
                    MAP,
                    ROW ->
                    throw new IllegalArgumentException("Expected a comparable type, found " + type);
        };
    }

    private static Decimal decimal(DecimalType type, Object value) {
        BigInteger unscaled =
                value instanceof Int128 wide
                        ? wide.toBigInteger()
                        : BigInteger.valueOf((long) value);
        return Decimal.fromBigDecimal(
                new BigDecimal(unscaled, type.getScale()), type.getPrecision(), type.getScale());
    }

    private static Timestamp timestamp(Object value) {
        long micros = value instanceof LongTimestamp wide ? wide.getEpochMicros() : (long) value;
        int nanos =
                value instanceof LongTimestamp wide
                        ? wide.getPicosOfMicro() / PICOSECONDS_PER_NANOSECOND
                        : 0;
        return Timestamp.fromEpochMillis(
                Math.floorDiv(micros, (long) MICROSECONDS_PER_MILLISECOND),
                Math.floorMod(micros, MICROSECONDS_PER_MILLISECOND) * NANOSECONDS_PER_MICROSECOND
                        + nanos);
    }

    private static Timestamp instant(Object value) {
        return value instanceof LongTimestampWithTimeZone wide
                ? Timestamp.fromEpochMillis(
                        wide.getEpochMillis(), wide.getPicosOfMilli() / PICOSECONDS_PER_NANOSECOND)
                : Timestamp.fromEpochMillis(unpackMillisUtc((long) value));
    }
}
