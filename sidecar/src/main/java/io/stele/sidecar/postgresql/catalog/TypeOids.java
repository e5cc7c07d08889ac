package io.stele.sidecar.postgresql.catalog;

/** The constants of PostgreSQL's type OIDs that the evaluation of catalog queries uses. */
final class TypeOids {
    static final int BOOL = 16;
    static final int BYTEA = 17;
    static final int CHAR = 18;
    static final int NAME = 19;
    static final int INT8 = 20;
    static final int INT2 = 21;
    static final int INT2_VECTOR = 22;
    static final int INT4 = 23;
    static final int REGPROC = 24;
    static final int TEXT = 25;
    static final int OID = 26;
    static final int OID_VECTOR = 30;
    static final int JSON = 114;
    static final int FLOAT4 = 700;
    static final int FLOAT8 = 701;
    static final int BPCHAR = 1042;
    static final int VARCHAR = 1043;
    static final int DATE = 1082;
    static final int TIME = 1083;
    static final int TIMESTAMP = 1114;
    static final int TIMESTAMPTZ = 1184;
    static final int NUMERIC = 1700;
    static final int REGCLASS = 2205;
    static final int REGTYPE = 2206;
    static final int RECORD = 2249;
    static final int UUID = 2950;
    static final int REGNAMESPACE = 4089;
    static final int REGROLE = 4096;
    static final int TEXT_ARRAY = 1009;
    static final int NAME_ARRAY = 1003;
    static final int INT2_ARRAY = 1005;
    static final int OID_ARRAY = 1028;

    private TypeOids() {}

    static boolean isNumber(int type) {
        return switch (type) {
            case INT8, INT2, INT4, OID, FLOAT4, FLOAT8, NUMERIC -> true;
            default -> isReference(type);
        };
    }

    /** Whether values are OIDs that show as a name. */
    static boolean isReference(int type) {
        return switch (type) {
            case REGPROC, 2202, 2203, 2204, REGCLASS, REGTYPE, REGROLE, REGNAMESPACE -> true;
            default -> false;
        };
    }

    static boolean isVector(int type) {
        return type == INT2_VECTOR || type == OID_VECTOR;
    }
}
