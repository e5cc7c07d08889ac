package io.stele.protocol.row;

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
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Seeded values of every type, extremes more often than chance would have them. */
public final class RandomValues {
    /** One of each type that has an order. */
    public static final List<String> ORDERABLE_TYPES =
            List.of(
                    "boolean",
                    "tinyint",
                    "smallint",
                    "integer",
                    "bigint",
                    "real",
                    "double",
                    "decimal(5,2)",
                    "decimal(18,0)",
                    "decimal(19,3)",
                    "decimal(38,10)",
                    "varchar",
                    "varchar(5)",
                    "char(4)",
                    "varbinary",
                    "date",
                    "time(0)",
                    "time(9)",
                    "timestamp(3)",
                    "timestamp(6)",
                    "timestamp(9)",
                    "timestamp(0) with time zone",
                    "timestamp(6) with time zone",
                    "timestamp(9) with time zone",
                    "uuid",
                    "time(10)",
                    "time(12)",
                    "wide_timestamp(7)",
                    "wide_timestamp(9)",
                    "timestamp(10)",
                    "timestamp(12)",
                    "wide_timestamp(8) with time zone",
                    "timestamp(12) with time zone");

    /** Types without an order. */
    public static final List<String> OTHER_TYPES =
            List.of(
                    "json",
                    "array(bigint)",
                    "array(varchar)",
                    "array(boolean)",
                    "array(array(decimal(20,2)))",
                    "map(varchar, double)",
                    "map(bigint, array(map(uuid, varbinary)))",
                    "row(\"a\" tinyint, \"b\" varchar, \"c\" row(\"d\" timestamp(9), \"e\" char(3)))",
                    "array(row(\"k\" varchar, \"v\" array(real)))");

    private static final String[] CHARACTERS = {
        "a", "b", "Z", "\0", "\t", "~", "é", "ß", "水", "\uFFFD", "😀", "𐀀", "\uFFFF"
    };

    private final RandomGenerator random;

    public RandomValues(RandomGenerator random) {
        this.random = random;
    }

    /** Columns of all types of a list, nullable, ids from 1. */
    public static List<ColumnSchema> columns(List<String> types) {
        List<ColumnSchema> columns = new ArrayList<>();
        for (String type : types) {
            int id = columns.size() + 1;
            columns.add(new ColumnSchema(id, "c" + id, DataType.parse(type)));
        }
        return columns;
    }

    /** One of every type. */
    public static List<ColumnSchema> allColumns() {
        List<String> types = new ArrayList<>(ORDERABLE_TYPES);
        types.addAll(OTHER_TYPES);
        return columns(types);
    }

    /** A form of a value whose equals looks into arrays and minds the order of maps. */
    public static Object comparable(@Nullable Object value) {
        if (value == null) {
            return "null";
        }
        if (value instanceof byte[] bytes) {
            return "0x" + HexFormat.of().formatHex(bytes);
        }
        if (value instanceof List<?> list) {
            List<Object> elements = new ArrayList<>();
            list.forEach(element -> elements.add(comparable(element)));
            return elements;
        }
        if (value instanceof Map<?, ?> map) {
            List<Object> entries = new ArrayList<>();
            map.forEach(
                    (key, element) -> entries.add(List.of(comparable(key), comparable(element))));
            return entries;
        }
        return value;
    }

    /** A row of values, one in five null. */
    public List<@Nullable Object> row(List<ColumnSchema> columns) {
        List<@Nullable Object> values = new ArrayList<>();
        for (ColumnSchema column : columns) {
            values.add(column.nullable() && random.nextInt(5) == 0 ? null : value(column.type()));
        }
        return values;
    }

    /** A value, not null. */
    public Object value(DataType type) {
        return switch (type.kind()) {
            case BOOLEAN -> random.nextBoolean();
            case TINYINT -> (byte) number(Byte.MIN_VALUE, Byte.MAX_VALUE);
            case SMALLINT -> (short) number(Short.MIN_VALUE, Short.MAX_VALUE);
            case INTEGER -> (int) number(Integer.MIN_VALUE, Integer.MAX_VALUE);
            case BIGINT -> number(Long.MIN_VALUE, Long.MAX_VALUE);
            case REAL -> real();
            case DOUBLE -> real64();
            case DECIMAL -> decimal((DecimalType) type);
            case VARCHAR -> text(Math.min(12, ((VarcharType) type).length()));
            case CHAR -> character((CharType) type);
            case JSON -> "{\"k\":" + random.nextInt() + "}";
            case VARBINARY -> binary();
            case DATE -> LocalDate.ofEpochDay(number(-3_000_000, 3_000_000));
            case TIME -> time((TimeType) type);
            case TIMESTAMP, TIMESTAMP_WITH_TIME_ZONE -> timestamp((TimestampType) type);
            case UUID ->
                    new UUID(
                            number(Long.MIN_VALUE, Long.MAX_VALUE),
                            number(Long.MIN_VALUE, Long.MAX_VALUE));
            case ARRAY -> array(((ArrayType) type).element());
            case MAP -> map((MapType) type);
            case ROW -> fields((RowType) type);
        };
    }

    private long number(long min, long max) {
        return switch (random.nextInt(8)) {
            case 0 -> min;
            case 1 -> max;
            case 2 -> 0;
            case 3 -> -1;
            case 4 -> 1;
            default -> max == Long.MAX_VALUE ? random.nextLong() : random.nextLong(min, max + 1);
        };
    }

    private float real() {
        return switch (random.nextInt(10)) {
            case 0 -> Float.NaN;
            case 1 -> -0.0f;
            case 2 -> 0.0f;
            case 3 -> Float.NEGATIVE_INFINITY;
            case 4 -> Float.POSITIVE_INFINITY;
            case 5 -> Float.MIN_VALUE;
            default -> Float.intBitsToFloat(random.nextInt());
        };
    }

    private double real64() {
        return switch (random.nextInt(10)) {
            case 0 -> Double.NaN;
            case 1 -> -0.0;
            case 2 -> 0.0;
            case 3 -> Double.NEGATIVE_INFINITY;
            case 4 -> Double.POSITIVE_INFINITY;
            case 5 -> -Double.MIN_VALUE;
            default -> Double.longBitsToDouble(random.nextLong());
        };
    }

    private BigDecimal decimal(DecimalType type) {
        BigInteger limit = BigInteger.TEN.pow(type.precision());
        BigInteger unscaled =
                switch (random.nextInt(6)) {
                    case 0 -> limit.subtract(BigInteger.ONE);
                    case 1 -> limit.subtract(BigInteger.ONE).negate();
                    case 2 -> BigInteger.ZERO;
                    case 3 -> BigInteger.valueOf(-1);
                    default ->
                            new BigInteger(128, new java.util.Random(random.nextLong()))
                                    .remainder(limit);
                };
        return new BigDecimal(random.nextBoolean() ? unscaled.negate() : unscaled, type.scale());
    }

    private String text(int maxCodePoints) {
        int length = random.nextInt(maxCodePoints + 1);
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < length; i++) {
            text.append(
                    random.nextInt(6) == 0 ? " " : CHARACTERS[random.nextInt(CHARACTERS.length)]);
        }
        return text.toString();
    }

    private String character(CharType type) {
        return text(type.length()).replaceAll(" +$", "");
    }

    private byte[] binary() {
        byte[] bytes = new byte[random.nextInt(10)];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] =
                    (byte)
                            (random.nextInt(3) == 0
                                    ? 0
                                    : random.nextInt(3) == 0 ? 0xFF : random.nextInt(256));
        }
        return bytes;
    }

    private Object time(TimeType type) {
        if (type.precision() > 9) {
            long count = 86_400L * (long) Math.pow(10, type.precision());
            return BigDecimal.valueOf(
                    random.nextInt(4) == 0 ? count - 1 : random.nextLong(count), type.precision());
        }
        long unit = (long) Math.pow(10, 9 - type.precision());
        long count = 86_400_000_000_000L / unit;
        return LocalTime.ofNanoOfDay(
                (random.nextInt(4) == 0 ? count - 1 : random.nextLong(count)) * unit);
    }

    private Object timestamp(TimestampType type) {
        if (type.precision() > 9) {
            return new BigDecimal(units(type), type.precision());
        }
        Instant instant = instant(type);
        return type.withTimeZone() ? instant : LocalDateTime.ofInstant(instant, ZoneOffset.UTC);
    }

    /** Of 10^-precision seconds, over all of Trino's years. */
    private BigInteger units(TimestampType type) {
        int digits = type.precision() - (type.withTimeZone() ? 3 : 6);
        BigInteger perUnit = BigInteger.TEN.pow(digits);
        long limit = type.withTimeZone() ? (1L << 51) - 1 : Long.MAX_VALUE;
        long least = type.withTimeZone() ? -limit : Long.MIN_VALUE;
        long below = number(0, perUnit.longValue() - 1);
        return BigInteger.valueOf(number(least, limit))
                .multiply(perUnit)
                .add(BigInteger.valueOf(Math.floorMod(below, perUnit.longValue())));
    }

    private Instant instant(TimestampType type) {
        if (type.isWide()) {
            BigInteger[] parts =
                    units(type)
                            .multiply(BigInteger.TEN.pow(9 - type.precision()))
                            .divideAndRemainder(BigInteger.valueOf(1_000_000_000));
            return Instant.ofEpochSecond(parts[0].longValueExact(), parts[1].longValueExact());
        }
        long perSecond = type.isNanos() ? 1_000_000_000 : 1_000_000;
        long unit = (long) Math.pow(10, (type.isNanos() ? 9 : 6) - type.precision());
        long limit = type.isNanos() ? Long.MAX_VALUE : ((1L << 51) - 1) * 1000;
        long value = number(-limit, limit) / unit * unit;
        if (!type.isNanos()) {
            value = Math.max(-limit / unit * unit, Math.min(limit / unit * unit, value));
        }
        return Instant.ofEpochSecond(
                Math.floorDiv(value, perSecond),
                Math.floorMod(value, perSecond) * (1_000_000_000 / perSecond));
    }

    private List<@Nullable Object> array(DataType element) {
        List<@Nullable Object> values = new ArrayList<>();
        int count = random.nextInt(12);
        for (int i = 0; i < count; i++) {
            values.add(random.nextInt(5) == 0 ? null : value(element));
        }
        return values;
    }

    private Map<Object, @Nullable Object> map(MapType type) {
        Map<Object, @Nullable Object> values = new LinkedHashMap<>();
        int count = random.nextInt(5);
        for (int i = 0; i < count; i++) {
            values.put(value(type.key()), random.nextInt(5) == 0 ? null : value(type.value()));
        }
        return values;
    }

    private List<@Nullable Object> fields(RowType type) {
        List<@Nullable Object> values = new ArrayList<>();
        for (RowType.Field field : type.fields()) {
            values.add(random.nextInt(5) == 0 ? null : value(field.type()));
        }
        return values;
    }
}
