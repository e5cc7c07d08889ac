package io.stele.connector.handle;

import static java.util.Objects.requireNonNull;

/**
 * How the rows of a constraint are found without a scan: by a key whose columns the constraint all
 * gives single values.
 *
 * @param by the primary key, or the name of a unique index
 * @param keyCount combinations of the values
 */
public record SteleLookup(String by, int keyCount) {
    public static final String PRIMARY_KEY = "primary key";

    public SteleLookup {
        requireNonNull(by, "by is null");
    }

    /** What EXPLAIN shows. */
    @Override
    public String toString() {
        return by + ", " + keyCount + (keyCount == 1 ? " key" : " keys");
    }
}
