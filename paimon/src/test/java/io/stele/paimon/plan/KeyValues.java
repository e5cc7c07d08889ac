package io.stele.paimon.plan;

import java.math.BigDecimal;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.Decimal;
import org.apache.paimon.data.Timestamp;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DecimalType;

/** Values of types of keys, in the order of numbers or nearly so. Stateless. */
final class KeyValues {
    private KeyValues() {}

    static Object of(DataType type, int number) {
        return switch (type.getTypeRoot()) {
            case INTEGER -> number - 50;
            case BIGINT -> number * 1_000_000_007L - 10_000_000_000L;
            case VARCHAR -> BinaryString.fromString("ä" + Integer.toString(number * 7, 36));
            case DECIMAL -> {
                DecimalType decimal = (DecimalType) type;
                yield Decimal.fromBigDecimal(
                        new BigDecimal("10000000000000000").multiply(new BigDecimal(number - 40)),
                        decimal.getPrecision(),
                        decimal.getScale());
            }
            case TIMESTAMP_WITHOUT_TIME_ZONE ->
                    Timestamp.fromEpochMillis(1_000_000_000_000L + number / 3, number % 3);
            default ->
                    throw new IllegalArgumentException("Expected a type of a key, found " + type);
        };
    }
}
