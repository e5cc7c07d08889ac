package io.stele.paimon;

import static java.util.Objects.requireNonNull;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
import org.apache.paimon.types.RowType;
import org.apache.paimon.types.TimestampType;
import org.apache.paimon.types.VarCharType;
import org.jspecify.annotations.Nullable;

/** A generator of types, and of values of Paimon, edges more often than chance would. */
final class RandomValues {
    private static final String LETTERS = "abcdefghijklmnopqrstuvwxyzäöü漢字 %'";

    private final RandomGenerator random;

    RandomValues(RandomGenerator random) {
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
    @Nullable Object value(DataType type) {
        if (type.isNullable() && random.nextInt(6) == 0) {
            return null;
        }
        return switch (type.getTypeRoot()) {
            case BOOLEAN -> random.nextBoolean();
            case TINYINT -> (byte) whole(8);
            case SMALLINT -> (short) whole(16);
            case INTEGER -> (int) whole(32);
            case BIGINT -> whole(64);
            case FLOAT -> (float) fraction();
            case DOUBLE -> fraction();
            case DATE -> random.nextInt(40_000) - 20_000;
            case TIME_WITHOUT_TIME_ZONE -> random.nextInt(86_400_000);
            case TIMESTAMP_WITHOUT_TIME_ZONE -> moment(((TimestampType) type).getPrecision());
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE ->
                    moment(((LocalZonedTimestampType) type).getPrecision());
            case DECIMAL -> decimal((DecimalType) type);
            case CHAR -> text(((CharType) type).getLength());
            case VARCHAR -> text(Math.min(40, ((VarCharType) type).getLength()));
            case BINARY -> bytes(((BinaryType) type).getLength());
            case VARBINARY -> bytes(random.nextInt(20));
            case ARRAY -> array(((ArrayType) type).getElementType());
            case MAP -> map((MapType) type);
            case ROW -> row((RowType) type);
            case MULTISET, VARIANT, BLOB, VECTOR -> throw new IllegalArgumentException("" + type);
        };
    }

    private long whole(int bits) {
        long max = bits == 64 ? Long.MAX_VALUE : (1L << (bits - 1)) - 1;
        return switch (random.nextInt(8)) {
            case 0 -> max;
            case 1 -> -max - 1;
            case 2 -> random.nextLong() >> (64 - bits);
            default -> random.nextInt(100) - 20;
        };
    }

    private double fraction() {
        return switch (random.nextInt(10)) {
            case 0 -> Double.NaN;
            case 1 -> Double.POSITIVE_INFINITY;
            case 2 -> -0.0;
            case 3 -> 0.0;
            default -> random.nextInt(1_000) / 8.0 - 20;
        };
    }

    private Timestamp moment(int precision) {
        long millis = random.nextLong(-4_000_000_000_000L, 4_000_000_000_000L);
        int nanos = random.nextInt(1_000_000);
        if (precision < 3) {
            millis = Math.floorDiv(millis, 1_000L) * 1_000;
        }
        return switch (precision) {
            case 9 -> Timestamp.fromEpochMillis(millis, nanos);
            case 6 -> Timestamp.fromEpochMillis(millis, nanos / 1_000 * 1_000);
            default -> Timestamp.fromEpochMillis(millis);
        };
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
            text.append(LETTERS.charAt(random.nextInt(LETTERS.length())));
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
            values[i] = value(element);
        }
        return new GenericArray(values);
    }

    private GenericMap map(MapType type) {
        Map<Object, @Nullable Object> values = new LinkedHashMap<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            values.put(requireNonNull(value(type.getKeyType())), value(type.getValueType()));
        }
        return new GenericMap(values);
    }

    /** A row with a value for each field. */
    GenericRow row(RowType type) {
        List<@Nullable Object> values = new ArrayList<>();
        for (DataField field : type.getFields()) {
            values.add(value(field.type()));
        }
        return GenericRow.of(values.toArray());
    }
}
