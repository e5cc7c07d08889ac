package io.stele.paimon.type;

import io.trino.spi.type.*;
import org.apache.paimon.types.*;
import org.apache.paimon.types.DataType;

/** Interim. */
public final class PaimonTypes {
    private PaimonTypes() {}

    public static Type toTrino(DataType type) {
        return switch (type.getTypeRoot()) {
            case INTEGER -> IntegerType.INTEGER;
            case BIGINT -> BigintType.BIGINT;
            case SMALLINT -> SmallintType.SMALLINT;
            case TINYINT -> TinyintType.TINYINT;
            case BOOLEAN -> io.trino.spi.type.BooleanType.BOOLEAN;
            case DOUBLE -> io.trino.spi.type.DoubleType.DOUBLE;
            case FLOAT -> RealType.REAL;
            case DATE -> io.trino.spi.type.DateType.DATE;
            case VARCHAR ->
                    ((org.apache.paimon.types.VarCharType) type).getLength() == Integer.MAX_VALUE
                            ? io.trino.spi.type.VarcharType.VARCHAR
                            : io.trino.spi.type.VarcharType.createVarcharType(
                                    ((org.apache.paimon.types.VarCharType) type).getLength());
            case DECIMAL ->
                    io.trino.spi.type.DecimalType.createDecimalType(
                            ((org.apache.paimon.types.DecimalType) type).getPrecision(),
                            ((org.apache.paimon.types.DecimalType) type).getScale());
            case TIMESTAMP_WITHOUT_TIME_ZONE ->
                    io.trino.spi.type.TimestampType.createTimestampType(
                            ((org.apache.paimon.types.TimestampType) type).getPrecision());
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE ->
                    TimestampWithTimeZoneType.createTimestampWithTimeZoneType(
                            ((LocalZonedTimestampType) type).getPrecision());
            case ARRAY ->
                    new io.trino.spi.type.ArrayType(
                            toTrino(((org.apache.paimon.types.ArrayType) type).getElementType()));
            case VARBINARY -> VarbinaryType.VARBINARY;
            case MAP ->
                    new io.trino.spi.type.MapType(
                            toTrino(((org.apache.paimon.types.MapType) type).getKeyType()),
                            toTrino(((org.apache.paimon.types.MapType) type).getValueType()),
                            new TypeOperators());
            case ROW ->
                    io.trino.spi.type.RowType.from(
                            ((org.apache.paimon.types.RowType) type)
                                    .getFields().stream()
                                            .map(
                                                    f ->
                                                            io.trino.spi.type.RowType.field(
                                                                    f.name(), toTrino(f.type())))
                                            .toList());
            default -> throw new UnsupportedOperationException(type.toString());
        };
    }
}
