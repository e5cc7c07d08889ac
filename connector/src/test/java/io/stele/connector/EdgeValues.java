package io.stele.connector;

import java.util.SplittableRandom;

/** Literals at which comparisons, sums and orders of types go wrong first. */
final class EdgeValues {
    static final String[] INTEGERS = {"0", "1", "2", "3", "2147483647", "-2147483648"};
    static final String[] DECIMALS = {"9999999999.99", "-0.01", "1.25"};
    static final String[] DOUBLES = {
        "nan()", "DOUBLE '-0.0'", "DOUBLE '0.0'", "infinity()", "DOUBLE '2.5'", "DOUBLE '-1.25'"
    };
    static final String[] REALS = {"CAST(nan() AS real)", "REAL '-0.0'", "REAL '1.5'"};
    static final String[] TEXTS = {"''", "'a'", "'B'", "'\u00e9'", "'zz top'"};
    static final String[] PICOS = {
        "TIMESTAMP '0001-01-01 00:00:00.000000000001'",
        "TIMESTAMP '1969-12-31 23:59:59.999999999999'",
        "TIMESTAMP '9999-12-31 23:59:59.999999999999'"
    };
    static final String[] DATES = {"DATE '1969-12-31'", "DATE '2024-02-29'"};

    private EdgeValues() {}

    /**
     * One of the values, or NULL.
     *
     * @param nulls how often NULL is drawn, where each value is drawn once
     */
    static String draw(SplittableRandom random, int nulls, String... values) {
        int choice = random.nextInt(values.length + nulls);
        return choice >= values.length ? "NULL" : values[choice];
    }
}
