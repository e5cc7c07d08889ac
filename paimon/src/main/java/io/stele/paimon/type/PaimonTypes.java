package io.stele.paimon.type;

import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.BooleanType.BOOLEAN;
import static io.trino.spi.type.DateType.DATE;
import static io.trino.spi.type.DoubleType.DOUBLE;
import static io.trino.spi.type.IntegerType.INTEGER;
import static io.trino.spi.type.RealType.REAL;
import static io.trino.spi.type.SmallintType.SMALLINT;
import static io.trino.spi.type.TimeType.createTimeType;
import static io.trino.spi.type.TimestampType.createTimestampType;
import static io.trino.spi.type.TimestampWithTimeZoneType.createTimestampWithTimeZoneType;
import static io.trino.spi.type.TinyintType.TINYINT;
import static io.trino.spi.type.VarbinaryType.VARBINARY;
import static io.trino.spi.type.VarcharType.createUnboundedVarcharType;
import static io.trino.spi.type.VarcharType.createVarcharType;

import io.trino.spi.TrinoException;
import io.trino.spi.type.CharType;
import io.trino.spi.type.TimeType;
import io.trino.spi.type.TimestampType;
import io.trino.spi.type.TimestampWithTimeZoneType;
import io.trino.spi.type.Type;
import io.trino.spi.type.TypeOperators;
import io.trino.spi.type.VarcharType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.paimon.types.ArrayType;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.types.DecimalType;
import org.apache.paimon.types.LocalZonedTimestampType;
import org.apache.paimon.types.MapType;
import org.apache.paimon.types.MultisetType;
import org.apache.paimon.types.RowType;
import org.apache.paimon.types.VarCharType;

/** The translation of Paimon's types to Trino's types, and back. Stateless. */
public final class PaimonTypes {
    /** The most digits after the second that Paimon stores. */
    private static final int MAX_PRECISION = 9;

    private static final TypeOperators OPERATORS = new TypeOperators();

    private PaimonTypes() {}

    /**
     * The type of Trino that has all values of a type of Paimon.
     *
     * @throws TrinoException if there is none
     */
    public static Type toTrino(DataType type) {
        return find(type)
                .orElseThrow(
                        () ->
                                new TrinoException(
                                        NOT_SUPPORTED,
                                        "Expected a type that Trino has, found "
                                                + type.asSQLString()));
    }

    /**
     * The type of Trino that has all values of a column of Paimon.
     *
     * @throws TrinoException that names the column, if there is none
     */
    public static Type toTrino(DataField column) {
        return find(column.type())
                .orElseThrow(
                        () ->
                                new TrinoException(
                                        NOT_SUPPORTED,
                                        "Expected a type that Trino has, found column %s of type %s"
                                                .formatted(
                                                        column.name(),
                                                        column.type().asSQLString())));
    }

    /** The type of Trino that has all values of a type of Paimon; empty if there is none. */
    public static Optional<Type> find(DataType type) {
        return switch (type.getTypeRoot()) {
            case BOOLEAN -> Optional.of(BOOLEAN);
            case TINYINT -> Optional.of(TINYINT);
            case SMALLINT -> Optional.of(SMALLINT);
            case INTEGER -> Optional.of(INTEGER);
            case BIGINT -> Optional.of(BIGINT);
            case FLOAT -> Optional.of(REAL);
            case DOUBLE -> Optional.of(DOUBLE);
            case DECIMAL -> Optional.of(decimal((DecimalType) type));
            case CHAR -> character(((org.apache.paimon.types.CharType) type).getLength());
            case VARCHAR -> Optional.of(varchar(((VarCharType) type).getLength()));
            case BINARY, VARBINARY -> Optional.of(VARBINARY);
            case DATE -> Optional.of(DATE);
            case TIME_WITHOUT_TIME_ZONE ->
                    Optional.of(
                            createTimeType(
                                    ((org.apache.paimon.types.TimeType) type).getPrecision()));
            case TIMESTAMP_WITHOUT_TIME_ZONE ->
                    Optional.of(
                            createTimestampType(
                                    ((org.apache.paimon.types.TimestampType) type).getPrecision()));
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE ->
                    Optional.of(
                            createTimestampWithTimeZoneType(
                                    ((LocalZonedTimestampType) type).getPrecision()));
            case ARRAY ->
                    find(((ArrayType) type).getElementType()).map(io.trino.spi.type.ArrayType::new);
            case MAP -> map(((MapType) type).getKeyType(), ((MapType) type).getValueType());
            case MULTISET -> map(((MultisetType) type).getElementType(), DataTypes.INT());
            case ROW -> row((RowType) type);
            case VARIANT, BLOB, VECTOR -> Optional.empty();
        };
    }

    private static Type decimal(DecimalType type) {
        return io.trino.spi.type.DecimalType.createDecimalType(
                type.getPrecision(), type.getScale());
    }

    private static Optional<Type> character(int length) {
        return length > CharType.MAX_LENGTH
                ? Optional.empty()
                : Optional.of(CharType.createCharType(length));
    }

    private static Type varchar(int length) {
        return length == VarCharType.MAX_LENGTH
                ? createUnboundedVarcharType()
                : createVarcharType(length);
    }

    private static Optional<Type> map(DataType keys, DataType values) {
        Optional<Type> key = find(keys).filter(Type::isComparable);
        return key.flatMap(found -> find(values).map(value -> map(found, value)));
    }

    /** The type of maps. */
    static io.trino.spi.type.MapType map(Type key, Type value) {
        return new io.trino.spi.type.MapType(key, value, OPERATORS);
    }

    private static Optional<Type> row(RowType type) {
        List<io.trino.spi.type.RowType.Field> fields = new ArrayList<>();
        for (DataField field : type.getFields()) {
            Optional<Type> found = find(field.type());
            if (found.isEmpty()) {
                return Optional.empty();
            }
            fields.add(io.trino.spi.type.RowType.field(field.name(), found.get()));
        }
        return fields.isEmpty()
                ? Optional.empty()
                : Optional.of(io.trino.spi.type.RowType.from(fields));
    }

    /**
     * The nullable type of Paimon that has all values of a type of Trino.
     *
     * @param column its name, for the error
     * @throws TrinoException that names the column, if there is none
     */
    public static DataType toPaimon(String column, Type type) {
        return switch (type) {
            case VarcharType varchar ->
                    varchar.isUnbounded() || varchar.getBoundedLength() == 0
                            ? DataTypes.STRING()
                            : DataTypes.VARCHAR(varchar.getBoundedLength());
            case CharType character when character.getLength() > 0 ->
                    DataTypes.CHAR(character.getLength());
            case io.trino.spi.type.DecimalType decimal ->
                    DataTypes.DECIMAL(decimal.getPrecision(), decimal.getScale());
            case TimeType time when time.getPrecision() <= 3 -> DataTypes.TIME(time.getPrecision());
            case TimestampType timestamp when timestamp.getPrecision() <= MAX_PRECISION ->
                    DataTypes.TIMESTAMP(timestamp.getPrecision());
            case TimestampWithTimeZoneType timestamp
                    when timestamp.getPrecision() <= MAX_PRECISION ->
                    DataTypes.TIMESTAMP_WITH_LOCAL_TIME_ZONE(timestamp.getPrecision());
            case io.trino.spi.type.ArrayType array ->
                    DataTypes.ARRAY(toPaimon(column, array.getElementType()));
            case io.trino.spi.type.MapType map ->
                    DataTypes.MAP(
                            toPaimon(column, map.getKeyType()),
                            toPaimon(column, map.getValueType()));
            case io.trino.spi.type.RowType row -> toPaimon(column, row);
            default -> simple(column, type);
        };
    }

    private static DataType toPaimon(String column, io.trino.spi.type.RowType type) {
        RowType.Builder builder = RowType.builder();
        for (io.trino.spi.type.RowType.Field field : type.getFields()) {
            String name = field.getName().orElseThrow(() -> unsupported(column, type));
            builder.field(name, toPaimon(column + "." + name, field.getType()));
        }
        return builder.build();
    }

    private static DataType simple(String column, Type type) {
        if (type == BOOLEAN) {
            return DataTypes.BOOLEAN();
        }
        if (type == TINYINT) {
            return DataTypes.TINYINT();
        }
        if (type == SMALLINT) {
            return DataTypes.SMALLINT();
        }
        if (type == INTEGER) {
            return DataTypes.INT();
        }
        if (type == BIGINT) {
            return DataTypes.BIGINT();
        }
        if (type == REAL) {
            return DataTypes.FLOAT();
        }
        if (type == DOUBLE) {
            return DataTypes.DOUBLE();
        }
        if (type == DATE) {
            return DataTypes.DATE();
        }
        if (type == VARBINARY) {
            return DataTypes.BYTES();
        }
        throw unsupported(column, type);
    }

    private static TrinoException unsupported(String column, Type type) {
        return new TrinoException(
                NOT_SUPPORTED,
                "Expected a type that Paimon has, found column %s of type %s, which is not supported"
                        .formatted(column, type.getDisplayName()));
    }
}
