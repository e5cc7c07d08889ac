package io.stele.paimon.type;

import static io.trino.spi.type.TimeZoneKey.UTC_KEY;

import io.trino.spi.block.Block;
import io.trino.spi.block.ValueBlock;
import io.trino.spi.type.LongTimestamp;
import io.trino.spi.type.LongTimestampWithTimeZone;
import io.trino.spi.type.TimestampType;
import io.trino.spi.type.TimestampWithTimeZoneType;

/**
 * The correction of times before 1970 that trino-orc reads one second too early.
 *
 * <p>ORC stores seconds and nanoseconds, and its writers cut negative seconds towards zero, so that
 * readers take one off. Since ORC 1.6 readers take it off only where the nanoseconds are a
 * millisecond or more, but trino-orc takes it off for all nanoseconds but zero. A time that it
 * reads as less than a millisecond after a negative second is therefore a second too early. (Around
 * 1970-01-01 in files of other zones than UTC the sign of what is stored is not known; there the
 * time is left as it was read.)
 */
final class OrcSeconds {
    private static final long MICROS = 1_000_000;
    private static final long MICROS_OF_MILLI = 1_000;
    private static final long MILLIS = 1_000;

    private OrcSeconds() {}

    /** Whether a value must be corrected. */
    @FunctionalInterface
    private interface Test {
        boolean test(ValueBlock block, int position);
    }

    static BlockCast corrected(TimestampType type) {
        if (type.isShort()) {
            BlockCast cast =
                    BlockCast.ofValues(
                            type,
                            (block, position, target) -> {
                                long micros = type.getLong(block, position);
                                type.writeLong(
                                        target, isEarly(micros, 0) ? micros + MICROS : micros);
                            });
            return block ->
                    any(block, (values, i) -> isEarly(type.getLong(values, i), 0))
                            ? cast.apply(block)
                            : block;
        }
        BlockCast cast =
                BlockCast.ofValues(
                        type,
                        (block, position, target) -> {
                            LongTimestamp value = (LongTimestamp) type.getObject(block, position);
                            long micros = value.getEpochMicros();
                            int picos = value.getPicosOfMicro();
                            type.writeObject(
                                    target,
                                    isEarly(micros, picos)
                                            ? new LongTimestamp(micros + MICROS, picos)
                                            : value);
                        });
        return block ->
                any(
                                block,
                                (values, i) -> {
                                    LongTimestamp value = (LongTimestamp) type.getObject(values, i);
                                    return isEarly(value.getEpochMicros(), value.getPicosOfMicro());
                                })
                        ? cast.apply(block)
                        : block;
    }

    static BlockCast corrected(TimestampWithTimeZoneType type) {
        if (type.isShort()) {
            return BlockCast.NONE;
        }
        BlockCast cast =
                BlockCast.ofValues(
                        type,
                        (block, position, target) -> {
                            LongTimestampWithTimeZone value =
                                    (LongTimestampWithTimeZone) type.getObject(block, position);
                            type.writeObject(
                                    target,
                                    isEarly(value)
                                            ? LongTimestampWithTimeZone.fromEpochMillisAndFraction(
                                                    value.getEpochMillis() + MILLIS,
                                                    value.getPicosOfMilli(),
                                                    UTC_KEY)
                                            : value);
                        });
        return block ->
                any(
                                block,
                                (values, i) ->
                                        isEarly(
                                                (LongTimestampWithTimeZone)
                                                        type.getObject(values, i)))
                        ? cast.apply(block)
                        : block;
    }

    private static boolean isEarly(long micros, int picos) {
        if (micros >= -MICROS) {
            return false;
        }
        long fraction = Math.floorMod(micros, MICROS);
        return fraction < MICROS_OF_MILLI && (fraction > 0 || picos > 0);
    }

    private static boolean isEarly(LongTimestampWithTimeZone value) {
        return value.getEpochMillis() < -MILLIS
                && Math.floorMod(value.getEpochMillis(), MILLIS) == 0
                && value.getPicosOfMilli() > 0;
    }

    private static boolean any(Block block, Test test) {
        ValueBlock values = block.getUnderlyingValueBlock();
        for (int i = 0; i < values.getPositionCount(); i++) {
            if (!values.isNull(i) && test.test(values, i)) {
                return true;
            }
        }
        return false;
    }
}
