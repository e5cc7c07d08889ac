package io.stele.paimon.read;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TimeZone;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.Decimal;
import org.apache.paimon.data.GenericArray;
import org.apache.paimon.data.GenericMap;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.Timestamp;
import org.apache.paimon.types.ArrayType;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.types.DecimalType;
import org.apache.paimon.types.LocalZonedTimestampType;
import org.apache.paimon.types.MapType;
import org.apache.paimon.types.MultisetType;
import org.apache.paimon.types.RowType;
import org.apache.paimon.types.TimestampType;
import org.apache.paimon.types.VarCharType;
import org.jspecify.annotations.Nullable;

/** Random values of Paimon's types, with many that are the least, the greatest, empty or null. */
final class RandomRows {
    private static final long DAY_MILLIS = 86_400_000;

    private final Random random;

    RandomRows(long seed) {
        random = new Random(seed);
    }

    GenericRow row(RowType type) {
        GenericRow row = new GenericRow(type.getFieldCount());
        for (int i = 0; i < type.getFieldCount(); i++) {
            row.setField(i, nullable(type.getTypeAt(i)));
        }
        return row;
    }

    private @Nullable Object nullable(DataType type) {
        return type.isNullable() && random.nextInt(5) == 0 ? null : value(type);
    }

    Object value(DataType type) {
        return switch (type.getTypeRoot()) {
            case BOOLEAN -> random.nextBoolean();
            case TINYINT -> (byte) number(Byte.MIN_VALUE, Byte.MAX_VALUE);
            case SMALLINT -> (short) number(Short.MIN_VALUE, Short.MAX_VALUE);
            case INTEGER -> (int) number(Integer.MIN_VALUE, Integer.MAX_VALUE);
            case BIGINT -> number(Long.MIN_VALUE, Long.MAX_VALUE);
            case FLOAT -> pick(Float.NaN, -0.0f, 0.0f, Float.MAX_VALUE, random.nextFloat());
            case DOUBLE ->
                    pick(Double.NaN, -0.0, 0.0, Double.NEGATIVE_INFINITY, random.nextGaussian());
            case DECIMAL -> decimal((DecimalType) type);
            case CHAR -> text(((org.apache.paimon.types.CharType) type).getLength());
            case VARCHAR -> text(Math.min(300, ((VarCharType) type).getLength()));
            case BINARY -> bytes(((org.apache.paimon.types.BinaryType) type).getLength());
            case VARBINARY -> bytes(random.nextInt(6));
            case DATE -> (int) number(-719_162, 2_932_896);
            case TIME_WITHOUT_TIME_ZONE -> (int) number(0, DAY_MILLIS - 1);
            case TIMESTAMP_WITHOUT_TIME_ZONE -> timestamp(((TimestampType) type).getPrecision());
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE ->
                    timestamp(((LocalZonedTimestampType) type).getPrecision());
            case ARRAY -> array(((ArrayType) type).getElementType());
            case MAP -> map(((MapType) type).getKeyType(), ((MapType) type).getValueType());
            case MULTISET -> map(((MultisetType) type).getElementType(), DataTypes.INT().notNull());
            case ROW -> row((RowType) type);
            case VARIANT, BLOB, VECTOR -> throw new IllegalArgumentException("" + type);
        };
    }

    @SafeVarargs
    private <T> T pick(T... values) {
        return values[random.nextInt(values.length)];
    }

    private long number(long least, long greatest) {
        return switch (random.nextInt(6)) {
            case 0 -> least;
            case 1 -> greatest;
            case 2 -> Math.clamp(random.nextInt(10), least, greatest);
            default -> least + Math.floorMod(random.nextLong(), Math.max(1, greatest - least));
        };
    }

    private Decimal decimal(DecimalType type) {
        BigInteger bound = BigInteger.TEN.pow(type.getPrecision());
        BigInteger unscaled =
                random.nextInt(4) == 0
                        ? bound.subtract(BigInteger.ONE)
                        : new BigInteger(bound.bitLength() + 8, random).mod(bound);
        return Decimal.fromBigDecimal(
                new BigDecimal(
                        random.nextBoolean() ? unscaled : unscaled.negate(), type.getScale()),
                type.getPrecision(),
                type.getScale());
    }

    private BinaryString text(int maxLength) {
        int length = random.nextInt(4) == 0 ? 0 : random.nextInt(maxLength + 1);
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < length; i++) {
            text.appendCodePoint(pick((int) 'a', (int) 'Z', (int) ' ', 0xe4, 0x1f600));
        }
        return BinaryString.fromString(text.toString());
    }

    private byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    private Timestamp timestamp(int precision) {
        // From the year of the Gregorian calendar to 9999: java.sql.Timestamp, by which Paimon
        // writes ORC, has another calendar before
        long millis = number(firstMillis(), 253_402_300_799_999L);
        long unit = 1;
        for (int i = precision; i < 9; i++) {
            unit *= 10;
        }
        long nanos = Math.floorMod(millis, 1000) * 1_000_000L + random.nextInt(1_000_000);
        nanos -= nanos % unit;
        return Timestamp.fromEpochMillis(
                Math.floorDiv(millis, 1000) * 1000 + nanos / 1_000_000, (int) (nanos % 1_000_000));
    }

    /** Before 1900, java.util.TimeZone, by which Paimon writes ORC, has no local mean times. */
    private static long firstMillis() {
        return TimeZone.getDefault().getRawOffset() == 0
                ? -12_000_000_000_000L
                : -2_177_000_000_000L;
    }

    private GenericArray array(DataType type) {
        List<Object> elements = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            elements.add(nullable(type));
        }
        return new GenericArray(elements.toArray());
    }

    private GenericMap map(DataType keys, DataType values) {
        Map<Object, Object> entries = new HashMap<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            entries.put(value(keys), nullable(values));
        }
        return new GenericMap(entries);
    }
}
