package io.stele.flink.type;

import io.stele.protocol.schema.ArrayType;
import io.stele.protocol.schema.CharType;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.DecimalType;
import io.stele.protocol.schema.MapType;
import io.stele.protocol.schema.RowType;
import io.stele.protocol.schema.ScalarType;
import io.stele.protocol.schema.TimeType;
import io.stele.protocol.schema.TimestampType;
import io.stele.protocol.schema.VarcharType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.BooleanType;
import org.apache.flink.table.types.logical.DateType;
import org.apache.flink.table.types.logical.DoubleType;
import org.apache.flink.table.types.logical.FloatType;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.table.types.logical.LocalZonedTimestampType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.LogicalTypeRoot;
import org.apache.flink.table.types.logical.SmallIntType;
import org.apache.flink.table.types.logical.TinyIntType;
import org.apache.flink.table.types.logical.VarBinaryType;
import org.apache.flink.table.types.logical.VarCharType;
import org.apache.flink.table.types.logical.utils.LogicalTypeChecks;

/**
 * The mapping between Stele's and Flink's types, in both directions. Flink stores milliseconds of a
 * time and nanoseconds of a timestamp, so finer types have no counterpart. Stateless.
 */
public final class FlinkTypes {
    private static final int MAX_TIME_PRECISION = 3;
    private static final int MAX_TIMESTAMP_PRECISION = 9;

    private FlinkTypes() {}

    /** Flink's type for a type of Stele, nullable; empty: Flink has none. */
    public static Optional<LogicalType> toFlink(DataType type) {
        return switch (type.kind()) {
            case BOOLEAN -> Optional.of(new BooleanType());
            case TINYINT -> Optional.of(new TinyIntType());
            case SMALLINT -> Optional.of(new SmallIntType());
            case INTEGER -> Optional.of(new IntType());
            case BIGINT -> Optional.of(new BigIntType());
            case REAL -> Optional.of(new FloatType());
            case DOUBLE -> Optional.of(new DoubleType());
            case DECIMAL -> {
                DecimalType decimal = (DecimalType) type;
                yield Optional.of(
                        new org.apache.flink.table.types.logical.DecimalType(
                                decimal.precision(), decimal.scale()));
            }
            case VARCHAR -> Optional.of(varchar(((VarcharType) type).length()));
            case CHAR ->
                    Optional.of(
                            new org.apache.flink.table.types.logical.CharType(
                                    ((CharType) type).length()));
            case JSON, UUID -> Optional.of(varchar(VarCharType.MAX_LENGTH));
            case VARBINARY -> Optional.of(new VarBinaryType(VarBinaryType.MAX_LENGTH));
            case DATE -> Optional.of(new DateType());
            case TIME ->
                    ((TimeType) type).precision() > MAX_TIME_PRECISION
                            ? Optional.empty()
                            : Optional.of(
                                    new org.apache.flink.table.types.logical.TimeType(
                                            ((TimeType) type).precision()));
            case TIMESTAMP, TIMESTAMP_WITH_TIME_ZONE -> timestamp((TimestampType) type);
            case ARRAY ->
                    toFlink(((ArrayType) type).element())
                            .map(org.apache.flink.table.types.logical.ArrayType::new);
            case MAP -> map((MapType) type);
            case ROW -> row((RowType) type);
        };
    }

    private static LogicalType varchar(int length) {
        return new VarCharType(Math.max(VarCharType.MIN_LENGTH, length));
    }

    private static Optional<LogicalType> timestamp(TimestampType type) {
        int precision = type.precision();
        if (precision > MAX_TIMESTAMP_PRECISION) {
            return Optional.empty();
        }
        return Optional.of(
                type.withTimeZone()
                        ? new LocalZonedTimestampType(precision)
                        : new org.apache.flink.table.types.logical.TimestampType(precision));
    }

    private static Optional<LogicalType> map(MapType type) {
        return toFlink(type.key())
                .flatMap(
                        key ->
                                toFlink(type.value())
                                        .map(
                                                value ->
                                                        new org.apache.flink.table.types.logical
                                                                .MapType(key.copy(false), value)));
    }

    private static Optional<LogicalType> row(RowType type) {
        List<org.apache.flink.table.types.logical.RowType.RowField> fields = new ArrayList<>();
        for (RowType.Field field : type.fields()) {
            Optional<LogicalType> fieldType = toFlink(field.type());
            if (fieldType.isEmpty()) {
                return Optional.empty();
            }
            fields.add(
                    new org.apache.flink.table.types.logical.RowType.RowField(
                            field.name().orElse("f" + fields.size()), fieldType.get()));
        }
        return Optional.of(new org.apache.flink.table.types.logical.RowType(fields));
    }

    /** Stele's type for a type of Flink; empty: Stele has none. */
    public static Optional<DataType> toStele(LogicalType type) {
        return switch (type.getTypeRoot()) {
            case BOOLEAN -> Optional.of(ScalarType.BOOLEAN);
            case TINYINT -> Optional.of(ScalarType.TINYINT);
            case SMALLINT -> Optional.of(ScalarType.SMALLINT);
            case INTEGER -> Optional.of(ScalarType.INTEGER);
            case BIGINT -> Optional.of(ScalarType.BIGINT);
            case FLOAT -> Optional.of(ScalarType.REAL);
            case DOUBLE -> Optional.of(ScalarType.DOUBLE);
            case DECIMAL ->
                    Optional.of(
                            new DecimalType(
                                    LogicalTypeChecks.getPrecision(type),
                                    LogicalTypeChecks.getScale(type)));
            case CHAR -> Optional.of(new CharType(LogicalTypeChecks.getLength(type)));
            case VARCHAR ->
                    Optional.of(
                            LogicalTypeChecks.getLength(type) == VarCharType.MAX_LENGTH
                                    ? VarcharType.VARCHAR
                                    : new VarcharType(LogicalTypeChecks.getLength(type)));
            case BINARY, VARBINARY -> Optional.of(ScalarType.VARBINARY);
            case DATE -> Optional.of(ScalarType.DATE);
            case TIME_WITHOUT_TIME_ZONE ->
                    LogicalTypeChecks.getPrecision(type) > MAX_TIME_PRECISION
                            ? Optional.empty()
                            : Optional.of(new TimeType(LogicalTypeChecks.getPrecision(type)));
            case TIMESTAMP_WITHOUT_TIME_ZONE ->
                    Optional.of(
                            TimestampType.ofAllYears(LogicalTypeChecks.getPrecision(type), false));
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE ->
                    Optional.of(
                            TimestampType.ofAllYears(LogicalTypeChecks.getPrecision(type), true));
            case ARRAY -> toStele(type.getChildren().get(0)).map(ArrayType::new);
            case MAP ->
                    toStele(type.getChildren().get(0))
                            .flatMap(
                                    key ->
                                            toStele(type.getChildren().get(1))
                                                    .map(value -> new MapType(key, value)));
            case ROW -> row((org.apache.flink.table.types.logical.RowType) type);
            default -> Optional.empty();
        };
    }

    private static Optional<DataType> row(org.apache.flink.table.types.logical.RowType type) {
        List<RowType.Field> fields = new ArrayList<>();
        for (org.apache.flink.table.types.logical.RowType.RowField field : type.getFields()) {
            Optional<DataType> fieldType = toStele(field.getType());
            if (fieldType.isEmpty()) {
                return Optional.empty();
            }
            fields.add(new RowType.Field(field.getName(), fieldType.get()));
        }
        return Optional.of(new RowType(fields));
    }

    /**
     * Whether values of a declared type can be written to and read from a column. The type may be
     * that of the mapping, any text type for text, JSON and UUIDs, or any binary type for binary
     * columns.
     */
    public static boolean fits(LogicalType declared, DataType column) {
        LogicalTypeRoot root = declared.getTypeRoot();
        return switch (column.kind()) {
            case VARCHAR, CHAR, JSON, UUID ->
                    root == LogicalTypeRoot.VARCHAR || root == LogicalTypeRoot.CHAR;
            case VARBINARY -> root == LogicalTypeRoot.VARBINARY || root == LogicalTypeRoot.BINARY;
            case ARRAY ->
                    root == LogicalTypeRoot.ARRAY
                            && fits(declared.getChildren().get(0), ((ArrayType) column).element());
            case MAP ->
                    root == LogicalTypeRoot.MAP
                            && fits(declared.getChildren().get(0), ((MapType) column).key())
                            && fits(declared.getChildren().get(1), ((MapType) column).value());
            case ROW -> root == LogicalTypeRoot.ROW && fits(declared, (RowType) column);
            default -> toFlink(column).filter(type -> type.equals(declared.copy(true))).isPresent();
        };
    }

    private static boolean fits(LogicalType declared, RowType column) {
        List<LogicalType> fields = declared.getChildren();
        if (fields.size() != column.fields().size()) {
            return false;
        }
        for (int i = 0; i < fields.size(); i++) {
            if (!fits(fields.get(i), column.fields().get(i).type())) {
                return false;
            }
        }
        return true;
    }
}
