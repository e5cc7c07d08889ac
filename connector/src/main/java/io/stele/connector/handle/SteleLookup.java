package io.stele.connector.handle;

import static java.util.Objects.requireNonNull;

/**
 * A key lookup that finds the rows of a constraint without a scan. The constraint gives discrete
 * values for all columns of the key.
 *
 * @param by the primary key, or the name of a unique index
 * @param keyCount combinations of the values
 */
public record SteleLookup(String by, int keyCount) {
    public static final String PRIMARY_KEY = "primary key";

    public SteleLookup {
        requireNonNull(by, "by is null");
    }

    /** The text in EXPLAIN. */
    @Override
    public String toString() {
        return by + ", " + keyCount + (keyCount == 1 ? " key" : " keys");
    }
}
