package io.stele.flink.type;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.schema.ArrayType;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.MapType;
import io.stele.protocol.schema.RowType;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.GenericArrayData;
import org.apache.flink.table.data.GenericMapData;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.MapData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.utils.LogicalTypeChecks;
import org.jspecify.annotations.Nullable;

/**
 * A converter of one non-null value between Flink's internal data and the Java classes of {@link
 * io.stele.protocol.row.Rows}. Stateless.
 */
@FunctionalInterface
public interface ValueConverter {
    Object convert(Object value);

    /** Converts a value; null remains null. */
    default @Nullable Object convertNullable(@Nullable Object value) {
        return value == null ? null : convert(value);
    }

    /** A converter from Flink's internal data of a declared type to Java values of a column. */
    static ValueConverter toStele(LogicalType declared, DataType column) {
        return switch (column.kind()) {
            case BOOLEAN, TINYINT, SMALLINT, INTEGER, BIGINT, REAL, DOUBLE, VARBINARY ->
                    value -> value;
            case DECIMAL -> value -> ((DecimalData) value).toBigDecimal();
            case VARCHAR, CHAR, JSON -> Object::toString;
            case UUID -> value -> uuid(value.toString());
            case DATE -> value -> LocalDate.ofEpochDay((Integer) value);
            case TIME ->
                    value -> LocalTime.ofNanoOfDay(TimeUnit.MILLISECONDS.toNanos((Integer) value));
            case TIMESTAMP -> value -> ((TimestampData) value).toLocalDateTime();
            case TIMESTAMP_WITH_TIME_ZONE -> value -> ((TimestampData) value).toInstant();
            case ARRAY -> {
                LogicalType type = declared.getChildren().get(0);
                ArrayData.ElementGetter getter = ArrayData.createElementGetter(type);
                ValueConverter element = toStele(type, ((ArrayType) column).element());
                yield value -> list((ArrayData) value, getter, element);
            }
            case MAP -> {
                LogicalType keyType = declared.getChildren().get(0);
                LogicalType valueType = declared.getChildren().get(1);
                ArrayData.ElementGetter keys = ArrayData.createElementGetter(keyType);
                ArrayData.ElementGetter values = ArrayData.createElementGetter(valueType);
                ValueConverter key = toStele(keyType, ((MapType) column).key());
                ValueConverter mapped = toStele(valueType, ((MapType) column).value());
                yield value -> map((MapData) value, keys, key, values, mapped);
            }
            case ROW -> {
                List<LogicalType> types = declared.getChildren();
                List<RowData.FieldGetter> getters = new ArrayList<>();
                List<ValueConverter> fields = new ArrayList<>();
                for (int i = 0; i < types.size(); i++) {
                    getters.add(RowData.createFieldGetter(types.get(i), i));
                    fields.add(toStele(types.get(i), ((RowType) column).fields().get(i).type()));
                }
                yield value -> fields((RowData) value, getters, fields);
            }
        };
    }

    private static UUID uuid(String text) {
        try {
            return UUID.fromString(text);
        } catch (IllegalArgumentException malformed) {
            throw new SteleException(
                    ErrorCode.TYPE_MISMATCH,
                    "Expected a UUID as text, found '" + text + "'",
                    malformed);
        }
    }

    private static List<@Nullable Object> list(
            ArrayData array, ArrayData.ElementGetter getter, ValueConverter element) {
        List<@Nullable Object> values = new ArrayList<>(array.size());
        for (int i = 0; i < array.size(); i++) {
            values.add(element.convertNullable(getter.getElementOrNull(array, i)));
        }
        return values;
    }

    private static Map<@Nullable Object, @Nullable Object> map(
            MapData map,
            ArrayData.ElementGetter keys,
            ValueConverter key,
            ArrayData.ElementGetter values,
            ValueConverter mapped) {
        Map<@Nullable Object, @Nullable Object> converted = new LinkedHashMap<>();
        for (int i = 0; i < map.size(); i++) {
            converted.put(
                    key.convertNullable(keys.getElementOrNull(map.keyArray(), i)),
                    mapped.convertNullable(values.getElementOrNull(map.valueArray(), i)));
        }
        return converted;
    }

    private static List<@Nullable Object> fields(
            RowData row, List<RowData.FieldGetter> getters, List<ValueConverter> fields) {
        List<@Nullable Object> values = new ArrayList<>(fields.size());
        for (int i = 0; i < fields.size(); i++) {
            values.add(fields.get(i).convertNullable(getters.get(i).getFieldOrNull(row)));
        }
        return values;
    }

    /** A converter from Java values of a column to Flink's internal data of a declared type. */
    static ValueConverter toFlink(DataType column, LogicalType declared) {
        return switch (column.kind()) {
            case BOOLEAN, TINYINT, SMALLINT, INTEGER, BIGINT, REAL, DOUBLE, VARBINARY ->
                    value -> value;
            case DECIMAL -> {
                int precision = LogicalTypeChecks.getPrecision(declared);
                int scale = LogicalTypeChecks.getScale(declared);
                yield value -> DecimalData.fromBigDecimal((BigDecimal) value, precision, scale);
            }
            case VARCHAR, CHAR, JSON, UUID -> value -> StringData.fromString(value.toString());
            case DATE -> value -> (int) ((LocalDate) value).toEpochDay();
            case TIME ->
                    value -> (int) TimeUnit.NANOSECONDS.toMillis(((LocalTime) value).toNanoOfDay());
            case TIMESTAMP -> value -> TimestampData.fromLocalDateTime((LocalDateTime) value);
            case TIMESTAMP_WITH_TIME_ZONE -> value -> TimestampData.fromInstant((Instant) value);
            case ARRAY -> {
                ValueConverter element =
                        toFlink(((ArrayType) column).element(), declared.getChildren().get(0));
                yield value ->
                        new GenericArrayData(
                                ((List<?>) value).stream().map(element::convertNullable).toArray());
            }
            case MAP -> {
                ValueConverter key =
                        toFlink(((MapType) column).key(), declared.getChildren().get(0));
                ValueConverter mapped =
                        toFlink(((MapType) column).value(), declared.getChildren().get(1));
                yield value -> {
                    Map<@Nullable Object, @Nullable Object> converted = new LinkedHashMap<>();
                    ((Map<?, ?>) value)
                            .forEach(
                                    (from, to) ->
                                            converted.put(
                                                    key.convertNullable(from),
                                                    mapped.convertNullable(to)));
                    return new GenericMapData(converted);
                };
            }
            case ROW -> {
                List<ValueConverter> fields = new ArrayList<>();
                for (int i = 0; i < declared.getChildren().size(); i++) {
                    fields.add(
                            toFlink(
                                    ((RowType) column).fields().get(i).type(),
                                    declared.getChildren().get(i)));
                }
                yield value -> {
                    GenericRowData row = new GenericRowData(fields.size());
                    for (int i = 0; i < fields.size(); i++) {
                        row.setField(i, fields.get(i).convertNullable(((List<?>) value).get(i)));
                    }
                    return row;
                };
            }
        };
    }
}
