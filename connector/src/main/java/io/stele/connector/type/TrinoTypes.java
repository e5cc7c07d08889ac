package io.stele.connector.type;

import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.ScalarType;
import io.trino.spi.TrinoException;
import io.trino.spi.type.ArrayType;
import io.trino.spi.type.BigintType;
import io.trino.spi.type.BooleanType;
import io.trino.spi.type.CharType;
import io.trino.spi.type.DateType;
import io.trino.spi.type.DecimalType;
import io.trino.spi.type.DoubleType;
import io.trino.spi.type.IntegerType;
import io.trino.spi.type.MapType;
import io.trino.spi.type.RealType;
import io.trino.spi.type.RowType;
import io.trino.spi.type.SmallintType;
import io.trino.spi.type.StandardTypes;
import io.trino.spi.type.TimeType;
import io.trino.spi.type.TimestampType;
import io.trino.spi.type.TimestampWithTimeZoneType;
import io.trino.spi.type.TinyintType;
import io.trino.spi.type.Type;
import io.trino.spi.type.TypeManager;
import io.trino.spi.type.UuidType;
import io.trino.spi.type.VarbinaryType;
import io.trino.spi.type.VarcharType;
import java.util.List;
import java.util.Optional;

/**
 * A converter of Trino's types into Stele's and back. Types that Stele does not store are refused
 * by name. Thread-safe.
 *
 * <p>Invariant: {@code toTrino(toStele(name, type))} equals {@code type}.
 */
public final class TrinoTypes {

    private final TypeManager typeManager;
    private final Type json;

    @Inject
    public TrinoTypes(TypeManager typeManager) {
        this.typeManager = requireNonNull(typeManager, "typeManager is null");
        this.json = typeManager.fromSqlType(StandardTypes.JSON);
    }

    /** The type that a column of {@code type} has in SQL. */
    public Type toTrino(DataType type) {
        return switch (type) {
            case ScalarType scalar -> scalarToTrino(scalar);
            case io.stele.protocol.schema.DecimalType decimal ->
                    DecimalType.createDecimalType(decimal.precision(), decimal.scale());
            case io.stele.protocol.schema.VarcharType varchar ->
                    varchar.isUnbounded()
                            ? VarcharType.VARCHAR
                            : VarcharType.createVarcharType(varchar.length());
            case io.stele.protocol.schema.CharType character ->
                    CharType.createCharType(character.length());
            case io.stele.protocol.schema.TimeType time ->
                    TimeType.createTimeType(time.precision());
            case io.stele.protocol.schema.TimestampType timestamp ->
                    timestamp.withTimeZone()
                            ? TimestampWithTimeZoneType.createTimestampWithTimeZoneType(
                                    timestamp.precision())
                            : TimestampType.createTimestampType(timestamp.precision());
            case io.stele.protocol.schema.ArrayType array ->
                    new ArrayType(toTrino(array.element()));
            case io.stele.protocol.schema.MapType map ->
                    new MapType(
                            toTrino(map.key()),
                            toTrino(map.value()),
                            typeManager.getTypeOperators());
            case io.stele.protocol.schema.RowType row ->
                    RowType.from(
                            row.fields().stream()
                                    .map(
                                            field ->
                                                    new RowType.Field(
                                                            field.name(), toTrino(field.type())))
                                    .toList());
        };
    }

    /**
     * The type that a column declared as {@code type} is stored as.
     *
     * @throws TrinoException NOT_SUPPORTED, naming the column and the type, where there is none
     */
    public DataType toStele(String columnName, Type type) {
        return toStele(type)
                .orElseThrow(
                        () ->
                                new TrinoException(
                                        NOT_SUPPORTED,
                                        "Stele cannot store type %s of column '%s'"
                                                .formatted(type.getDisplayName(), columnName)));
    }

    /** The type that values of {@code type} are stored as; empty where there is none. */
    public Optional<DataType> find(Type type) {
        return toStele(type);
    }

    private Type scalarToTrino(ScalarType type) {
        return switch (type) {
            case BOOLEAN -> BooleanType.BOOLEAN;
            case TINYINT -> TinyintType.TINYINT;
            case SMALLINT -> SmallintType.SMALLINT;
            case INTEGER -> IntegerType.INTEGER;
            case BIGINT -> BigintType.BIGINT;
            case REAL -> RealType.REAL;
            case DOUBLE -> DoubleType.DOUBLE;
            case VARBINARY -> VarbinaryType.VARBINARY;
            case DATE -> DateType.DATE;
            case UUID -> UuidType.UUID;
            case JSON -> json;
        };
    }

    private Optional<DataType> toStele(Type type) {
        if (type.equals(json)) {
            return Optional.of(ScalarType.JSON);
        }
        return switch (type) {
            case BooleanType _ -> Optional.of(ScalarType.BOOLEAN);
            case TinyintType _ -> Optional.of(ScalarType.TINYINT);
            case SmallintType _ -> Optional.of(ScalarType.SMALLINT);
            case IntegerType _ -> Optional.of(ScalarType.INTEGER);
            case BigintType _ -> Optional.of(ScalarType.BIGINT);
            case RealType _ -> Optional.of(ScalarType.REAL);
            case DoubleType _ -> Optional.of(ScalarType.DOUBLE);
            case VarbinaryType _ -> Optional.of(ScalarType.VARBINARY);
            case DateType _ -> Optional.of(ScalarType.DATE);
            case UuidType _ -> Optional.of(ScalarType.UUID);
            case DecimalType decimal ->
                    Optional.of(
                            new io.stele.protocol.schema.DecimalType(
                                    decimal.getPrecision(), decimal.getScale()));
            case VarcharType varchar ->
                    Optional.of(
                            varchar.isUnbounded()
                                    ? io.stele.protocol.schema.VarcharType.VARCHAR
                                    : new io.stele.protocol.schema.VarcharType(
                                            varchar.getBoundedLength()));
            // A char(0) has one value only, and other engines have no form for it
            case CharType character when character.getLength() > 0 ->
                    Optional.of(new io.stele.protocol.schema.CharType(character.getLength()));
            case TimeType time ->
                    Optional.of(new io.stele.protocol.schema.TimeType(time.getPrecision()));
            case TimestampType timestamp ->
                    Optional.of(
                            io.stele.protocol.schema.TimestampType.ofAllYears(
                                    timestamp.getPrecision(), false));
            case TimestampWithTimeZoneType timestamp ->
                    Optional.of(
                            io.stele.protocol.schema.TimestampType.ofAllYears(
                                    timestamp.getPrecision(), true));
            case ArrayType array ->
                    toStele(array.getElementType()).map(io.stele.protocol.schema.ArrayType::new);
            case MapType map ->
                    toStele(map.getKeyType())
                            .flatMap(
                                    key ->
                                            toStele(map.getValueType())
                                                    .map(
                                                            value ->
                                                                    new io.stele.protocol.schema
                                                                            .MapType(key, value)));
            case RowType row -> rowToStele(row);
            default -> Optional.empty();
        };
    }

    private Optional<DataType> rowToStele(RowType row) {
        List<io.stele.protocol.schema.RowType.Field> fields =
                row.getFields().stream()
                        .flatMap(
                                field ->
                                        toStele(field.getType())
                                                .map(
                                                        type ->
                                                                new io.stele.protocol.schema.RowType
                                                                        .Field(
                                                                        field.getName(), type))
                                                .stream())
                        .toList();
        return fields.size() == row.getFields().size()
                ? Optional.of(new io.stele.protocol.schema.RowType(fields))
                : Optional.empty();
    }
}
