package io.stele.engine.read;

import static java.util.Objects.requireNonNull;

import java.util.Optional;

/**
 * Encoded primary keys from a lower bound on and below an upper one, by unsigned bytes. Immutable
 * as long as nobody changes the arrays.
 *
 * @param lower the first key that may be in the range; empty: of all
 * @param upper the first one behind it; absent: there is none
 */
public record KeyRange(byte[] lower, Optional<byte[]> upper) {
    public KeyRange {
        requireNonNull(lower, "lower is null");
        requireNonNull(upper, "upper is null");
    }
}
