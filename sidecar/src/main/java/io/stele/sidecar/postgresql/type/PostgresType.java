package io.stele.sidecar.postgresql.type;

import io.stele.protocol.schema.CharType;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.DecimalType;
import io.stele.protocol.schema.VarcharType;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The PostgreSQL types that statements, parameters and results can have, with OIDs and names. The
 * values of each type are of one Java class:
 *
 * <p>BOOL Boolean | INT2 Short | INT4, OID Integer | INT8 Long | FLOAT4 Float | FLOAT8 Double |
 * NUMERIC BigDecimal | texts and JSON String | BYTEA byte[] | DATE LocalDate | TIME LocalTime |
 * TIMESTAMP LocalDateTime | TIMESTAMPTZ Instant | UUID UUID | arrays List of the elements' class
 */
public enum PostgresType {
    BOOL(16, 1, "boolean", 1000),
    BYTEA(17, -1, "bytea", 1001),
    CHAR(18, 1, "\"char\"", 1002),
    NAME(19, 64, "name", 1003),
    INT8(20, 8, "bigint", 1016),
    INT2(21, 2, "smallint", 1005),
    INT4(23, 4, "integer", 1007),
    TEXT(25, -1, "text", 1009),
    OID(26, 4, "oid", 1028),
    JSON(114, -1, "json", 199),
    FLOAT4(700, 4, "real", 1021),
    FLOAT8(701, 8, "double precision", 1022),
    UNKNOWN(705, -2, "unknown", 0),
    BPCHAR(1042, -1, "character", 1014),
    VARCHAR(1043, -1, "character varying", 1015),
    DATE(1082, 4, "date", 1182),
    TIME(1083, 8, "time without time zone", 1183),
    TIMESTAMP(1114, 8, "timestamp without time zone", 1115),
    TIMESTAMPTZ(1184, 8, "timestamp with time zone", 1185),
    NUMERIC(1700, -1, "numeric", 1231),
    UUID(2950, 16, "uuid", 2951),
    JSONB(3802, -1, "jsonb", 3807);

    private static final int TYPMOD_HEAD = 4; // added to a length by PostgreSQL
    private static final Map<Integer, PostgresType> BY_OID = new HashMap<>();
    private static final Map<Integer, PostgresType> BY_ARRAY_OID = new HashMap<>();
    private static final Map<String, PostgresType> BY_NAME = new HashMap<>();

    static {
        for (PostgresType type : values()) {
            BY_OID.put(type.oid, type);
            if (type.arrayOid != 0) {
                BY_ARRAY_OID.put(type.arrayOid, type);
            }
            BY_NAME.put(type.sqlName, type);
            BY_NAME.put(type.name().toLowerCase(Locale.ENGLISH), type);
        }
        BY_NAME.put("int", INT4);
        BY_NAME.put("float", FLOAT8);
        BY_NAME.put("double", FLOAT8);
        BY_NAME.put("decimal", NUMERIC);
        BY_NAME.put("string", TEXT);
        BY_NAME.put("char", BPCHAR);
        BY_NAME.put("time", TIME);
        BY_NAME.put("timestamp", TIMESTAMP);
        BY_NAME.put("bool", BOOL);
    }

    private final int oid;
    private final int sizeBytes;
    private final String sqlName;
    private final int arrayOid;

    PostgresType(int oid, int sizeBytes, String sqlName, int arrayOid) {
        this.oid = oid;
        this.sizeBytes = sizeBytes;
        this.sqlName = sqlName;
        this.arrayOid = arrayOid;
    }

    public int oid() {
        return oid;
    }

    /** The bytes of a value in binary format; negative if the size varies. */
    public int sizeBytes() {
        return sizeBytes;
    }

    /** The name in SQL. */
    public String sqlName() {
        return sqlName;
    }

    public int arrayOid() {
        return arrayOid;
    }

    public boolean isNumber() {
        return switch (this) {
            case INT2, INT4, INT8, OID, FLOAT4, FLOAT8, NUMERIC -> true;
            default -> false;
        };
    }

    public boolean isText() {
        return switch (this) {
            case TEXT, VARCHAR, BPCHAR, NAME, CHAR, UNKNOWN -> true;
            default -> false;
        };
    }

    public static Optional<PostgresType> ofOid(int oid) {
        return Optional.ofNullable(BY_OID.get(oid));
    }

    /** The element type of an array type. */
    public static Optional<PostgresType> ofArrayOid(int oid) {
        return Optional.ofNullable(BY_ARRAY_OID.get(oid));
    }

    /** The type of a name in SQL, without length and in any case. */
    public static Optional<PostgresType> ofName(String name) {
        return Optional.ofNullable(BY_NAME.get(name.toLowerCase(Locale.ENGLISH)));
    }

    /** The type as which a column is shown. Arrays, maps and rows are JSON. */
    public static PostgresType of(DataType type) {
        return switch (type.kind()) {
            case BOOLEAN -> BOOL;
            case TINYINT, SMALLINT -> INT2;
            case INTEGER -> INT4;
            case BIGINT -> INT8;
            case REAL -> FLOAT4;
            case DOUBLE -> FLOAT8;
            case DECIMAL -> NUMERIC;
            case VARCHAR -> type.equals(VarcharType.VARCHAR) ? TEXT : VARCHAR;
            case CHAR -> BPCHAR;
            case VARBINARY -> BYTEA;
            case DATE -> DATE;
            case TIME -> TIME;
            case TIMESTAMP -> TIMESTAMP;
            case TIMESTAMP_WITH_TIME_ZONE -> TIMESTAMPTZ;
            case UUID -> UUID;
            case JSON, ARRAY, MAP, ROW -> JSON;
        };
    }

    /** The type modifier, in which PostgreSQL sends a type's length or precision; -1: none. */
    public static int modifier(DataType type) {
        if (type instanceof VarcharType text && !text.isUnbounded()) {
            return text.length() + TYPMOD_HEAD;
        }
        if (type instanceof CharType text) {
            return text.length() + TYPMOD_HEAD;
        }
        if (type instanceof DecimalType decimal) {
            return (decimal.precision() << 16 | decimal.scale()) + TYPMOD_HEAD;
        }
        return -1;
    }
}
