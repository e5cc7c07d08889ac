package io.stele.connector.type;

import static io.trino.spi.type.TimeZoneKey.UTC_KEY;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.protocol.schema.TimestampType;
import io.trino.spi.block.Block;
import io.trino.spi.block.ValueBlock;
import io.trino.spi.type.LongTimestamp;
import io.trino.spi.type.LongTimestampWithTimeZone;
import io.trino.spi.type.TimestampWithTimeZoneType;
import io.trino.spi.type.Type;
import io.trino.spi.type.TypeUtils;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** All of Trino's long timestamps, and the order that Trino gives them, against our bytes. */
final class TestWideTimes {
    private static final int VALUES = 3_000;
    private static final long MAX_MILLIS = (1L << 51) - 1;

    @ParameterizedTest
    @CsvSource({
        "7,false", "8,false", "9,false", "10,false", "11,false", "12,false",
        "7,true", "8,true", "9,true", "10,true", "11,true", "12,true"
    })
    void valuesComeBackInTrinosOrder(int precision, boolean zoned) {
        TimestampType stored = TimestampType.ofAllYears(precision, zoned);
        Type type =
                zoned
                        ? TimestampWithTimeZoneType.createTimestampWithTimeZoneType(precision)
                        : io.trino.spi.type.TimestampType.createTimestampType(precision);
        SplittableRandom random = new SplittableRandom(precision);
        Object before = value(random, precision, zoned);
        byte[] bytesBefore = NativeValues.encode(stored, type, before);
        for (int i = 0; i < VALUES; i++) {
            Object value = value(random, precision, zoned);
            byte[] bytes = NativeValues.encode(stored, type, value);
            assertThat(NativeValues.decode(stored, bytes)).contains(value);
            assertThat(Integer.signum(Arrays.compareUnsigned(bytes, bytesBefore)))
                    .as("%s and %s", value, before)
                    .isEqualTo(compare(value, before));
            Block block = TypeUtils.writeNativeValue(type, value);
            OrcTypes.Mapping mapping = OrcTypes.mapping(stored, type);
            Block back = mapping.fromFile(mapping.toFile(block));
            assertThat(TypeUtils.readNativeValue(type, (ValueBlock) back, 0)).isEqualTo(value);
            before = value;
            bytesBefore = bytes;
        }
    }

    private static int compare(Object left, Object right) {
        return left instanceof LongTimestamp timestamp
                ? Integer.signum(timestamp.compareTo((LongTimestamp) right))
                : Integer.signum(
                        ((LongTimestampWithTimeZone) left)
                                .compareTo((LongTimestampWithTimeZone) right));
    }

    private static Object value(SplittableRandom random, int precision, boolean zoned) {
        int perWhole = zoned ? 1_000_000_000 : 1_000_000;
        int step = (int) Math.pow(10, 12 - precision);
        int picos =
                switch (random.nextInt(4)) {
                    case 0 -> 0;
                    case 1 -> perWhole - step;
                    default -> random.nextInt(perWhole) / step * step;
                };
        long max = zoned ? MAX_MILLIS : Long.MAX_VALUE;
        long min = zoned ? -MAX_MILLIS : Long.MIN_VALUE;
        long whole =
                switch (random.nextInt(6)) {
                    case 0 -> min;
                    case 1 -> max;
                    case 2 -> random.nextInt(-2, 3);
                    case 3 -> random.nextLong(-10_000_000L, 10_000_000L);
                    default -> random.nextLong(min, max);
                };
        return zoned
                ? LongTimestampWithTimeZone.fromEpochMillisAndFraction(whole, picos, UTC_KEY)
                : new LongTimestamp(whole, picos);
    }
}
