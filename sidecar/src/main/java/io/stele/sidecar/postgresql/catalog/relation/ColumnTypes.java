package io.stele.sidecar.postgresql.catalog.relation;

import io.stele.protocol.schema.CharType;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.DecimalType;
import io.stele.protocol.schema.TimeType;
import io.stele.protocol.schema.TimestampType;
import io.stele.protocol.schema.VarcharType;

/**
 * The type of a column as PostgreSQL's catalog describes it, by OID and modifier.
 *
 * @param modifier as {@code pg_attribute.atttypmod}; -1: none
 */
record ColumnTypes(int oid, int modifier) {
    /** PostgreSQL's header of values, which its lengths include. */
    private static final int HEADER = 4;

    /** PostgreSQL's longest text with a length, and its finest time. */
    private static final int MAX_LENGTH = 10_485_760;

    private static final int MAX_TIME_PRECISION = 6;

    static ColumnTypes of(DataType type) {
        return switch (type.kind()) {
            case BOOLEAN -> plain(TypeOids.BOOL);
            case TINYINT, SMALLINT -> plain(TypeOids.INT2);
            case INTEGER -> plain(TypeOids.INT4);
            case BIGINT -> plain(TypeOids.INT8);
            case REAL -> plain(TypeOids.FLOAT4);
            case DOUBLE -> plain(TypeOids.FLOAT8);
            case VARBINARY -> plain(TypeOids.BYTEA);
            case DATE -> plain(TypeOids.DATE);
            case UUID -> plain(TypeOids.UUID);
            case JSON, ARRAY, MAP, ROW -> plain(TypeOids.JSON);
            case DECIMAL, VARCHAR, CHAR, TIME, TIMESTAMP, TIMESTAMP_WITH_TIME_ZONE ->
                    withModifier(type);
        };
    }

    private static ColumnTypes withModifier(DataType type) {
        return switch (type) {
            case DecimalType decimal ->
                    new ColumnTypes(
                            TypeOids.NUMERIC,
                            (decimal.precision() << 16) + decimal.scale() + HEADER);
            case VarcharType varchar ->
                    varchar.length() >= 1 && varchar.length() <= MAX_LENGTH
                            ? new ColumnTypes(TypeOids.VARCHAR, varchar.length() + HEADER)
                            : plain(TypeOids.TEXT);
            case CharType text -> new ColumnTypes(TypeOids.BPCHAR, text.length() + HEADER);
            case TimeType time -> time(TypeOids.TIME, time.precision());
            case TimestampType timestamp ->
                    time(
                            timestamp.withTimeZone() ? TypeOids.TIMESTAMPTZ : TypeOids.TIMESTAMP,
                            timestamp.precision());
            default -> plain(TypeOids.TEXT);
        };
    }

    private static ColumnTypes time(int oid, int precision) {
        return precision < MAX_TIME_PRECISION ? new ColumnTypes(oid, precision) : plain(oid);
    }

    private static ColumnTypes plain(int oid) {
        return new ColumnTypes(oid, -1);
    }
}
