package io.stele.protocol.schema;

/** The families of types, for switches (release 17 has no pattern switch over {@link DataType}). */
public enum TypeKind {
    BOOLEAN,
    TINYINT,
    SMALLINT,
    INTEGER,
    BIGINT,
    REAL,
    DOUBLE,
    DECIMAL,
    VARCHAR,
    CHAR,
    VARBINARY,
    DATE,
    TIME,
    TIMESTAMP,
    TIMESTAMP_WITH_TIME_ZONE,
    UUID,
    JSON,
    ARRAY,
    MAP,
    ROW
}
