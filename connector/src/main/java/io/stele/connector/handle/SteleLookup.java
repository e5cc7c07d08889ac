package io.stele.connector.handle;

import static java.util.Objects.requireNonNull;

import java.util.Optional;

/**
 * The part of a table handle that describes a key lookup, by which the rows of a constraint are
 * found without a scan. The constraint gives discrete values for all columns of the key.
 *
 * @param by the primary key, or the name of a unique index
 * @param keyCount combinations of the values
 * @param estimate of the lookup and of a scan instead; empty where there is no choice, or where the
 *     coordinator had no plan of the scan
 */
public record SteleLookup(String by, int keyCount, Optional<ReadEstimate> estimate) {
    public static final String PRIMARY_KEY = "primary key";

    public SteleLookup {
        requireNonNull(by, "by is null");
        requireNonNull(estimate, "estimate is null");
    }

    /** A lookup without an estimate. */
    public SteleLookup(String by, int keyCount) {
        this(by, keyCount, Optional.empty());
    }

    /** The same lookup with an estimate. */
    public SteleLookup withEstimate(ReadEstimate newEstimate) {
        return new SteleLookup(by, keyCount, Optional.of(newEstimate));
    }

    /** The text in EXPLAIN. */
    @Override
    public String toString() {
        return by
                + ", "
                + keyCount
                + (keyCount == 1 ? " key" : " keys")
                + estimate.map(found -> ", " + found).orElse("");
    }
}
