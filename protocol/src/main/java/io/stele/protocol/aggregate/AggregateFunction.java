package io.stele.protocol.aggregate;

/** Functions over many rows; each means what it means in Trino. */
public enum AggregateFunction {
    /** Rows; with an argument, rows where that is not null. */
    COUNT,
    /** Of integers a bigint, of decimals 38 digits, of real and double their own type. */
    SUM,
    /** NaN only where there is nothing else. */
    MIN,
    /** NaN only where there is nothing else. */
    MAX,
    /** Of integers a double, else the argument's type; decimals are rounded half up. */
    AVG
}
