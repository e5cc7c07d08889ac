package io.stele.protocol.arrow;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.row.ArrayEncoder;
import io.stele.protocol.row.MapEncoder;
import io.stele.protocol.row.RowEncoder;
import io.stele.protocol.row.ValueEncoder;
import io.stele.protocol.schema.ArrayType;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.DecimalType;
import io.stele.protocol.schema.MapType;
import io.stele.protocol.schema.PhysicalForm;
import io.stele.protocol.schema.RowType;
import io.stele.protocol.schema.ScalarType;
import io.stele.protocol.schema.TimeType;
import io.stele.protocol.schema.TimestampType;
import io.stele.protocol.schema.TypeKind;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.nio.ByteBuffer;

/**
 * A copier of values of one Arrow type to one type of Stele in binary rows, chosen once for each
 * stream. Immutable.
 */
interface ValueCopier {
    /** Copies a value that is not null. */
    void copy(ArrowColumn source, int index, ValueEncoder target, int targetIndex);

    /**
     * The copier from an Arrow type to a type; throws TYPE_MISMATCH, naming the column, if there is
     * none.
     */
    static ValueCopier of(ArrowType source, DataType target, String column) {
        DataType found = source.type();
        if (source.form() == ArrowType.Form.NULL) {
            return (from, i, to, j) -> {}; // there is no value to copy
        }
        return switch (target.kind()) {
            case BOOLEAN -> {
                check(found == ScalarType.BOOLEAN, target, found, column);
                yield (from, i, to, j) -> to.setBoolean(j, from.booleanAt(i));
            }
            case TINYINT, SMALLINT, INTEGER, BIGINT -> {
                check(isInteger(found.kind()), target, found, column);
                yield (from, i, to, j) -> to.setLong(j, from.longAt(i));
            }
            case REAL -> {
                check(found == ScalarType.REAL, target, found, column);
                yield (from, i, to, j) -> to.setFloat(j, from.floatAt(i));
            }
            case DOUBLE -> {
                check(
                        found == ScalarType.DOUBLE || found == ScalarType.REAL,
                        target,
                        found,
                        column);
                yield found == ScalarType.DOUBLE
                        ? (from, i, to, j) -> to.setDouble(j, from.doubleAt(i))
                        : (from, i, to, j) -> to.setDouble(j, from.floatAt(i));
            }
            case DECIMAL -> decimal(found, (DecimalType) target, column);
            case VARCHAR, CHAR, JSON -> {
                check(source.isText(), target, found, column);
                yield ValueCopier::copyBytes;
            }
            case VARBINARY -> {
                check(found == ScalarType.VARBINARY, target, found, column);
                yield ValueCopier::copyBytes;
            }
            case DATE -> {
                check(found == ScalarType.DATE, target, found, column);
                yield (from, i, to, j) -> to.setLong(j, from.longAt(i));
            }
            case TIME, TIMESTAMP, TIMESTAMP_WITH_TIME_ZONE -> {
                // A decimal that lost the metadata of its time type is recognized by its precision
                check(
                        found.kind() == target.kind()
                                || ArrowType.decimal(target).filter(found::equals).isPresent(),
                        target,
                        found,
                        column);
                yield time(found, target, column);
            }
            case UUID -> {
                check(found == ScalarType.UUID, target, found, column);
                yield (from, i, to, j) -> to.setInt128(j, from.highAt(i), from.lowAt(i));
            }
            case ARRAY -> {
                check(found instanceof ArrayType, target, found, column);
                yield array(of(source.children().get(0), ((ArrayType) target).element(), column));
            }
            case MAP -> {
                check(found instanceof MapType, target, found, column);
                MapType map = (MapType) target;
                yield map(
                        of(source.children().get(0), map.key(), column),
                        of(source.children().get(1), map.value(), column));
            }
            case ROW -> {
                RowType row = (RowType) target;
                check(
                        found instanceof RowType && source.children().size() == row.fields().size(),
                        target,
                        found,
                        column);
                ValueCopier[] fields = new ValueCopier[row.fields().size()];
                for (int i = 0; i < fields.length; i++) {
                    fields[i] = of(source.children().get(i), row.fields().get(i).type(), column);
                }
                yield row(fields);
            }
        };
    }

    private static void copyBytes(ArrowColumn from, int i, ValueEncoder to, int j) {
        int start = from.startAt(i);
        to.setBytes(j, from.rawValues(), start, from.endAt(i) - start);
    }

    private static ValueCopier decimal(DataType found, DecimalType target, String column) {
        check(
                found instanceof DecimalType decimal && decimal.scale() == target.scale(),
                target,
                found,
                column);
        return target.form() == PhysicalForm.INT64
                ? (from, i, to, j) -> to.setLong(j, from.longAt(i))
                : (from, i, to, j) -> to.setInt128(j, from.highAt(i), from.lowAt(i));
    }

    private static ValueCopier time(DataType found, DataType target, String column) {
        int foundDigits = unitDigits(found);
        int digits = unitDigits(target);
        boolean isWide = target.form() == PhysicalForm.INT128;
        if (foundDigits == digits && found.form() == target.form()) {
            return isWide
                    ? (from, i, to, j) -> to.setInt128(j, from.highAt(i), from.lowAt(i))
                    : (from, i, to, j) -> to.setLong(j, from.longAt(i));
        }
        boolean fromWide = found.form() == PhysicalForm.INT128;
        return (from, i, to, j) -> {
            BigDecimal seconds =
                    new BigDecimal(
                            fromWide
                                    ? int128(from.highAt(i), from.lowAt(i))
                                    : BigInteger.valueOf(from.longAt(i)),
                            foundDigits);
            try {
                BigInteger units =
                        seconds.setScale(digits, RoundingMode.UNNECESSARY).unscaledValue();
                if (isWide) {
                    to.setInt128(
                            j, units.shiftRight(Long.SIZE).longValueExact(), units.longValue());
                } else {
                    to.setLong(j, units.longValueExact());
                }
            } catch (ArithmeticException e) {
                throw new SteleException(
                        ErrorCode.TYPE_MISMATCH,
                        "Expected a value of type "
                                + target
                                + " in column '"
                                + column
                                + "', found "
                                + seconds.toPlainString()
                                + " seconds",
                        e);
            }
        };
    }

    /** The digits after the second's decimal point in the values of a type. */
    private static int unitDigits(DataType type) {
        if (type instanceof TimestampType timestamp) {
            return timestamp.unitDigits();
        }
        return type instanceof TimeType time ? time.unitDigits() : type.scale();
    }

    private static BigInteger int128(long high, long low) {
        byte[] bytes = new byte[2 * Long.BYTES];
        ByteBuffer.wrap(bytes).putLong(high).putLong(low);
        return new BigInteger(bytes);
    }

    private static ValueCopier array(ValueCopier element) {
        return (from, i, to, j) -> {
            int start = from.startAt(i);
            ArrayEncoder array = to.beginArray(j, from.endAt(i) - start);
            copyAll(element, from.child(0), start, array);
            array.end();
        };
    }

    private static ValueCopier map(ValueCopier key, ValueCopier value) {
        return (from, i, to, j) -> {
            int start = from.startAt(i);
            MapEncoder map = to.beginMap(j, from.endAt(i) - start);
            ArrayEncoder keys = map.beginKeys();
            copyAll(key, from.child(0), start, keys);
            keys.end();
            ArrayEncoder values = map.beginValues();
            copyAll(value, from.child(1), start, values);
            values.end();
            map.end();
        };
    }

    private static ValueCopier row(ValueCopier[] fields) {
        return (from, i, to, j) -> {
            RowEncoder row = to.beginRow(j);
            for (int field = 0; field < fields.length; field++) {
                ArrowColumn child = from.child(field);
                if (!child.isNull(i)) {
                    fields[field].copy(child, i, row, field);
                }
            }
            row.end();
        };
    }

    private static void copyAll(ValueCopier copier, ArrowColumn from, int start, ArrayEncoder to) {
        for (int i = 0; i < to.count(); i++) {
            if (!from.isNull(start + i)) {
                copier.copy(from, start + i, to, i);
            }
        }
    }

    private static boolean isInteger(TypeKind kind) {
        return switch (kind) {
            case TINYINT, SMALLINT, INTEGER, BIGINT -> true;
            default -> false;
        };
    }

    private static void check(boolean matches, DataType expected, DataType found, String column) {
        if (!matches) {
            throw new SteleException(
                    ErrorCode.TYPE_MISMATCH,
                    "Expected type " + expected + " in column '" + column + "', found " + found);
        }
    }
}
