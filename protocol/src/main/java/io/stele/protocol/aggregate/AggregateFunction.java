package io.stele.protocol.aggregate;

/**
 * The aggregate functions that sidecars compute for pushed-down aggregations, with Trino's
 * semantics.
 */
public enum AggregateFunction {
    /** The number of rows; with an argument, of rows whose argument is not null. */
    COUNT,
    /**
     * The sum: a bigint for integers, 38 digits for decimals, the argument's type for real and
     * double.
     */
    SUM,
    /** The least value; NaN only if all values are NaN. */
    MIN,
    /** The greatest value; NaN only if all values are NaN. */
    MAX,
    /** The mean: a double for integers, else the argument's type; decimals are rounded half up. */
    AVG
}
