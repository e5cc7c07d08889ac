package io.stele.columnfile.orc;

import io.stele.protocol.schema.ArrayType;
import io.stele.protocol.schema.CharType;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.DecimalType;
import io.stele.protocol.schema.MapType;
import io.stele.protocol.schema.RowType;
import io.stele.protocol.schema.TimeType;
import io.stele.protocol.schema.TimestampType;
import io.stele.protocol.schema.VarcharType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Random rows of given columns, as the objects that {@code Rows} takes: edges often, nulls where
 * allowed.
 */
final class RandomRows {
    private final RandomGenerator random;

    RandomRows(RandomGenerator random) {
        this.random = random;
    }

    List<@Nullable Object> row(List<ColumnSchema> columns) {
        List<@Nullable Object> row = new ArrayList<>();
        for (ColumnSchema column : columns) {
            row.add(column.nullable() && random.nextInt(5) == 0 ? null : value(column.type()));
        }
        return row;
    }

    Object value(DataType type) {
        return switch (type.kind()) {
            case BOOLEAN -> random.nextBoolean();
            case TINYINT -> (byte) random.nextInt();
            case SMALLINT -> (short) random.nextInt();
            case INTEGER -> pick(random.nextInt(), 0, Integer.MIN_VALUE, Integer.MAX_VALUE);
            case BIGINT -> pick(random.nextLong(), 0L, Long.MIN_VALUE, Long.MAX_VALUE);
            case REAL ->
                    pick((float) random.nextGaussian(), Float.NaN, Float.NEGATIVE_INFINITY, -0.0f);
            case DOUBLE -> pick(random.nextGaussian(), Double.NaN, Double.POSITIVE_INFINITY, -0.0);
            case DECIMAL -> decimal((DecimalType) type);
            case VARCHAR -> text(((VarcharType) type).length());
            case CHAR -> text(((CharType) type).length()).stripTrailing();
            case VARBINARY -> bytes(random.nextInt(40));
            case DATE -> LocalDate.ofEpochDay(random.nextLong(-800_000, 800_000));
            case TIME -> time((TimeType) type);
            case TIMESTAMP, TIMESTAMP_WITH_TIME_ZONE -> timestamp((TimestampType) type);
            case UUID -> new UUID(random.nextLong(), random.nextLong());
            case JSON -> "{\"a\":" + random.nextInt(1000) + "}";
            case ARRAY -> array(((ArrayType) type).element());
            case MAP -> map((MapType) type);
            case ROW -> struct((RowType) type);
        };
    }

    @SafeVarargs
    private <T> T pick(T usual, T... edges) {
        return random.nextInt(4) == 0 ? edges[random.nextInt(edges.length)] : usual;
    }

    private BigDecimal decimal(DecimalType type) {
        BigInteger limit = BigInteger.TEN.pow(type.precision()).subtract(BigInteger.ONE);
        BigInteger unscaled =
                switch (random.nextInt(5)) {
                    case 0 -> limit;
                    case 1 -> limit.negate();
                    case 2 -> BigInteger.valueOf(random.nextInt(100)).min(limit);
                    default -> new BigInteger(bytes(17)).mod(limit);
                };
        return new BigDecimal(random.nextBoolean() ? unscaled : unscaled.negate(), type.scale());
    }

    private String text(int maxLength) {
        int length = random.nextInt(Math.min(maxLength, 60) + 1);
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < length; i++) {
            text.appendCodePoint(
                    random.nextInt(10) == 0
                            ? 0x1F600 + random.nextInt(40)
                            : 'a' + random.nextInt(26));
        }
        return text.toString();
    }

    private byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    private Object time(TimeType type) {
        if (type.precision() > 9) {
            long count = 86_400L * (long) Math.pow(10, type.precision());
            return BigDecimal.valueOf(
                    pick(random.nextLong(count), 0L, count - 1), type.precision());
        }
        long step = (long) Math.pow(10, 9 - type.precision());
        return LocalTime.ofNanoOfDay(random.nextLong(86_400_000_000_000L) / step * step);
    }

    private Object timestamp(TimestampType type) {
        if (type.precision() > 9) {
            BigInteger perMicro = BigInteger.TEN.pow(type.precision() - 6);
            long limit = type.withTimeZone() ? ((1L << 51) - 1) * 1000 : Long.MAX_VALUE;
            long micros = pick(random.nextLong(-limit, limit), 0L, -1L, -limit, limit);
            BigInteger units =
                    BigInteger.valueOf(micros)
                            .multiply(perMicro)
                            .add(BigInteger.valueOf(random.nextLong(perMicro.longValue())));
            return new BigDecimal(units, type.precision());
        }
        Instant instant = instant(type);
        return type.withTimeZone() ? instant : LocalDateTime.ofInstant(instant, ZoneOffset.UTC);
    }

    /** The second before 1970 often: ORC's own timestamps cannot hold its fractions. */
    private Instant instant(TimestampType type) {
        long step = (long) Math.pow(10, 9 - type.precision());
        long limit = type.isWide() ? 2_000_000_000_000L : 9_000_000_000L;
        long second = pick(random.nextLong(-limit, limit), 0L, -1L, -limit, 1L);
        long nanos =
                pick(random.nextLong(1_000_000_000), 0L, 999_999_999L, 1L, 999_999L, 1_000_000L);
        return Instant.ofEpochSecond(second, nanos / step * step);
    }

    private List<@Nullable Object> array(DataType element) {
        List<@Nullable Object> values = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            values.add(random.nextInt(4) == 0 ? null : value(element));
        }
        return values;
    }

    private Map<Object, @Nullable Object> map(MapType type) {
        Map<Object, @Nullable Object> values = new LinkedHashMap<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            values.put(value(type.key()), random.nextInt(4) == 0 ? null : value(type.value()));
        }
        return values;
    }

    private List<@Nullable Object> struct(RowType type) {
        return new ArrayList<>(
                Arrays.asList(
                        type.fields().stream()
                                .map(field -> random.nextInt(4) == 0 ? null : value(field.type()))
                                .toArray()));
    }
}
