package io.stele.engine.read;

import static java.util.Objects.requireNonNull;

import java.util.Optional;

/**
 * A range of encoded primary keys, from an inclusive lower bound to an exclusive upper bound, by
 * unsigned bytes, for scans by key. Immutable as long as nobody changes the arrays.
 *
 * @param lower the inclusive lower bound; empty: the range begins with the first key
 * @param upper the exclusive upper bound; absent: there is none
 */
public record KeyRange(byte[] lower, Optional<byte[]> upper) {
    public KeyRange {
        requireNonNull(lower, "lower is null");
        requireNonNull(upper, "upper is null");
    }
}
