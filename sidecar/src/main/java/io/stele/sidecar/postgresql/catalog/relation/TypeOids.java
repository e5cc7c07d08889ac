package io.stele.sidecar.postgresql.catalog.relation;

/** The constants of PostgreSQL's type OIDs that the evaluation of catalog queries uses. */
public final class TypeOids {
    public static final int BOOL = 16;
    static final int BYTEA = 17;
    public static final int CHAR = 18;
    public static final int NAME = 19;
    public static final int INT8 = 20;
    public static final int INT2 = 21;
    static final int INT2_VECTOR = 22;
    public static final int INT4 = 23;
    public static final int REGPROC = 24;
    public static final int TEXT = 25;
    public static final int OID = 26;
    static final int OID_VECTOR = 30;
    public static final int JSON = 114;
    public static final int FLOAT4 = 700;
    public static final int FLOAT8 = 701;
    public static final int BPCHAR = 1042;
    public static final int VARCHAR = 1043;
    public static final int DATE = 1082;
    static final int TIME = 1083;
    public static final int TIMESTAMP = 1114;
    public static final int TIMESTAMPTZ = 1184;
    public static final int NUMERIC = 1700;
    public static final int REGCLASS = 2205;
    public static final int REGTYPE = 2206;
    public static final int RECORD = 2249;
    static final int UUID = 2950;
    public static final int REGNAMESPACE = 4089;
    public static final int REGROLE = 4096;
    public static final int TEXT_ARRAY = 1009;
    public static final int NAME_ARRAY = 1003;
    static final int INT2_ARRAY = 1005;
    static final int OID_ARRAY = 1028;

    private TypeOids() {}

    public static boolean isNumber(int type) {
        return switch (type) {
            case INT8, INT2, INT4, OID, FLOAT4, FLOAT8, NUMERIC -> true;
            default -> isReference(type);
        };
    }

    /** Whether values are OIDs that show as a name. */
    public static boolean isReference(int type) {
        return switch (type) {
            case REGPROC, 2202, 2203, 2204, REGCLASS, REGTYPE, REGROLE, REGNAMESPACE -> true;
            default -> false;
        };
    }

    public static boolean isVector(int type) {
        return type == INT2_VECTOR || type == OID_VECTOR;
    }
}
