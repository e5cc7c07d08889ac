package io.stele.paimon;

import static java.util.Objects.requireNonNull;

import com.google.common.math.LongMath;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TimeZone;
import java.util.random.RandomGenerator;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.Decimal;
import org.apache.paimon.data.GenericArray;
import org.apache.paimon.data.GenericMap;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.Timestamp;
import org.apache.paimon.types.ArrayType;
import org.apache.paimon.types.BinaryType;
import org.apache.paimon.types.CharType;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.types.DecimalType;
import org.apache.paimon.types.LocalZonedTimestampType;
import org.apache.paimon.types.MapType;
import org.apache.paimon.types.MultisetType;
import org.apache.paimon.types.RowType;
import org.apache.paimon.types.TimestampType;
import org.apache.paimon.types.VarBinaryType;
import org.apache.paimon.types.VarCharType;
import org.jspecify.annotations.Nullable;

/** A generator of types, and of values of Paimon, edges more often than chance would. */
public final class RandomValues {
    private static final String LETTERS = "abcdefghijklmnopqrstuvwxyzZäöü漢字\ud83d\ude00 %'";
    private static final int LETTER_COUNT = LETTERS.codePointCount(0, LETTERS.length());

    private static final long DAY_MILLIS = 86_400_000;

    private final RandomGenerator random;

    public RandomValues(RandomGenerator random) {
        this.random = requireNonNull(random, "random is null");
    }

    /** A type that Trino has as well; nested ones at most {@code depth} levels deep. */
    DataType type(int depth) {
        return switch (random.nextInt(depth > 0 ? 22 : 18)) {
            case 0 -> DataTypes.BOOLEAN();
            case 1 -> DataTypes.TINYINT();
            case 2 -> DataTypes.SMALLINT();
            case 3, 4 -> DataTypes.INT();
            case 5, 6 -> DataTypes.BIGINT();
            case 7 -> DataTypes.FLOAT();
            case 8 -> DataTypes.DOUBLE();
            case 9 -> DataTypes.DATE();
            case 10 -> DataTypes.TIMESTAMP(List.of(0, 3, 6, 9).get(random.nextInt(4)));
            case 11 ->
                    DataTypes.TIMESTAMP_WITH_LOCAL_TIME_ZONE(
                            List.of(3, 6, 9).get(random.nextInt(3)));
            case 12 -> DataTypes.DECIMAL(1 + random.nextInt(18), 0);
            case 13 -> DataTypes.DECIMAL(20 + random.nextInt(19), random.nextInt(10));
            case 14, 15 -> DataTypes.STRING();
            case 16 -> DataTypes.VARCHAR(20);
            case 17 -> DataTypes.BYTES();
            case 18, 19 -> DataTypes.ARRAY(type(depth - 1));
            case 20 -> DataTypes.MAP(DataTypes.STRING().notNull(), type(depth - 1));
            default ->
                    DataTypes.ROW(
                            DataTypes.FIELD(
                                    1_000 + random.nextInt(1_000_000), "f", type(depth - 1)),
                            DataTypes.FIELD(
                                    2_000_000 + random.nextInt(1_000_000), "g", type(depth - 1)));
        };
    }

    /** A value, sometimes null where the type allows it. */
    @Nullable Object nullable(DataType type) {
        return type.isNullable() && random.nextInt(6) == 0 ? null : value(type);
    }

    /** A value that is not null. */
    public Object value(DataType type) {
        return switch (type.getTypeRoot()) {
            case BOOLEAN -> random.nextBoolean();
            case TINYINT -> (byte) whole(Byte.MIN_VALUE, Byte.MAX_VALUE);
            case SMALLINT -> (short) whole(Short.MIN_VALUE, Short.MAX_VALUE);
            case INTEGER -> (int) whole(Integer.MIN_VALUE, Integer.MAX_VALUE);
            case BIGINT -> whole(Long.MIN_VALUE, Long.MAX_VALUE);
            case FLOAT -> random.nextInt(10) == 0 ? Float.MAX_VALUE : (float) fraction();
            case DOUBLE -> fraction();
            case DATE -> (int) anywhere(-719_162, 2_932_896);
            case TIME_WITHOUT_TIME_ZONE -> (int) anywhere(0, DAY_MILLIS - 1);
            case TIMESTAMP_WITHOUT_TIME_ZONE -> moment(((TimestampType) type).getPrecision());
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE ->
                    moment(((LocalZonedTimestampType) type).getPrecision());
            case DECIMAL -> decimal((DecimalType) type);
            case CHAR -> text(((CharType) type).getLength());
            case VARCHAR -> text(Math.min(300, ((VarCharType) type).getLength()));
            case BINARY -> bytes(((BinaryType) type).getLength());
            case VARBINARY -> bytes(random.nextInt(Math.min(20, binaryLength(type)) + 1));
            case ARRAY -> array(((ArrayType) type).getElementType());
            case MAP -> map(((MapType) type).getKeyType(), ((MapType) type).getValueType());
            case MULTISET -> map(((MultisetType) type).getElementType(), DataTypes.INT().notNull());
            case ROW -> row((RowType) type);
            case VARIANT, BLOB, VECTOR -> throw new IllegalArgumentException("" + type);
        };
    }

    private static int binaryLength(DataType type) {
        return ((VarBinaryType) type).getLength();
    }

    /** Often a small number, so that conditions on such find rows. */
    private long whole(long least, long greatest) {
        return random.nextInt(3) == 0 ? anywhere(least, greatest) : random.nextInt(100) - 20;
    }

    private long anywhere(long least, long greatest) {
        return switch (random.nextInt(6)) {
            case 0 -> least;
            case 1 -> greatest;
            case 2 -> Math.clamp(random.nextInt(10), least, greatest);
            default -> least + Math.floorMod(random.nextLong(), Math.max(1, greatest - least));
        };
    }

    private double fraction() {
        return switch (random.nextInt(12)) {
            case 0 -> Double.NaN;
            case 1 -> Double.POSITIVE_INFINITY;
            case 2 -> Double.NEGATIVE_INFINITY;
            case 3 -> -0.0;
            case 4 -> 0.0;
            case 5 -> random.nextGaussian();
            default -> random.nextInt(1_000) / 8.0 - 20;
        };
    }

    private Timestamp moment(int precision) {
        // From the year of the Gregorian calendar to 9999: java.sql.Timestamp, by which Paimon
        // writes ORC, has another calendar before
        long millis = anywhere(firstMillis(), 253_402_300_799_999L);
        long unit = LongMath.pow(10, 9 - precision);
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

    private Decimal decimal(DecimalType type) {
        BigInteger limit = BigInteger.TEN.pow(type.getPrecision());
        BigInteger unscaled =
                switch (random.nextInt(5)) {
                    case 0 -> limit.subtract(BigInteger.ONE);
                    case 1 -> limit.subtract(BigInteger.ONE).negate();
                    default ->
                            new BigInteger(120, new java.util.Random(random.nextLong())).mod(limit);
                };
        return Decimal.fromBigDecimal(
                new BigDecimal(unscaled, type.getScale()), type.getPrecision(), type.getScale());
    }

    private BinaryString text(int max) {
        StringBuilder text = new StringBuilder();
        int length = random.nextInt(5) == 0 ? 0 : random.nextInt(max + 1);
        for (int i = 0; i < length; i++) {
            text.appendCodePoint(
                    LETTERS.codePointAt(
                            LETTERS.offsetByCodePoints(0, random.nextInt(LETTER_COUNT))));
        }
        return BinaryString.fromString(text.toString());
    }

    private byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    private GenericArray array(DataType element) {
        Object[] values = new Object[random.nextInt(4)];
        for (int i = 0; i < values.length; i++) {
            values[i] = nullable(element);
        }
        return new GenericArray(values);
    }

    private GenericMap map(DataType keys, DataType values) {
        Map<Object, @Nullable Object> entries = new LinkedHashMap<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            entries.put(value(keys), nullable(values));
        }
        return new GenericMap(entries);
    }

    /** A row with a value for each field. */
    public GenericRow row(RowType type) {
        List<@Nullable Object> values = new ArrayList<>();
        for (DataField field : type.getFields()) {
            values.add(nullable(field.type()));
        }
        return GenericRow.of(values.toArray());
    }
}
