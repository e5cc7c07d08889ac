package io.stele.paimon.type;

import static io.trino.spi.type.DateTimeEncoding.packDateTimeWithZone;
import static io.trino.spi.type.DateTimeEncoding.unpackMillisUtc;
import static io.trino.spi.type.DoubleType.DOUBLE;
import static io.trino.spi.type.RealType.REAL;
import static io.trino.spi.type.TimeZoneKey.UTC_KEY;
import static java.lang.Float.floatToRawIntBits;
import static java.lang.Float.intBitsToFloat;

import com.google.common.math.LongMath;
import io.trino.spi.type.DecimalType;
import io.trino.spi.type.Int128;
import io.trino.spi.type.LongTimestamp;
import io.trino.spi.type.LongTimestampWithTimeZone;
import io.trino.spi.type.TimestampType;
import io.trino.spi.type.TimestampWithTimeZoneType;
import io.trino.spi.type.Type;
import java.math.BigInteger;
import java.util.Optional;
import java.util.TimeZone;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DataTypeRoot;
import org.apache.paimon.types.VarBinaryType;
import org.apache.paimon.types.VarCharType;

/**
 * Conversions of a file's values without elements to the type that their column was altered to.
 * Each loses nothing, or returns what Paimon's reader returns. Stateless.
 */
final class ValueCasts {
    private ValueCasts() {}

    /**
     * The conversion between two types; empty: left to Paimon's reader.
     *
     * @param fromType {@code from} of Trino
     * @param toType {@code to} of Trino
     */
    static Optional<BlockCast> find(DataType from, DataType to, Type fromType, Type toType) {
        if (from.equalsIgnoreNullable(to)) {
            return Optional.of(BlockCast.NONE);
        }
        return switch (to.getTypeRoot()) {
            case SMALLINT, INTEGER, BIGINT -> integer(from, to, fromType, toType);
            case FLOAT, DOUBLE -> approximate(from, to, fromType);
            case DECIMAL -> decimal(from, fromType, (DecimalType) toType);
            case VARCHAR -> longerText(from, (VarCharType) to);
            case VARBINARY -> longerBytes(from, (VarBinaryType) to);
            case TIMESTAMP_WITHOUT_TIME_ZONE -> timestamp(fromType, (TimestampType) toType);
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE ->
                    instant(fromType, (TimestampWithTimeZoneType) toType);
            default -> Optional.empty();
        };
    }

    /** The digits of the largest value; 0: no integer type. */
    private static int digits(DataTypeRoot root) {
        return switch (root) {
            case TINYINT -> 3;
            case SMALLINT -> 5;
            case INTEGER -> 10;
            case BIGINT -> 19;
            default -> 0;
        };
    }

    private static Optional<BlockCast> integer(
            DataType from, DataType to, Type fromType, Type toType) {
        int digits = digits(from.getTypeRoot());
        if (digits == 0 || digits > digits(to.getTypeRoot())) {
            return Optional.empty();
        }
        return Optional.of(
                BlockCast.ofValues(
                        toType,
                        (block, position, target) ->
                                toType.writeLong(target, fromType.getLong(block, position))));
    }

    private static Optional<BlockCast> approximate(DataType from, DataType to, Type fromType) {
        boolean isDouble = to.is(DataTypeRoot.DOUBLE);
        if (digits(from.getTypeRoot()) > 0) {
            return Optional.of(
                    isDouble
                            ? BlockCast.ofValues(
                                    DOUBLE,
                                    (block, position, target) ->
                                            DOUBLE.writeDouble(
                                                    target,
                                                    (double) fromType.getLong(block, position)))
                            : BlockCast.ofValues(
                                    REAL,
                                    (block, position, target) ->
                                            REAL.writeLong(
                                                    target,
                                                    floatToRawIntBits(
                                                            (float)
                                                                    fromType.getLong(
                                                                            block, position)))));
        }
        if (isDouble && from.is(DataTypeRoot.FLOAT)) {
            return Optional.of(
                    BlockCast.ofValues(
                            DOUBLE,
                            (block, position, target) ->
                                    DOUBLE.writeDouble(
                                            target,
                                            intBitsToFloat((int) REAL.getLong(block, position)))));
        }
        return Optional.empty();
    }

    private static Optional<BlockCast> decimal(DataType from, Type fromType, DecimalType to) {
        int scale = fromType instanceof DecimalType decimal ? decimal.getScale() : 0;
        int whole =
                fromType instanceof DecimalType decimal
                        ? decimal.getPrecision() - scale
                        : digits(from.getTypeRoot());
        // Else values could overflow, or lose digits
        if (whole == 0 && !(fromType instanceof DecimalType)
                || to.getPrecision() - to.getScale() < whole
                || to.getScale() < scale) {
            return Optional.empty();
        }
        boolean isWide = fromType instanceof DecimalType decimal && !decimal.isShort();
        BigInteger factor = BigInteger.TEN.pow(to.getScale() - scale);
        if (to.isShort()) {
            long shortFactor = factor.longValueExact();
            return Optional.of(
                    BlockCast.ofValues(
                            to,
                            (block, position, target) ->
                                    to.writeLong(
                                            target,
                                            fromType.getLong(block, position) * shortFactor)));
        }
        return Optional.of(
                BlockCast.ofValues(
                        to,
                        (block, position, target) -> {
                            BigInteger unscaled =
                                    isWide
                                            ? ((Int128) fromType.getObject(block, position))
                                                    .toBigInteger()
                                            : BigInteger.valueOf(fromType.getLong(block, position));
                            to.writeObject(target, Int128.valueOf(unscaled.multiply(factor)));
                        }));
    }

    private static Optional<BlockCast> longerText(DataType from, VarCharType to) {
        return from instanceof VarCharType text && text.getLength() <= to.getLength()
                ? Optional.of(BlockCast.NONE)
                : Optional.empty();
    }

    private static Optional<BlockCast> longerBytes(DataType from, VarBinaryType to) {
        return from instanceof VarBinaryType bytes && bytes.getLength() <= to.getLength()
                ? Optional.of(BlockCast.NONE)
                : Optional.empty();
    }

    private static Optional<BlockCast> timestamp(Type from, TimestampType to) {
        if (!(from instanceof TimestampType type) || type.getPrecision() > to.getPrecision()) {
            return Optional.empty();
        }
        if (type.isShort() == to.isShort()) {
            return Optional.of(BlockCast.NONE);
        }
        return Optional.of(
                BlockCast.ofValues(
                        to,
                        (block, position, target) ->
                                to.writeObject(
                                        target,
                                        new LongTimestamp(type.getLong(block, position), 0))));
    }

    private static Optional<BlockCast> instant(Type from, TimestampWithTimeZoneType to) {
        if (!(from instanceof TimestampWithTimeZoneType type)
                || type.getPrecision() > to.getPrecision()) {
            return Optional.empty();
        }
        if (type.isShort() == to.isShort()) {
            return Optional.of(BlockCast.NONE);
        }
        return Optional.of(
                BlockCast.ofValues(
                        to,
                        (block, position, target) ->
                                to.writeObject(
                                        target,
                                        LongTimestampWithTimeZone.fromEpochMillisAndFraction(
                                                unpackMillisUtc(type.getLong(block, position)),
                                                0,
                                                UTC_KEY))));
    }

    /** Cuts the digits that the type does not have. */
    static BlockCast truncated(TimestampType type) {
        int precision = type.getPrecision();
        if (precision % 3 == 0 && precision > 0) {
            return BlockCast.NONE;
        }
        if (type.isShort()) {
            long unit = LongMath.pow(10, 6 - precision);
            return BlockCast.ofValues(
                    type,
                    (block, position, target) -> {
                        long micros = type.getLong(block, position);
                        type.writeLong(target, micros - Math.floorMod(micros, unit));
                    });
        }
        int unit = (int) LongMath.pow(10, 12 - precision);
        return BlockCast.ofValues(
                type,
                (block, position, target) -> {
                    LongTimestamp value = (LongTimestamp) type.getObject(block, position);
                    int picos = value.getPicosOfMicro();
                    type.writeObject(
                            target,
                            new LongTimestamp(value.getEpochMicros(), picos - picos % unit));
                });
    }

    /** Cuts the digits of moments that the type does not have. */
    static BlockCast truncated(TimestampWithTimeZoneType type) {
        int precision = type.getPrecision();
        if (precision % 3 == 0 && precision > 0) {
            return BlockCast.NONE;
        }
        if (type.isShort()) {
            long unit = LongMath.pow(10, 3 - precision);
            return BlockCast.ofValues(
                    type,
                    (block, position, target) -> {
                        long millis = unpackMillisUtc(type.getLong(block, position));
                        type.writeLong(
                                target,
                                packDateTimeWithZone(
                                        millis - Math.floorMod(millis, unit), UTC_KEY));
                    });
        }
        int unit = (int) LongMath.pow(10, 12 - precision);
        return BlockCast.ofValues(
                type,
                (block, position, target) -> {
                    LongTimestampWithTimeZone value =
                            (LongTimestampWithTimeZone) type.getObject(block, position);
                    int picos = value.getPicosOfMilli();
                    type.writeObject(
                            target,
                            LongTimestampWithTimeZone.fromEpochMillisAndFraction(
                                    value.getEpochMillis(), picos - picos % unit, UTC_KEY));
                });
    }

    /** Corrects moments that were stored as the wall clock of a zone showed their time in UTC. */
    static BlockCast shifted(TimestampWithTimeZoneType type, TimeZone zone) {
        return type.isShort()
                ? BlockCast.ofValues(
                        type,
                        (block, position, target) -> {
                            long millis = unpackMillisUtc(type.getLong(block, position));
                            type.writeLong(
                                    target,
                                    packDateTimeWithZone(millis + zone.getOffset(millis), UTC_KEY));
                        })
                : BlockCast.ofValues(
                        type,
                        (block, position, target) -> {
                            LongTimestampWithTimeZone value =
                                    (LongTimestampWithTimeZone) type.getObject(block, position);
                            long millis = value.getEpochMillis();
                            type.writeObject(
                                    target,
                                    LongTimestampWithTimeZone.fromEpochMillisAndFraction(
                                            millis + zone.getOffset(millis),
                                            value.getPicosOfMilli(),
                                            UTC_KEY));
                        });
    }
}
