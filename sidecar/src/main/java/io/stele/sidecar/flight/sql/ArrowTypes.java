package io.stele.sidecar.flight.sql;

import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.DecimalType;
import io.stele.protocol.schema.ScalarType;
import io.stele.protocol.schema.TimeType;
import io.stele.protocol.schema.TimestampType;
import io.stele.protocol.schema.VarcharType;
import io.stele.sidecar.postgresql.type.PostgresType;

/**
 * The mapping of PostgreSQL's types to the Stele types that Flight SQL sends as Arrow, for computed
 * results and parameters. A table's column has its own type instead. Stateless.
 */
final class ArrowTypes {
    /** Digits behind the point of a computed number: more than a quotient has. */
    static final int NUMERIC_SCALE = 18;

    private static final DataType NUMERIC =
            new DecimalType(DecimalType.MAX_PRECISION, NUMERIC_SCALE);
    private static final DataType TIME = new TimeType(TimeType.MAX_NANOS_PRECISION);
    private static final DataType TIMESTAMP =
            new TimestampType(TimestampType.MAX_MICROS_PRECISION, false);
    private static final DataType TIMESTAMPTZ =
            new TimestampType(TimestampType.MAX_MICROS_PRECISION, true);

    private ArrowTypes() {}

    static DataType of(PostgresType type) {
        return switch (type) {
            case BOOL -> ScalarType.BOOLEAN;
            case INT2 -> ScalarType.SMALLINT;
            case INT4, OID -> ScalarType.INTEGER;
            case INT8 -> ScalarType.BIGINT;
            case FLOAT4 -> ScalarType.REAL;
            case FLOAT8 -> ScalarType.DOUBLE;
            case NUMERIC -> NUMERIC;
            case TEXT, VARCHAR, BPCHAR, NAME, CHAR, UNKNOWN -> VarcharType.VARCHAR;
            case JSON, JSONB -> ScalarType.JSON;
            case BYTEA -> ScalarType.VARBINARY;
            case DATE -> ScalarType.DATE;
            case TIME -> TIME;
            case TIMESTAMP -> TIMESTAMP;
            case TIMESTAMPTZ -> TIMESTAMPTZ;
            case UUID -> ScalarType.UUID;
        };
    }
}
